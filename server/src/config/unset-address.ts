import { said, type Sentence } from '../cache/sentence';
import { ConfigurationError, formatOptionPath, type OptionPath } from './configuration-error';

type Options = Readonly<Record<string, unknown>>;

/** The options that say where Redis is, in `provider.options` and in what these options hold themselves. */
const ADDRESSES = ['connection', 'client', 'cluster', 'nodes', 'host', 'path', 'sentinels'] as const;

/** A URL without a host. */
const HAS_NO_HOST = /^rediss?:\/\/(?:[/?#]|$)/i;

const isUnset = (written: unknown): boolean =>
  written === undefined || written === '' || (typeof written === 'string' && HAS_NO_HOST.test(written));

/** The options of a plain object that say where Redis is, or the elements of a list. */
const addressesIn = (written: unknown): readonly PropertyKey[] => {
  if (Array.isArray(written)) return [...written.keys()];
  const isPlain = Object.getPrototypeOf(Object(written)) === Object.prototype;
  return isPlain ? ADDRESSES.filter((name) => Object.hasOwn(Object(written) as Options, name)) : [];
};

/** The path of the first address at or below `path` that is not set. Where one of several is set, it is the address. */
const find = (written: unknown, path: OptionPath): OptionPath | undefined => {
  const names = addressesIn(written);
  const valueOf = (name: PropertyKey): unknown => Reflect.get(written as Options, name);
  const [first] = names;
  if (first !== undefined && names.every((name) => isUnset(valueOf(name)))) return [...path, first];
  return names.map((name) => find(valueOf(name), [...path, name])).find((found) => found !== undefined);
};

const wording = (unset: unknown): Sentence | string =>
  unset === undefined
    ? 'undefined'
    : unset === ''
      ? said('empty-text')`an empty string`
      : said('no-host')`a URL without a host`;

/**
 * Says which address of Redis is not set, probably because an environment variable is not; `undefined` if all are. The
 * default address would be used instead.
 */
export const unsetAddress = (options: Options): Sentence | undefined => {
  const path = find(options, []);
  if (path === undefined) return undefined;
  const value = path.reduce<unknown>((holder, step) => Reflect.get(holder as Options, step), options);
  return said('unset-address')`${formatOptionPath(['provider', 'options', ...path])} is ${wording(value)}. Is the
    environment variable that it is read from set?`;
};

/**
 * In production, whatever listens at the default address must not be taken for the Redis of this application.
 *
 * @throws ConfigurationError
 */
export const refuseUnsetAddress = (options: Options, environment: string): void => {
  const unset = environment === 'production' ? unsetAddress(options) : undefined;
  if (unset !== undefined)
    throw new ConfigurationError([
      `${unset.text} With NODE_ENV=production no address is assumed; write the address of Redis.`,
    ]);
};
