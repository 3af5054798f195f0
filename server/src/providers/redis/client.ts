import { Cluster, Redis, type ClusterNode, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { Timing } from './timing';

/**
 * The part of an ioredis connection, single or cluster, that the provider uses, without the dozens of overloads that
 * ioredis has for each method.
 */
export interface RedisClient {
  readonly status: string;
  defineCommand(name: string, definition: { lua: string; numberOfKeys: number }): void;
  hmgetBuffer(key: string, ...fields: string[]): Promise<Array<Buffer | null>>;
  hgetall(key: string): Promise<Record<string, string>>;
  lrange(key: string, first: number, last: number): Promise<string[]>;
  zrem(key: string, member: string): Promise<unknown>;
  zcard(key: string): Promise<number>;
  zscore(key: string, member: string): Promise<string | null>;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  on(event: string, listener: (...parameters: unknown[]) => void): unknown;
  off(event: string, listener: (...parameters: unknown[]) => void): unknown;
}

const METHODS = ['defineCommand', 'hmgetBuffer', 'connect', 'disconnect'] as const;

/** Recognises a connection by its methods: the application may have another copy of ioredis than the plugin. */
export const isClient = (value: unknown): value is RedisClient => {
  if (typeof value !== 'object' || value === null) return false;
  const candidate = value as Record<string, unknown>;
  return typeof candidate.status === 'string' && METHODS.every((method) => typeof candidate[method] === 'function');
};

/** Where Redis is, in one of three forms. */
export type Target =
  | { readonly kind: 'client'; readonly client: RedisClient }
  | { readonly kind: 'single'; readonly url: string | undefined; readonly options: RedisOptions }
  | { readonly kind: 'cluster'; readonly nodes: readonly ClusterNode[]; readonly options: ClusterOptions };

/** A connection, and whether the provider owns it and has to close it. */
export interface Opened {
  readonly client: RedisClient;
  readonly owned: boolean;
}

/** Milliseconds before the next attempt to connect. Short, because the cache comes back no sooner than that. */
const reconnectDelay = (attempt: number): number => Math.min(50 * attempt, 200);

/** Options of connections that the provider opens, unless the user sets them otherwise. */
const connectionDefaults = (timing: Timing): RedisOptions => ({
  connectTimeout: timing.probeLimit,
  // A peer that has vanished does not answer the end of a connection either; ioredis would wait two seconds for that.
  disconnectTimeout: timing.probe,
  connectionName: 'rest-cache',
  retryStrategy: reconnectDelay,
  maxLoadingRetryTime: timing.probe,
  sentinelRetryStrategy: reconnectDelay,
  // A booting process reads no reply for a second or two. A healthy Sentinel must not count as dead because of that.
  sentinelCommandTimeout: 6 * timing.probeLimit,
});

/**
 * Options that the user cannot change. Commands are never queued or repeated: the breaker answers at once while Redis
 * is away, and a late repetition would be a surprise.
 */
const CONNECTION_RULES: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
};

/**
 * ioredis listens for one error of each connection. One that is given up while its certificate is being refused may have
 * two, of which the second would end the process (ioredis 5.11).
 */
const surviveSecondErrors = (redis: Redis): void => {
  // The connection is made in the same turn of the event loop, and fails in a later one.
  redis.on('connecting', () => setImmediate(() => (redis.stream as Redis['stream'] | undefined)?.on('error', nothing)));
};

const nothing = (): void => undefined;

/** Does not connect yet: the link does that. */
export const openClient = (target: Target, timing: Timing): Opened => {
  const defaults = connectionDefaults(timing);
  switch (target.kind) {
    case 'client':
      return { client: target.client, owned: false };
    case 'single': {
      const options = { ...defaults, ...target.options, ...CONNECTION_RULES };
      const redis = target.url === undefined ? new Redis(options) : new Redis(target.url, options);
      surviveSecondErrors(redis);
      return { client: redis, owned: true };
    }
    case 'cluster': {
      const { retryStrategy: _unused, ...nodeDefaults } = defaults;
      const cluster = new Cluster([...target.nodes], {
        clusterRetryStrategy: reconnectDelay,
        slotsRefreshTimeout: timing.probeLimit,
        ...target.options,
        redisOptions: { ...nodeDefaults, ...target.options.redisOptions, maxRetriesPerRequest: 0 },
        scaleReads: 'master',
        lazyConnect: true,
        enableOfflineQueue: false,
      });
      cluster.on('+node', surviveSecondErrors);
      return { client: cluster, owned: true };
    }
  }
};
