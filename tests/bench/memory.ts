import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../server/src/cache/clock';
import type { Entry } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { EVERYTHING, tag, type Tag } from '../../server/src/cache/tag';
import { RememberedHits, type Snapshot } from '../../server/src/lanes/remembered-hits';
import { MemoryProvider } from '../../server/src/providers/memory';

/** Needs `--expose-gc`, so that garbage is collected before memory is measured. */
const residentBytes = async (): Promise<number> => {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await turn();
  }
  return process.memoryUsage.rss();
};

/** As many tags as a 25-article list with its authors has. The strings are new each time, as in the observer. */
const listTags = (index: number): Tag[] => [
  EVERYTHING,
  tag(`type:api::article.article`),
  tag(`articles`),
  tag(`articles|published|en:membership`),
  ...Array.from({ length: 25 }, (_, row) => tag(`articles#${(index * 25 + row) % 5000}`)),
  ...Array.from({ length: 25 }, (_, row) => tag(`articles_author_lnk@article_id=${(index * 25 + row) % 5000}`)),
  ...Array.from({ length: 20 }, (_, row) => tag(`authors#${row}`)),
];

const entryOf = (key: string, body: Buffer, tags: readonly Tag[], provider: MemoryProvider): Entry => ({
  key: key as CacheKey,
  response: {
    status: 200,
    headers: [['Content-Type', 'application/json; charset=utf-8']],
    body,
    etag: `"${key.length}-${key}"`,
  },
  labels: { contentType: 'api::article.article', route: '/api/articles', params: {}, identity: '' },
  tags,
  sequence: provider.knownSequence(),
  createdAt: systemClock.now(),
  maxAge: milliseconds(3_600_000),
  cost: milliseconds(5),
});

const BODY = 83 * 1024;

export interface MemoryMeasure {
  readonly entries: number;
  /** The bytes of all bodies; for a flood, the budget. */
  readonly expected: number;
  /** The bytes by which resident memory grew. */
  readonly grown: number;
  readonly heapGrown: number;
  /** For a flood: how many of the hot entries were still stored at its end. */
  readonly hot?: readonly [kept: number, of: number];
}

/** 30,000 entries of 83 KB. */
export const measureEntries = async (scale: number): Promise<MemoryMeasure> => {
  const entries = Math.round(30_000 * scale);
  const provider = new MemoryProvider({ clock: systemClock, maxBytes: 16 * 2 ** 30 });
  const before = await residentBytes();
  const heapBefore = process.memoryUsage().heapUsed;
  for (let index = 0; index < entries; index += 1) {
    provider.store(
      entryOf(
        `/api/articles?pagination%5Bpage%5D=${index}&&`,
        Buffer.from(new Uint8Array(BODY).fill(index).buffer),
        listTags(index),
        provider,
      ),
    );
    if (index % 500 === 0) await turn();
  }
  const grown = (await residentBytes()) - before;
  const heapGrown = process.memoryUsage().heapUsed - heapBefore;
  if (provider.usage().entries !== entries)
    throw new Error(`only ${provider.usage().entries} of ${entries} entries are held`);
  return { entries, expected: entries * BODY, grown, heapGrown };
};

/**
 * Measures what 100,000 entries take in addition to their bodies, including the stamps of 1,500 writes with 161 tags
 * each, which is the most that is stored.
 */
export const measureTags = async (scale: number): Promise<MemoryMeasure> => {
  const entries = Math.round(100_000 * scale);
  const provider = new MemoryProvider({ clock: systemClock, maxSize: entries, maxBytes: 16 * 2 ** 30 });
  const body = Buffer.alloc(1);
  await residentBytes();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < entries; index += 1) {
    provider.store(entryOf(`/api/articles?pagination%5Bpage%5D=${index}&&`, body, listTags(index), provider));
    if (index % 500 === 0) await turn();
  }
  const grown = await residentBytes().then(() => process.memoryUsage().heapUsed - before);
  for (let write = 0; write < 1500; write += 1)
    provider.invalidate(Array.from({ length: 161 }, (_, row) => tag(`rows#${write * 161 + row}`)));
  await residentBytes();
  if (provider.usage().entries !== entries) throw new Error(`only ${provider.usage().entries} of ${entries} are held`);
  return { entries, expected: 0, grown, heapGrown: process.memoryUsage().heapUsed - before };
};

const BUDGET = 2 ** 30;
const HOT = 100;

/** A million distinct URLs are requested twice each, while a hundred others are requested repeatedly. */
export const measureFlood = async (scale: number): Promise<MemoryMeasure> => {
  const urls = Math.round(1_000_000 * scale);
  const provider = new MemoryProvider({ clock: systemClock, maxBytes: BUDGET });
  const lane = new RememberedHits(provider, systemClock, milliseconds(500));
  const permission = Array.from({ length: 30 }, (_, index) => tag(`up_permissions#${index}`));
  const route = { path: '/api/articles', contentType: 'api::article.article' } as never;
  const ask = (name: string): void => {
    const key = `/api/articles?flood=${name}&&` as CacheKey;
    const fingerprint = `GET /api/articles?flood=${name}`;
    if (lane.find(fingerprint) !== undefined) return;
    const found = provider.lookup(key);
    if (found.entry === undefined) {
      provider.store(
        entryOf(
          key,
          Buffer.from(new Uint8Array(40_000).buffer),
          [EVERYTHING, tag('articles'), tag(`articles#${name}`)],
          provider,
        ),
      );
      return;
    }
    const { entry } = found;
    lane.remember(
      fingerprint,
      { entry, route, expiresAt: Number.POSITIVE_INFINITY },
      { guard: () => ({ since: entry.sequence, tags: [...permission] }) },
      {} as Snapshot,
    );
  };
  const hot = Array.from({ length: HOT }, (_, index) => `hot${index}`);
  for (const name of hot) ask(name);
  const before = await residentBytes();
  const heapBefore = process.memoryUsage().heapUsed;
  for (let index = 0; index < urls; index += 1) {
    ask(`cold${index}`);
    ask(`cold${index}`);
    if (index % 100 === 0) for (const name of hot) ask(name);
    if (index % 500 === 0) await turn();
  }
  const kept = hot.filter((name) => lane.find(`GET /api/articles?flood=${name}`) !== undefined).length;
  return {
    entries: urls,
    expected: BUDGET,
    grown: (await residentBytes()) - before,
    heapGrown: process.memoryUsage().heapUsed - heapBefore,
    hot: [kept, HOT],
  };
};
