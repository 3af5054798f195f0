import type { ClusterNode, ClusterOptions, RedisOptions } from 'ioredis';
import { likelyName } from '../../config/nearest-name';
import { isClient, type RedisClient, type Target } from './client';
import type { Compression } from './codec';

/** `strict`: one shared question per hit, never behind. `bounded`: no question, at most a second behind. */
export interface LocalCacheOptions {
  /** Entries. Default 1000. */
  readonly maxSize: number;
  /** Bytes. Default 64 MiB. */
  readonly maxBytes: number;
  readonly mode: 'strict' | 'bounded';
}

/** Connections that `@strapi-community/plugin-redis` has opened: `strapi.redis.connections`. */
export type NamedConnections = Readonly<Record<string, { readonly client?: unknown } | undefined>>;

/** What a user may write under `provider.options`. */
export interface RedisProviderOptions {
  /** A URL, ioredis options (Sentinel's included), a connection that is already open, or the name of a plugin's. */
  readonly connection?: string | RedisOptions | RedisClient;
  /** The same under the name other plugins use. */
  readonly client?: string | RedisOptions | RedisClient;
  readonly cluster?: { readonly nodes: ReadonlyArray<ClusterNode>; readonly options?: ClusterOptions };
  /** In front of every key, for ACL patterns. */
  readonly keyPrefix?: string;
  readonly compression?: Compression;
  /** Default: a strict one, because most of a hit's time is the body's way from Redis. */
  readonly localCache?: false | Partial<LocalCacheOptions>;
}

export interface ResolvedRedisOptions {
  readonly target: Target;
  readonly keyPrefix: string;
  readonly compression: Compression;
  readonly localCache: LocalCacheOptions | undefined;
}

/** Names what is wrong and never shows a value: any of them may hold a credential. */
export class RedisOptionsError extends Error {
  constructor(path: string, problem: string) {
    super(`provider.options${path === '' ? '' : `.${path}`}: ${problem}`);
    this.name = 'RedisOptionsError';
  }
}

const OWN_NAMES = ['connection', 'client', 'cluster', 'keyPrefix', 'compression', 'localCache'] as const;

/** Of the incumbent, without effect here: Redis has its own limit of memory, and `strategy.maxAge` says how long. */
const IGNORED_NAMES = ['max', 'ttl'] as const;

/** Options of ioredis that make sense here; accepted in `connection`, and directly as other plugins have it. */
const IOREDIS_NAMES: readonly string[] = [
  ...['host', 'port', 'family', 'path', 'username', 'password', 'db', 'tls', 'connectionName', 'keepAlive', 'noDelay'],
  ...['connectTimeout', 'disconnectTimeout', 'socketTimeout', 'commandTimeout', 'retryStrategy', 'reconnectOnError'],
  ...['sentinels', 'name', 'role', 'sentinelUsername', 'sentinelPassword', 'sentinelRetryStrategy', 'sentinelTLS'],
  ...['sentinelReconnectStrategy', 'sentinelCommandTimeout', 'enableTLSForSentinelMode', 'sentinelMaxConnections'],
  ...['preferredSlaves', 'updateSentinels', 'failoverDetector', 'natMap', 'Connector', 'disableClientInfo'],
  ...[
    'clientInfoTag',
    'enableReadyCheck',
    'maxLoadingRetryTime',
    'enableAutoPipelining',
    'autoPipeliningIgnoredCommands',
  ],
  ...['enableOfflineQueue', 'maxRetriesPerRequest', 'autoResubscribe', 'autoResendUnfulfilledCommands', 'lazyConnect'],
  ...['showFriendlyErrorStack', 'blockingTimeout', 'blockingTimeoutGrace'],
];

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isClient(value);

/** `undefined` counts as left out: configuration is often filled from environment variables. */
const given = (options: Record<string, unknown>): string[] =>
  Object.keys(options).filter((name) => options[name] !== undefined);

const checkNames = (path: string, options: Record<string, unknown>, names: readonly string[]): void => {
  for (const name of given(options)) {
    if (names.includes(name)) continue;
    const meant = likelyName(name, names);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    throw new RedisOptionsError(path, `there is no option "${name}"${hint}`);
  }
};

const checkUrl = (path: string, url: string): string => {
  if (url.startsWith('/')) return url;
  let protocol: string | undefined;
  try {
    protocol = new URL(url).protocol;
  } catch {
    // The sentence below says all there is to say, without the value.
  }
  if (protocol === 'redis:' || protocol === 'rediss:') return url;
  throw new RedisOptionsError(
    path,
    'not a URL of the form redis://user:password@host:6379/0, rediss://… (TLS) or the path of a socket',
  );
};

const checkIoredisOptions = (path: string, options: Record<string, unknown>): RedisOptions => {
  if ('keyPrefix' in options) {
    throw new RedisOptionsError(path, 'keyPrefix belongs one level up, in provider.options.keyPrefix');
  }
  checkNames(path, options, IOREDIS_NAMES);
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const { host, port, db, sentinels, name, role } = options;
  if (host !== undefined && typeof host !== 'string') throw new RedisOptionsError(at('host'), 'not a string');
  if (port !== undefined && !(Number(port) > 0 && Number(port) < 65536)) {
    throw new RedisOptionsError(at('port'), 'not a port number');
  }
  if (db !== undefined && !(Number.isInteger(Number(db)) && Number(db) >= 0)) {
    throw new RedisOptionsError(at('db'), 'not a database number');
  }
  if (sentinels !== undefined && typeof name !== 'string') {
    throw new RedisOptionsError(at('name'), 'the name of the master group is needed with sentinels');
  }
  if (role === 'slave') {
    throw new RedisOptionsError(
      at('role'),
      'a replica cannot be used: it may be behind, and cannot be told of a write',
    );
  }
  return options;
};

/** Neither a URL nor the path of a socket. A host and a port are not one either, but would be a mistaken URL. */
const isName = (connection: string): boolean => !/[/:]/.test(connection);

/**
 * Puts the connection that another plugin has opened in the place of its name.
 *
 * @param connections what the plugin has opened; `undefined` without it.
 * @throws RedisOptionsError where there is none of this name.
 */
export const withNamedConnection = (
  options: Readonly<Record<string, unknown>>,
  connections: NamedConnections | undefined,
): Readonly<Record<string, unknown>> => {
  const option = (['connection', 'client'] as const).find((name) => {
    const value = options[name];
    return typeof value === 'string' && isName(value);
  });
  if (option === undefined) return options;
  const client = connections?.[String(options[option])]?.client;
  if (isClient(client)) return { ...options, [option]: client };
  const names = Object.keys(connections ?? {});
  throw new RedisOptionsError(
    option,
    connections === undefined
      ? 'the name of a connection, but the plugin "redis" (@strapi-community/plugin-redis) is not there to have it; write a URL'
      : `the plugin "redis" has no open connection of this name (it has: ${names.join(', ') || 'none'})`,
  );
};

const resolveConnection = (path: string, connection: unknown): Target => {
  if (typeof connection === 'string') return { kind: 'single', url: checkUrl(path, connection), options: {} };
  if (isClient(connection)) return { kind: 'client', client: connection };
  if (isPlainObject(connection))
    return { kind: 'single', url: undefined, options: checkIoredisOptions(path, connection) };
  throw new RedisOptionsError(path, 'neither a URL, nor ioredis options, nor an ioredis connection');
};

const resolveCluster = (cluster: unknown): Target => {
  if (!isPlainObject(cluster)) throw new RedisOptionsError('cluster', 'not an object { nodes, options }');
  checkNames('cluster', cluster, ['nodes', 'options']);
  const { nodes, options } = cluster;
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw new RedisOptionsError('cluster.nodes', 'not a list of at least one node: { host, port } or a URL');
  }
  nodes.forEach((node: unknown, index) => {
    if (typeof node === 'string') checkUrl(`cluster.nodes[${index}]`, node);
    else if (typeof node !== 'number' && !isPlainObject(node)) {
      throw new RedisOptionsError(`cluster.nodes[${index}]`, 'not { host, port }, a URL or a port');
    }
  });
  if (options !== undefined && !isPlainObject(options)) throw new RedisOptionsError('cluster.options', 'not an object');
  return { kind: 'cluster', nodes: nodes as ClusterNode[], options: options ?? {} };
};

const resolveTarget = (options: Record<string, unknown>): Target => {
  const named = (['connection', 'client', 'cluster'] as const).filter((name) => options[name] !== undefined);
  const direct = given(options).filter((name) => IOREDIS_NAMES.includes(name));
  const [first] = named;
  if (first === undefined) {
    return resolveConnection('', Object.fromEntries(direct.map((name) => [name, options[name]])));
  }
  const second = named[1] ?? direct[0];
  if (second !== undefined) {
    throw new RedisOptionsError('', `"${first}" and "${second}" both say where Redis is; keep one of them`);
  }
  return first === 'cluster' ? resolveCluster(options.cluster) : resolveConnection(first, options[first]);
};

const resolveLocalCache = (localCache: unknown = {}): LocalCacheOptions | undefined => {
  if (localCache === false) return undefined;
  if (!isPlainObject(localCache)) {
    throw new RedisOptionsError('localCache', 'neither false nor an object { maxSize, maxBytes, mode }');
  }
  checkNames('localCache', localCache, ['maxSize', 'maxBytes', 'mode']);
  const { maxSize = 1000, maxBytes = 64 * 1024 * 1024, mode = 'strict' } = localCache;
  if (mode !== 'strict' && mode !== 'bounded') {
    throw new RedisOptionsError('localCache.mode', 'neither "strict" nor "bounded"');
  }
  const positive = (name: string, value: unknown): number => {
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
    throw new RedisOptionsError(`localCache.${name}`, 'not a whole number above 0');
  };
  return { maxSize: positive('maxSize', maxSize), maxBytes: positive('maxBytes', maxBytes), mode };
};

export const resolveRedisOptions = (options: Readonly<Record<string, unknown>>): ResolvedRedisOptions => {
  checkNames('', options, [...OWN_NAMES, ...IGNORED_NAMES, ...IOREDIS_NAMES]);
  const { keyPrefix = '', compression = 'none', localCache } = options;
  if (typeof keyPrefix !== 'string') throw new RedisOptionsError('keyPrefix', 'not a string');
  if (/[{}]/.test(keyPrefix)) {
    throw new RedisOptionsError('keyPrefix', 'may not hold braces: the hash tag of the keys is set by the provider');
  }
  if (compression !== 'none' && compression !== 'gzip' && compression !== 'br') {
    throw new RedisOptionsError('compression', 'neither "none", "gzip" nor "br"');
  }
  return { target: resolveTarget(options), keyPrefix, compression, localCache: resolveLocalCache(localCache) };
};
