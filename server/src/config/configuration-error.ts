import { inspect } from 'node:util';
import type { z } from 'zod';
import { likelyName, nearestName } from './nearest-name';

/** The configuration cannot be used. The message lists everything that is wrong with it. */
export class ConfigurationError extends Error {
  /** One sentence for each problem. It begins with the option's path, or with the route that the problem is about. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`The configuration of "rest-cache" in config/plugins has ${count}:`, ...problems].join('\n  - '));
    this.name = 'ConfigurationError';
    this.problems = problems;
    // Strapi logs an error's message and then its stack, which repeats the message and shows nothing of the user's.
    this.stack = '';
  }
}

/** The path of an option: `['strategy', 'contentTypes', 2, 'maxAge']`. */
export type OptionPath = readonly PropertyKey[];

/** An option's path as a user would write it: `strategy.contentTypes[2].maxAge`. */
export const formatOptionPath = (path: OptionPath): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/** What a message is about: the option at a path, or the whole configuration. */
export const subjectAt = (path: OptionPath): string =>
  path.length === 0 ? 'The configuration' : formatOptionPath(path);

/**
 * Whether the value at a path may hold a credential: everything of `provider` but `getTimeout`, the edge and its
 * `targets` but their names, and everything of `metrics`.
 */
const isSecret = ([section, option, part, , detail]: OptionPath): boolean =>
  section === 'metrics' ||
  (section === 'provider' && option !== 'getTimeout') ||
  (option === 'edge' && (part === undefined || (part === 'targets' && detail !== 'name')));

const LONGEST = 80;

/** A value as text for a message: `0`, `"1h"`, `NaN`, `[ 'a', 'b' ]`. Long texts are cut off. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 0, breakLength: Infinity, maxArrayLength: 5, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** The kind of a value, for messages about values that may be credentials. */
const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
};

/**
 * The options of each kind of object, by the option that holds the object; `''` stands for the whole configuration. Where
 * an option holds objects of several kinds, each kind follows under the holder around it (`graphql.keys`), or with the
 * object's `name` (`targets.varnish`).
 */
export type OptionsByHolder = Readonly<Record<string, readonly string[]>>;

const didYouMean = (name: string | undefined): string => (name === undefined ? '.' : `; did you mean "${name}"?`);

/**
 * Replacements for option names from other caches or from the first versions of the community plugin: an option, and
 * what else to write.
 */
const SUCCESSORS: Readonly<Record<string, readonly [option: string, rest: string]>> = {
  headers: ['keys', '.useHeaders'],
  ttl: ['maxAge', ', in milliseconds'],
};

/** For `enabled`, which is Strapi's own switch and not part of the configuration that Strapi passes to the plugin. */
const ENABLED =
  'it switches the whole plugin on and stands beside "config" in config/plugins. One content type is left out by not naming it';

/** The objects in which `enabled` is taken for that switch. */
const LEVELS: readonly string[] = ['', 'provider', 'strategy', 'contentTypes', 'routes'];

const unknownOption = ({ path, input }: z.core.$ZodIssue, option: string, options: OptionsByHolder): string => {
  const here = formatOptionPath([...path, option]);
  const [holder = '', around = ''] = path.filter((step) => typeof step === 'string').reverse();
  const { name } = Object(input) as { readonly name?: unknown };
  const kinds = [`${around}.${holder}`, ...(typeof name === 'string' ? [`${holder}.${name}`] : []), holder];
  const accepted = kinds.map((kind) => options[kind]).find((names) => names !== undefined) ?? [];
  const [successor, rest] = (Object.hasOwn(SUCCESSORS, option) ? SUCCESSORS[option] : undefined) ?? [];
  if (successor !== undefined && path[0] !== 'strategy')
    return `${here} is not an option; write strategy.${successor}${rest}.`;
  if (successor !== undefined && accepted.includes(successor))
    return `${here} is not an option; write ${successor}${rest}.`;
  if (option === 'enabled')
    return `${here} is not an option; ${LEVELS.includes(holder) ? ENABLED : `leave out ${formatOptionPath(path)} to switch it off`}.`;
  const likely = likelyName(option, accepted);
  if (likely !== undefined) return `${here} is not an option; did you mean "${likely}"?`;
  const elsewhere = Object.keys(options)
    .filter((kind) => options[kind]?.includes(option))
    .map((kind) => kind.replace(/\..*/, ''))
    .find((other) => other !== holder);
  if (elsewhere !== undefined) {
    return `${here} is not an option; "${option}" belongs ${elsewhere === '' ? 'at the top' : `under "${elsewhere}"`}.`;
  }
  const all = `accepted are ${accepted.join(', ')}`;
  if (holder === 'provider')
    return `${here} is not an option; ${all}. The provider's own options belong under "options".`;
  const nearest = nearestName(option, accepted);
  return `${here} is not an option; ${all} (the nearest is "${nearest}").`;
};

/** The nearest of the texts that would be accepted. Where other values are as well, one that is near, if any. */
const nearestValue = (issue: z.core.$ZodIssue): string | undefined => {
  if (typeof issue.input !== 'string') return undefined;
  // Names of kinds: zod does not list them in all versions, but the message does.
  const names = issue.code === 'invalid_union' ? [...issue.message.matchAll(/"(.*?)"/g)].map(([, name]) => name) : [];
  const values = issue.code === 'invalid_value' ? issue.values : names;
  const texts = values.filter((each) => typeof each === 'string');
  return (texts.length === values.length ? nearestName : likelyName)(issue.input, texts);
};

const wrongValue = (issue: z.core.$ZodIssue): string => {
  const here = subjectAt(issue.path);
  if (issue.input === undefined) return `${here} is missing; expected ${issue.message}.`;
  const given = isSecret(issue.path) ? describeKind(issue.input) : describeValue(issue.input);
  return `${here} is ${given}; expected ${issue.message}${didYouMean(nearestValue(issue))}`;
};

/**
 * One sentence for each problem that the schema found: the option's path, its value (unless secret), what is accepted.
 */
export const describeProblem = (issue: z.core.$ZodIssue, options: OptionsByHolder): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((option) => unknownOption(issue, option, options))
    : [wrongValue(issue)];
