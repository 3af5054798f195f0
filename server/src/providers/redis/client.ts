import { Cluster, Redis, type ClusterNode, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { Timing } from './timing';

/** The part of an ioredis connection, single or cluster, that the provider uses: ioredis has dozens of overloads for each. */
export interface RedisClient {
  readonly status: string;
  readonly isCluster: boolean;
  defineCommand(name: string, definition: { lua: string; numberOfKeys: number }): void;
  hmgetBuffer(key: string, ...fields: string[]): Promise<Array<Buffer | null>>;
  hgetall(key: string): Promise<Record<string, string>>;
  lrange(key: string, first: number, last: number): Promise<string[]>;
  zrem(key: string, member: string): Promise<unknown>;
  zcard(key: string): Promise<number>;
  zscore(key: string, member: string): Promise<string | null>;
  zscan(key: string, cursor: string, countToken: 'COUNT', count: number): Promise<[cursor: string, elements: string[]]>;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  on(event: string, listener: (...parameters: unknown[]) => void): unknown;
  off(event: string, listener: (...parameters: unknown[]) => void): unknown;
}

const METHODS = ['defineCommand', 'hmgetBuffer', 'zscan', 'connect', 'disconnect'] as const;

/** Recognised by what it can do: an application may have another copy of ioredis than we have. */
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

/** A connection, and whether it is ours to close. */
export interface Opened {
  readonly client: RedisClient;
  readonly owned: boolean;
}

/** Soon and often: how quickly the cache comes back depends on it. Milliseconds. */
const reconnectDelay = (attempt: number): number => Math.min(50 * attempt, 200);

/**
 * What our own connections are given unless the user says otherwise. Commands are never queued or repeated: the breaker
 * answers at once while Redis is away, and a late repetition would be a surprise.
 */
const connectionDefaults = (timing: Timing): RedisOptions => ({
  connectTimeout: timing.probeLimit,
  connectionName: 'rest-cache',
  retryStrategy: reconnectDelay,
  maxLoadingRetryTime: timing.probe,
  sentinelRetryStrategy: reconnectDelay,
  // A process that boots reads no answer for a second or two: a Sentinel that is well must not be taken for a dead one.
  sentinelCommandTimeout: 6 * timing.probeLimit,
});

const CONNECTION_RULES: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
};

/** Opens nothing yet: connecting is the link's business. */
export const openClient = (target: Target, timing: Timing): Opened => {
  const defaults = connectionDefaults(timing);
  switch (target.kind) {
    case 'client':
      return { client: target.client, owned: false };
    case 'single': {
      const options = { ...defaults, ...target.options, ...CONNECTION_RULES };
      const redis = target.url === undefined ? new Redis(options) : new Redis(target.url, options);
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
      return { client: cluster, owned: true };
    }
  }
};
