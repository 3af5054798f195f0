import { subscribe, unsubscribe, type ChannelListener } from 'node:diagnostics_channel';
import type { EvictMessage, InvalidateMessage, LookupMessage, StoreMessage } from './diagnostics';

/** Tags of one invalidation shown in a line; a write may stamp hundreds. */
const TAGS_SHOWN = 8;

const LINES: Readonly<Record<string, (message: never) => string>> = {
  'rest-cache:lookup': ({ outcome, route, key, detail }: LookupMessage) =>
    `${outcome} ${key ?? route}${detail === undefined ? '' : ` (${detail})`}`,
  'rest-cache:store': ({ key, size, cost, maxAge }: StoreMessage) =>
    `stored ${key}: ${size} bytes, computed in ${cost} ms, kept for ${maxAge} ms`,
  'rest-cache:invalidate': ({ cause, tags }: InvalidateMessage) =>
    `${cause} invalidates ${tags.slice(0, TAGS_SHOWN).join(' ')}${tags.length > TAGS_SHOWN ? ` and ${tags.length - TAGS_SHOWN} more` : ''}`,
  'rest-cache:evict': ({ keys }: EvictMessage) => `evicted for want of room: ${keys.join(' ')}`,
};

/**
 * `strategy.debug`: writes a line for everything that happens in the cache.
 *
 * @returns stops it.
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
