import { inspect } from 'node:util';
import { letsCredentialsIn } from '../server/src/config/hitpass';
import { WITHOUT_EFFECT } from '../server/src/config/provider-options';
import { MEMORY_LIMITS } from '../server/src/config/schema';
import type { Hitpass } from '../server/src/config/user-config';
import type { Move, Origin, Outcome } from './moves';

export interface OptionReport {
  /**
   * The options' paths, such as `strategy.contentTypes[0].hitpass`. Options without a row in docs/migrating.md have
   * `[]` instead of indexes, unless one of the same name has a row.
   */
  readonly options: readonly string[];
  readonly outcome: Outcome;
  /** What the options do in the other plugin, and here; missing for options without a row. */
  readonly there?: string;
  readonly here?: string;
}

interface WrittenOption {
  /** `strategy.contentTypes[0].maxAge` */
  readonly path: string;
  /** The same for any element of a list: `strategy.contentTypes[].maxAge`. */
  readonly pattern: string;
  readonly value: unknown;
  /** The name of the class of the object that holds the option. */
  readonly madeBy: string;
}

/** @param isForRedis whether the provider is Redis: its `max` and `ttl` differ from those of the memory provider. */
type IsAbout = (option: WrittenOption, isForRedis: boolean) => boolean;

const isFunction = (value: unknown): value is Exclude<Hitpass, boolean> => typeof value === 'function';

const isHitpass = ({ pattern }: WrittenOption): boolean => pattern.endsWith('.hitpass');

/** Values that the classes of @strapi-community/plugin-rest-cache fill in. A user may have written the same ones. */
const FILLED_IN: Readonly<Record<string, unknown>> = {
  'strategy.contentTypes[].maxAge': true,
  'strategy.contentTypes[].hitpass': false,
  'strategy.contentTypes[].routes[].maxAge': 3_600_000,
  'strategy.contentTypes[].routes[].hitpass': false,
};

const isProviderOption = ({ pattern }: WrittenOption, names: readonly string[]): boolean =>
  names.some((name) => pattern === `provider.options.${name}`);

const OF_LRU_CACHE = ['ttl', 'updateAgeOnGet', 'updateAgeOnHas', 'allowStale', 'maxAge', 'sizeCalculation'];

/** Rows that are not about exactly the options and values that they name, by the beginning of their text. */
export const SPECIAL: Readonly<Record<string, IsAbout>> = {
  'its classes ': ({ pattern, value, madeBy }) => madeBy.startsWith('Cache') && value === FILLED_IN[pattern],
  '`hitpass: (ctx) ': (option) => isHitpass(option) && isFunction(option.value) && !letsCredentialsIn(option.value),
  'a `hitpass` function ': (option) =>
    isHitpass(option) && (option.value === false || (isFunction(option.value) && letsCredentialsIn(option.value))),
  'routes of other methods ': ({ pattern, value }) => pattern.endsWith('.routes[].method') && value !== 'GET',
  'a route takes ': ({ pattern }) => /^strategy\.contentTypes\[\]\.(maxAge|hitpass)$/.test(pattern),
  '`plugin::upload.file` ': ({ pattern, value }) =>
    /^strategy\.contentTypes\[\](\.contentType)?$/.test(pattern) && String(value).startsWith('plugin::'),
  '`provider.name` of any other ': ({ pattern, value }) =>
    pattern === 'provider.name' && !/^(memory|redis)$|^[./]/i.test(String(value)),
  'options of `lru-cache` ': (option, isForRedis) => !isForRedis && isProviderOption(option, OF_LRU_CACHE),
  'options of `@keyv/redis` ': (option, isForRedis) =>
    isProviderOption(
      option,
      WITHOUT_EFFECT.filter((name) => isForRedis || (!MEMORY_LIMITS.includes(name) && name !== 'ttl')),
    ),
};

/** An option in a row's text, on any level, with or without a value: `ttl`, `provider.max`, `hitpass: true`. */
const NAMED = /`([\w.]+)(?:: ([^`]+))?`/g;

const isNamedIn =
  (there: string): IsAbout =>
  ({ pattern, value }) =>
    [...there.matchAll(NAMED)].some(
      ([, name = '', written]) =>
        `.${pattern}`.endsWith(`.${name}`) &&
        // The case of provider names does not matter.
        (written === undefined || written.toLowerCase() === inspect(value).toLowerCase()),
    );

const subjectOf = ({ there }: Move): IsAbout =>
  Object.entries(SPECIAL).find(([beginning]) => there.startsWith(beginning))?.[1] ?? isNamedIn(there);

/** Options whose value is not looked into, even if it is an object or a list (a connection, for example). */
const DEEPEST = /^(provider\.options\.[^.]+|provider\.instance|redis\w+)$/;

/** Whether the object may hold options. Others are not looked into: a connection holds thousands of objects. */
const holdsOptions = (value: object): boolean => Array.isArray(value) || /^(?:Object|Cache\w*)?$/.test(madeOf(value));

/** The name of an object's class. */
const madeOf = (value: object): string => {
  const { constructor } = value as { readonly constructor?: unknown };
  return typeof constructor === 'function' ? constructor.name : '';
};

/**
 * Every option that is set below `value`, in the order of writing. Objects that only hold options are not listed.
 *
 * @param around the objects that `value` is in: a configuration may refer to itself.
 */
const writtenOptions = (
  value: unknown,
  { path = '', pattern = '', madeBy = '' } = {},
  around: readonly object[] = [],
): WrittenOption[] => {
  const own = path === '' ? [] : [{ path, pattern, value, madeBy }];
  if (typeof value !== 'object' || value === null || around.includes(value) || !holdsOptions(value)) return own;
  if (DEEPEST.test(pattern)) return own;
  const within = [...around, value];
  if (Array.isArray(value) && value.some((element) => typeof element === 'object' || pattern.endsWith('Types')))
    return value.flatMap((element, index) =>
      writtenOptions(element, { path: `${path}[${index}]`, pattern: `${pattern}[]` }, within),
    );
  if (Array.isArray(value)) return own;
  const dot = path === '' ? '' : '.';
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .flatMap(([option, each]) =>
      writtenOptions(
        each,
        { path: `${path}${dot}${option}`, pattern: `${pattern}${dot}${option}`, madeBy: madeOf(value) },
        within,
      ),
    );
};

/** Reports what becomes of each option that the configuration sets. */
export const reportOptions = (
  config: unknown,
  { options: moves, others: ofOthers = 'same' }: Pick<Origin, 'options' | 'others'>,
): OptionReport[] => {
  const written = writtenOptions(config);
  const isForRedis = written.some(
    ({ pattern, value }) => pattern === 'provider.name' && /^redis$/i.test(String(value)),
  );
  const all = moves.map((move) => ({
    move,
    options: written.filter((option) => subjectOf(move)(option, isForRedis)),
  }));
  const changed = all.filter(({ move }) => move.outcome !== 'same').flatMap(({ options }) => options);
  // An option that differs in one row is not called the same in another.
  const reported = all
    .map(({ move, options }) => ({
      move,
      options: move.outcome === 'same' ? options.filter((option) => !changed.includes(option)) : options,
    }))
    .filter(({ options }) => options.length > 0);
  const others = written.filter((option) => !reported.some(({ options }) => options.includes(option)));
  const inShort = ({ path, pattern }: WrittenOption): string =>
    changed.some((option) => option.pattern === pattern) ? path : pattern;
  const rest: OptionReport = { options: [...new Set(others.map(inShort))], outcome: ofOthers };
  return [
    ...(rest.options.length === 0 ? [] : [rest]),
    ...reported.map(({ move, options }) => ({ options: options.map(({ path }) => path), ...move })),
  ];
};
