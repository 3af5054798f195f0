import { Redis, type ClusterNode, type ClusterOptions, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import { isPlainObject } from '../../cache/plain-object';
import { ConfigurationError } from '../../config/configuration-error';
import { likelyName } from '../../config/nearest-name';
import { WITHOUT_EFFECT, type LocalCacheOptions } from '../../config/provider-options';
import { isCount, isText, value } from '../../config/values';
import { isClient, type Target } from './client';

/** Connections that `@strapi-community/plugin-redis` has opened: `strapi.redis.connections`. */
export type NamedConnections = Readonly<Record<string, { readonly client?: unknown } | undefined>>;

export interface ResolvedRedisOptions {
  readonly target: Target;
  readonly keyPrefix: string;
  readonly localCache: LocalCacheOptions | undefined;
}

/** An option is wrong. The message names the option and never shows its value, which may hold a credential. */
const wrong = (path: string, problem: string): ConfigurationError =>
  new ConfigurationError([`provider.options${path === '' ? '' : `.${path}`}: ${problem}`]);

const isWholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (written: unknown): boolean =>
    Number.isInteger(Number(written)) && Number(written) >= least && Number(written) <= most;

/** Strings are refused: any string, even `'false'`, would be taken for `true`. */
const isTls = (written: unknown): boolean => typeof written === 'boolean' || isPlainObject(written) || written === null;

const isUrl = (written: string): boolean =>
  written.startsWith('/') || (URL.canParse(written) && /^rediss?:$/.test(new URL(written).protocol));

/** `undefined` counts as left out: configuration is often filled from environment variables. */
const option = <T>(problem: string, test: (written: unknown) => boolean) => value<T>(problem, test).optional();

const anything = z.unknown().optional();

const NO_URL = 'not a URL of the form redis://user:password@host:6379/0, rediss://… (TLS) or the path of a socket';

/** Options of ioredis without a default. ioredis does not list these among its own options. */
const WITHOUT_DEFAULT: ReadonlyArray<keyof RedisOptions> = [
  ...(['path', 'tls', 'socketTimeout', 'commandTimeout', 'blockingTimeout', 'preferredSlaves', 'Connector'] as const),
  ...(['sentinelUsername', 'sentinelPassword', 'sentinelTLS', 'sentinelCommandTimeout'] as const),
  'showFriendlyErrorStack',
];

/** These would change what the provider's keys, commands and replies mean. */
const NOT_FOR_USERS: ReadonlySet<string> = new Set(['keyPrefix', 'readOnly', 'stringNumbers']);

/** Options of ioredis: accepted in `connection`, and directly in `provider.options`, as in other plugins. */
const IOREDIS_NAMES: readonly string[] = [
  ...Object.keys(new Redis({ lazyConnect: true }).options).filter((name) => !NOT_FOR_USERS.has(name)),
  ...WITHOUT_DEFAULT,
];

const ioredis = z.strictObject({
  ...Object.fromEntries(IOREDIS_NAMES.map((name) => [name, anything])),
  host: option<string>('not a string', isText),
  port: option<number>('not a port number', isWholeNumber(1, 65_535)),
  tls: option<object>('neither true, false nor an object', isTls),
  sentinelTLS: option<object>('neither true, false nor an object', isTls),
  db: option<number>('not a database number', isWholeNumber(0)),
  role: option<'master'>(
    'a replica cannot be used: it may lag behind, and it accepts no writes',
    (written) => written !== 'slave',
  ),
});

/** The prefix of every key. */
const prefix = z
  .string({ error: 'not a string' })
  .regex(/^[^{}]*$/, { error: 'may not hold braces: the hash tag of the keys is set by the provider' })
  .default('');

const connection = ioredis
  .extend({ keyPrefix: prefix })
  .superRefine(({ sentinels, name }: Record<string, unknown>, issues) => {
    if (sentinels === undefined || isText(name)) return;
    const message = 'the name of the master group is needed with sentinels';
    issues.addIssue({ code: 'custom', path: ['name'], message, input: name });
  });

const node = value<ClusterNode>(
  'not { host, port }, a URL or a port',
  (written) => typeof written === 'number' || isPlainObject(written) || (isText(written) && isUrl(written)),
);

const noNodes = { error: 'not a list of at least one node: { host, port } or a URL' };

const cluster = z.strictObject({
  nodes: z.array(node, noNodes).min(1, noNodes),
  options: option<ClusterOptions>('not an object', isPlainObject),
});

const count = value<number>('not a whole number above 0', isCount);

const localCache = z.strictObject({
  maxSize: count.default(1000),
  maxBytes: count.default(64 * 1024 * 1024),
});

const options = z.strictObject({
  ...ioredis.shape,
  connection: anything,
  client: anything,
  cluster: anything,
  keyPrefix: prefix,
  localCache: anything,
  ...Object.fromEntries(WITHOUT_EFFECT.map((name) => [name, anything])),
});

/**
 * Reads the object at `path`.
 *
 * @param otherwise the problem to report if `written` is not an object.
 * @throws ConfigurationError with the first problem.
 */
const read = <T extends z.core.$ZodLooseShape>(
  path: string,
  schema: z.ZodObject<T, z.core.$strict>,
  written: unknown,
  otherwise = '',
): z.output<z.ZodObject<T, z.core.$strict>> => {
  if (!isPlainObject(written)) throw wrong(path, otherwise);
  const given = Object.entries(written).filter(([, each]) => each !== undefined);
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const meant = likelyName(name, Object.keys(schema.shape));
    throw wrong(path, `there is no option "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
  }
  const steps = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  throw wrong(`${path}${steps.join('')}`.replace(/^\./, ''), issue?.message ?? '');
};

/** Whether this is neither a URL, nor the path of a socket, nor empty. `host:port` is no name, but a mistaken URL. */
const looksLikeName = (connection: string): boolean => /^[^/:]+$/.test(connection);

/** The name that the plugin `redis` gives to a connection without a name. */
const DEFAULT_CONNECTION = 'default';

const SAYS_WHERE = ['connection', 'client', 'cluster', ...IOREDIS_NAMES];

/**
 * Replaces the name of a connection in `connection` or `client` by the connection itself, which the plugin `redis` has
 * opened. If no option says where Redis is, the plugin's connection `default` is used.
 *
 * @param connections the connections that the plugin `redis` has opened; `undefined` without the plugin.
 * @throws ConfigurationError if there is no open connection of this name.
 */
export const withNamedConnection = (
  options: Readonly<Record<string, unknown>>,
  connections: NamedConnections | undefined,
): Readonly<Record<string, unknown>> => {
  if (connections !== undefined && SAYS_WHERE.every((name) => options[name] === undefined))
    return withNamedConnection({ ...options, connection: DEFAULT_CONNECTION }, connections);
  const isName = (written: unknown): boolean =>
    isText(written) && (Object.hasOwn(connections ?? {}, written) || looksLikeName(written));
  const option = (['connection', 'client'] as const).find((name) => isName(options[name]));
  if (option === undefined) return options;
  const client = connections?.[String(options[option])]?.client;
  if (isClient(client)) return { ...options, [option]: client };
  const names = Object.keys(connections ?? {});
  throw wrong(
    option,
    connections === undefined
      ? 'looks like the name of a connection, but the plugin "redis" (@strapi-community/plugin-redis) is not installed; write a URL'
      : `the plugin "redis" has no open connection of this name (it has: ${names.join(', ') || 'none'})`,
  );
};

const resolveConnection = (path: string, written: unknown): Target => {
  if (isClient(written)) return { kind: 'client', client: written };
  if (isPlainObject(written)) {
    const { keyPrefix: _, ...own } = read(path, connection, written);
    return { kind: 'single', url: undefined, options: own };
  }
  if (!isText(written)) throw wrong(path, 'neither a URL, nor ioredis options, nor an ioredis connection');
  if (!isUrl(written)) throw wrong(path, NO_URL);
  return { kind: 'single', url: written, options: {} };
};

const resolveCluster = (written: unknown): Target => {
  const { nodes, options: clusterOptions = {} } = read('cluster', cluster, written, 'not an object { nodes, options }');
  return { kind: 'cluster', nodes, options: clusterOptions };
};

const resolveTarget = (written: Readonly<Record<string, unknown>>): Target => {
  const [first, second] = (['connection', 'client', 'cluster'] as const).filter((name) => written[name] !== undefined);
  const direct = IOREDIS_NAMES.filter((name) => written[name] !== undefined);
  if (first === undefined)
    return resolveConnection('', Object.fromEntries(direct.map((name) => [name, written[name]])));
  const other = second ?? direct[0];
  if (other !== undefined) throw wrong('', `"${first}" and "${other}" both say where Redis is; keep one of them`);
  return first === 'cluster' ? resolveCluster(written.cluster) : resolveConnection(first, written[first]);
};

/** `keyPrefix` among the options of ioredis. The provider adds the prefix itself: stored values hold other keys. */
const prefixOfConnection = ({ connection: written, client }: Readonly<Record<string, unknown>>): string => {
  const own = [written, client].find(isPlainObject)?.keyPrefix;
  return typeof own === 'string' ? own : '';
};

const resolveLocalCache = (written: unknown = {}): LocalCacheOptions | undefined =>
  written === false
    ? undefined
    : read('localCache', localCache, written, 'neither false nor an object { maxSize, maxBytes }');

/**
 * Checks `provider.options` and adds the defaults.
 *
 * @throws ConfigurationError that names the first option which is wrong.
 */
export const resolveRedisOptions = (written: Readonly<Record<string, unknown>>): ResolvedRedisOptions => {
  const { keyPrefix } = read('', options, written);
  return {
    target: resolveTarget(written),
    keyPrefix: keyPrefix === '' ? prefixOfConnection(written) : keyPrefix,
    localCache: resolveLocalCache(written.localCache),
  };
};
