import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { ProviderSettings } from '../../../server/src/cache/provider';
import { tag, type Tag } from '../../../server/src/cache/tag';
import { RedisProvider } from '../../../server/src/providers/redis/redis-provider';
import { timingFor } from '../../../server/src/providers/redis/timing';
import { anEntry } from '../monitor/route';

type Reply = ReadonlyArray<string | number>;

interface Sent {
  readonly name: string;
  readonly reply: (reply: Reply) => void;
}

const WAITING = ['restCacheAnnounce', 'restCacheInvalidate', 'restCacheDrop', 'restCacheClear', 'restCacheBeat'];

/** A connection whose commands wait in `sent` for their replies. */
const connection = (sent: Sent[]): object => ({
  status: 'ready',
  ...Object.fromEntries(
    ['on', 'off', 'defineCommand', 'hmgetBuffer', 'connect', 'disconnect'].map((name) => [name, vi.fn()]),
  ),
  zrem: () => Promise.resolve(1),
  restCacheJoin: () => Promise.resolve(['epoch', 1, 0, 0, 0]),
  ...Object.fromEntries(
    WAITING.map((name) => [name, () => new Promise<Reply>((reply) => sent.push({ name, reply }))] as const),
  ),
});

const written = tag('written');

const WRITES: Readonly<Record<string, (provider: RedisProvider) => unknown>> = {
  restCacheAnnounce: (provider) => provider.announce([written]),
  restCacheInvalidate: (provider) => provider.invalidate([written]),
  restCacheDrop: (provider) => provider.delete(anEntry().key),
  restCacheClear: (provider) => provider.clear(),
};

it.each(Object.keys(WRITES))(
  'tells nobody of %s as of another process, though two replies come at once',
  async (name) => {
    const sent: Sent[] = [];
    const told: Array<readonly Tag[] | undefined> = [];
    const limit = milliseconds(5000);
    const settings = {
      ...{ keysPrefix: '', fingerprint: 'f1', database: 'd1', getTimeout: limit },
      events: { invalidated: (tags) => told.push(tags) },
    } as Partial<ProviderSettings> as ProviderSettings;
    const timing = { ...timingFor(limit), beat: milliseconds(30), settle: milliseconds(0) };
    const provider = new RedisProvider({ client: connection(sent) }, settings, systemClock, timing);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    sent.pop()?.reply(['epoch', 1, 0, 0, 1]);
    const done = WRITES[name]?.(provider);
    told.length = 0;
    await vi.waitFor(() => expect(sent.map((each) => each.name)).toEqual([name, 'restCacheBeat']));
    sent[0]?.reply(['epoch', 1, 1, 1]);
    sent[1]?.reply(['epoch', 1, 1, 0, 1, written, 1]);
    await done;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
    await provider.close();
  },
);
