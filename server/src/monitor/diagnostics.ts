import { channel, subscribe, unsubscribe, type ChannelListener } from 'node:diagnostics_channel';
import type { CacheKey } from '../cache/key';
import type { Tag } from '../cache/tag';
import type { Health } from '../cache/provider';

/** A request on a cached route was answered. */
export interface LookupMessage {
  readonly outcome: 'hit' | 'miss' | 'hitpass';
  readonly contentType: string;
  /** The route's path pattern. */
  readonly route: string;
  /**
   * `undefined` for requests that bypassed the cache, and for misses of HEAD requests and of callers who are no longer
   * granted what the handler asked for.
   */
  readonly key: CacheKey | undefined;
  /** For a hit: whether the request waited for a computation that another request had begun. */
  readonly collapsed: boolean;
  /** Why the request bypassed the cache, or why the response was not stored. */
  readonly detail: string | undefined;
}

/** A response was stored. */
export interface StoreMessage {
  readonly key: CacheKey;
  readonly contentType: string;
  readonly route: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds the response took to compute. */
  readonly cost: number;
  /** Milliseconds. */
  readonly maxAge: number;
}

/** Tags were stamped, by a write of this process or by a purge by hand. */
export interface InvalidateMessage {
  readonly cause: 'write' | 'purge';
  readonly tags: readonly Tag[];
}

/** Entries were evicted to make room. */
export interface EvictMessage {
  readonly keys: readonly CacheKey[];
}

/** An audit has found a hit that differs from two equal computations. */
export interface AuditMessage {
  readonly key: CacheKey;
  readonly route: string;
  readonly tags: readonly Tag[];
}

/** A diagnostics channel with a type for its messages. Check `hasSubscribers` before making a message. */
export interface TypedChannel<Message extends object> {
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

/** What happens in the cache, on Node's `diagnostics_channel`. Without subscribers, an event costs one comparison. */
export const lookupChannel: TypedChannel<LookupMessage> = channel('rest-cache:lookup');
export const storeChannel: TypedChannel<StoreMessage> = channel('rest-cache:store');
export const invalidateChannel: TypedChannel<InvalidateMessage> = channel('rest-cache:invalidate');
export const evictChannel: TypedChannel<EvictMessage> = channel('rest-cache:evict');
export const providerStateChannel: TypedChannel<Health> = channel('rest-cache:provider-state');

export const auditChannel: TypedChannel<AuditMessage> = channel('rest-cache:audit');

/** Maximum number of tags shown in one line; a write may stamp hundreds. */
const TAGS_SHOWN = 8;

const LINES: Readonly<Record<string, (message: never) => string>> = {
  'rest-cache:lookup': ({ outcome, route, key, detail }: LookupMessage) =>
    `${outcome} ${key ?? route}${detail === undefined ? '' : ` (${detail})`}`,
  'rest-cache:store': ({ key, size, cost, maxAge }: StoreMessage) =>
    `stored ${key}: ${size} bytes, computed in ${cost} ms, kept for ${maxAge} ms`,
  'rest-cache:invalidate': ({ cause, tags }: InvalidateMessage) =>
    `${cause} invalidates ${tags.slice(0, TAGS_SHOWN).join(' ')}${tags.length > TAGS_SHOWN ? ` and ${tags.length - TAGS_SHOWN} more` : ''}`,
  'rest-cache:evict': ({ keys }: EvictMessage) => `evicted to make room: ${keys.join(' ')}`,
};

/**
 * `strategy.debug`: writes a line for everything that happens in the cache.
 *
 * @returns a function that stops it.
 */
export const logEverything = (log: (line: string) => void): (() => void) => {
  const listeners = Object.entries(LINES).map(([channel, line]): readonly [string, ChannelListener] => [
    channel,
    (message) => log(`[rest-cache] ${line(message as never)}`),
  ]);
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener);
  };
};

/** The name of the debug lines of @strapi-community/plugin-rest-cache. */
const DEBUG_NAME = 'strapi:plugin-rest-cache';

/** Whether the environment's `DEBUG`, a list of names that may end in `*`, asks for these lines. */
export const isDebugged = (list = ''): boolean =>
  list
    .split(/[\s,]+/)
    .some((name) => name === DEBUG_NAME || (name.endsWith('*') && DEBUG_NAME.startsWith(name.slice(0, -1))));
