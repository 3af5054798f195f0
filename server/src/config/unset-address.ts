import { said, type Sentence } from '../cache/sentence';
import { ConfigurationError } from './configuration-error';

type Options = Readonly<Record<string, unknown>>;

/** The options that say where Redis is, in `provider.options` and in what `connection` and `client` hold. */
const ADDRESSES = ['connection', 'client', 'cluster', 'host', 'path', 'sentinels'] as const;

/** A URL without a host. */
const HAS_NO_HOST = /^rediss?:\/\/(?:[/?#]|$)/i;

const isUnset = (written: unknown): boolean =>
  written === undefined || written === '' || (typeof written === 'string' && HAS_NO_HOST.test(written));

const isPlainObject = (written: unknown): written is Options =>
  typeof written === 'object' && written !== null && Object.getPrototypeOf(written) === Object.prototype;

/** The path of the first address below `path` that is not set, and the value that is there. */
const find = (options: unknown, path: string): readonly [path: string, value: unknown] | undefined => {
  if (!isPlainObject(options)) return undefined;
  const written = ADDRESSES.filter((name) => Object.hasOwn(options, name));
  const [first, ...others] = written;
  if (first !== undefined && [first, ...others].every((name) => isUnset(options[name])))
    return [`${path}${first}`, options[first]];
  const inLists = written.flatMap((name) => {
    const [list, where] =
      name === 'cluster' && isPlainObject(options.cluster)
        ? [options.cluster.nodes, 'cluster.nodes']
        : [options[name], name];
    return Array.isArray(list) ? list.map((node: unknown, index) => find(node, `${path}${where}[${index}].`)) : [];
  });
  return [...inLists, ...written.map((name) => find(options[name], `${path}${name}.`))].find(
    (found) => found !== undefined,
  );
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
  const [path, value] = find(options, '') ?? [];
  return path === undefined
    ? undefined
    : said('unset-address')`provider.options.${path} is ${wording(value)}. Is the environment variable
        that it is read from set?`;
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
