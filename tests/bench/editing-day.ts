import { setTimeout as sleep } from 'node:timers/promises';
import { rawRequest, type RawResponse } from '../application/raw-request';
import type { Child } from './child';
import { startStrapi, WITHOUT_LOG } from './strapi-process';
import { HOMEPAGE, withStrategy } from './subjects';

/** A day of a public site, in some minutes: visitors ask for its pages at a constant rate while editors publish. */
export interface EditingDay {
  /** For each tenth of the day, the number of visitors' requests, and of those that Strapi had to compute. */
  readonly tenths: ReadonlyArray<{ readonly requests: number; readonly computed: number }>;
  /** Milliseconds until a visitor was answered, in ascending order. */
  readonly latencies: readonly number[];
  /** Milliseconds until a write was acknowledged, in ascending order. */
  readonly writes: readonly number[];
  /** The number of answers that were older than the last write acknowledged before they were asked for. */
  readonly stale: number;
}

export const WRITES = 60;
const REQUESTS_PER_SECOND = 50;

/** Milliseconds from one write to the next. */
const BETWEEN_WRITES = 4000;

export const CACHED = ['article', 'author', 'category', 'homepage', 'tag'].map((name) => `api::${name}.${name}`);

const ARTICLE = 'populate[author]=true&populate[category]=true&populate[tags]=true';
const LISTS: readonly string[] = [
  HOMEPAGE,
  ...[1, 2, 3].map(
    (page) => `/api/articles?sort=publishedOn:desc&pagination[pageSize]=10&pagination[page]=${page}&${ARTICLE}`,
  ),
  `/api/articles?filters[featured][$eq]=true&${ARTICLE}`,
  `/api/articles?sort=views:desc&pagination[pageSize]=5&populate[author]=true`,
  '/api/categories',
  '/api/authors?populate[avatar]=true',
  '/api/tags',
];

/** The site's pages, the ones that visitors ask for most at the beginning. */
export const restPages = async (server: Child): Promise<readonly string[]> => {
  const { body } = await rawRequest(
    server,
    '/api/articles?fields[0]=title&sort=publishedOn:desc&pagination[pageSize]=40',
  );
  const { data } = JSON.parse(body.toString()) as { readonly data: ReadonlyArray<{ readonly documentId: string }> };
  const articles = data.map(
    ({ documentId }) => `/api/articles/${documentId}?${ARTICLE}&populate[cover]=true&populate[blocks][populate]=*`,
  );
  return [...LISTS, ...articles];
};

/** Numbers from 0 to 1, the same in each run (a linear congruential generator; Knuth, TAOCP 2, section 3.3.4). */
const numbers = (): (() => number) => {
  let state = 20_261_128;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
};

/** Chooses by Zipf's law: the page at position n is asked for 1/n as often as the first. */
const byPopularity = (pages: readonly string[], random: () => number): (() => string) => {
  const weights = pages.map((_page, index) => 1 / (index + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return () => {
    let left = random() * sum;
    return pages[weights.findIndex((weight) => (left -= weight) < 0)] ?? HOMEPAGE;
  };
};

/** The numbers of the edits that a response shows, by document: the oldest, if it shows several of one document. */
const editsIn = (value: unknown, found = new Map<string, number>()): ReadonlyMap<string, number> => {
  if (typeof value !== 'object' || value === null) return found;
  const { documentId, title, name } = value as Record<string, unknown>;
  const edited = /^Edit (\d+)$/.exec(String(title ?? name))?.[1];
  if (typeof documentId === 'string' && (title ?? name) !== undefined)
    found.set(documentId, Math.min(Number(edited ?? -1), found.get(documentId) ?? Infinity));
  for (const part of Object.values(value)) editsIn(part, found);
  return found;
};

const isOlder = ({ body }: RawResponse, written: ReadonlyMap<string, number>): boolean =>
  [...editsIn(JSON.parse(body.toString()))].some(([documentId, turn]) => turn < (written.get(documentId) ?? -1));

/** @param strategy in addition to the content types. */
export const measureEditingDay = async (name: string, strategy: object): Promise<EditingDay> => {
  const plugins = withStrategy({ enableXCacheHeaders: true, contentTypes: CACHED, ...strategy });
  const server = await startStrapi(name, { middlewares: WITHOUT_LOG, plugins });
  try {
    const pages = await restPages(server);
    for (const page of pages) {
      const { status } = await rawRequest(server, page);
      if (status !== 200) throw new Error(`${page} answers ${status}`);
      for (let repeated = 0; repeated < 2; repeated += 1) await rawRequest(server, page);
    }
    return await liveThrough(server, pages);
  } finally {
    await server.stop();
  }
};

const liveThrough = async (server: Child, pages: readonly string[]): Promise<EditingDay> => {
  const length = WRITES * BETWEEN_WRITES;
  const tenths = Array.from({ length: 10 }, () => ({ requests: 0, computed: 0 }));
  const latencies: number[] = [];
  const writes: number[] = [];
  /** The latest acknowledged edit of each document. */
  const written = new Map<string, number>();
  let stale = 0;
  const beganAt = performance.now();
  const visit = async (page: string, tenth: { requests: number; computed: number }): Promise<void> => {
    const known = new Map(written);
    const askedAt = performance.now();
    const answer = await rawRequest(server, page);
    latencies.push(performance.now() - askedAt);
    tenth.requests += 1;
    if (answer.headers['x-cache']?.toString().startsWith('HIT') !== true) tenth.computed += 1;
    if (isOlder(answer, known)) stale += 1;
  };
  const visitors = async (): Promise<void> => {
    const random = numbers();
    const choose = byPopularity(pages, random);
    const visits: Array<Promise<void>> = [];
    // Visitors come independently of each other: the times between them are exponentially distributed.
    for (let at = 0; at < length; at += (-Math.log(1 - random()) * 1000) / REQUESTS_PER_SECOND) {
      await sleep(Math.max(0, beganAt + at - performance.now()));
      visits.push(visit(choose(), tenths[Math.floor((10 * at) / length)] ?? { requests: 0, computed: 0 }));
    }
    await Promise.all(visits);
  };
  const editors = async (): Promise<void> => {
    for (let turn = 0; turn < WRITES; turn += 1) {
      await sleep(Math.max(0, beganAt + turn * BETWEEN_WRITES + BETWEEN_WRITES / 2 - performance.now()));
      const { documentId, milliseconds } = (await server.ask('edit', turn)) as {
        readonly documentId: string;
        readonly milliseconds: number;
      };
      written.set(documentId, turn);
      writes.push(milliseconds);
    }
  };
  await Promise.all([visitors(), editors()]);
  const ascending = (values: number[]): readonly number[] => values.sort((one, other) => one - other);
  return { tenths, latencies: ascending(latencies), writes: ascending(writes), stale };
};
