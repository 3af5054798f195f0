import { ok } from 'node:assert/strict';
import type { Clock } from '../server/src/cache/clock';
import type { Entry } from '../server/src/cache/entry';
import type { CacheKey } from '../server/src/cache/key';
import { milliseconds } from '../server/src/cache/milliseconds';
import type { Sequence } from '../server/src/cache/sequence';
import { EVERYTHING, tag, type Tag } from '../server/src/cache/tag';
import type { Provider } from '../server/src/cache/provider';

export const key = (name: string): CacheKey => `/api/${name}?&&` as CacheKey;

export interface Sample {
  readonly key?: CacheKey;
  readonly body?: string | Buffer;
  /** Without {@link EVERYTHING}, which every entry carries. */
  readonly tags?: readonly string[];
  readonly maxAge?: number;
  readonly createdAt?: number;
}

/** An entry as the engine makes it, computed after `sequence` was noted. */
export const sampleEntry = (sequence: Sequence, clock: Clock, sample: Sample = {}): Entry => ({
  key: sample.key ?? key('articles'),
  response: {
    status: 200,
    headers: [['content-type', 'application/json; charset=utf-8']],
    body: Buffer.from(sample.body ?? '{"data":[]}'),
    etag: '"abc"',
  },
  labels: { contentType: 'api::article.article', route: '/api/articles', params: {}, identity: '' },
  tags: [EVERYTHING, ...(sample.tags ?? ['articles']).map(tag)],
  sequence,
  createdAt: milliseconds(sample.createdAt ?? clock.now()),
  maxAge: milliseconds(sample.maxAge ?? 60_000),
  cost: milliseconds(12),
});

/** The current sequence number, as a miss returns it. */
export const noted = async (provider: Provider): Promise<Sequence> => {
  const { sequence } = await provider.lookup(key('never stored'));
  ok(sequence !== undefined);
  return sequence;
};

/** Does what a request does on a miss: notes the sequence number, computes, stores. Resolves to whether it was kept. */
export const fill = async (provider: Provider, clock: Clock, sample: Sample = {}): Promise<boolean> =>
  provider.store(sampleEntry(await noted(provider), clock, sample));

/** Stores an entry without tags of its own. Resolves to whether it is served under this guard. */
export const isServedUnder = async (
  provider: Provider,
  clock: Clock,
  tags: readonly Tag[],
  since: Sequence,
): Promise<boolean> => {
  await fill(provider, clock, { key: key('guarded'), tags: [] });
  return (await provider.lookup(key('guarded'), { tags, since })).entry !== undefined;
};

/** The body under a key, `undefined` for a miss. */
export const bodyOf = async (provider: Provider, name: CacheKey = key('articles')): Promise<string | undefined> =>
  (await provider.lookup(name)).entry?.response.body.toString();
