import type { Server } from './child';
import { HOMEPAGE, LIST, PATHS, signIn, warm } from './subjects';
import { compete, type Contestant, type Score } from './rounds';

/** Scores by body (list, homepage), then by contestant. */
export type Scores = ReadonlyMap<string, ReadonlyMap<string, Score>>;

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly folder: string;
}

export interface HitServers {
  readonly koa: Server;
  readonly front: Server;
  readonly [name: string]: Server;
}

const LABELS: Readonly<Record<string, string>> = { [LIST]: '25-article list', [HOMEPAGE]: 'homepage' };

export const labelOf = (path: string): string => LABELS[path] ?? path;

/** Hits of every server on both bodies; on the front lane also by a signed-in caller, and as 304. */
export const measureHits = async (servers: HitServers, effort: Effort): Promise<Scores> => {
  const { koa, front } = servers;
  const caller = await signIn(front);
  const scores = new Map<string, ReadonlyMap<string, Score>>();
  for (const path of PATHS) {
    for (const server of Object.values(servers)) await warm(server, path);
    await warm(front, path, caller);
    const { etag } = (await warm(front, path)).headers;
    const holding = { 'if-none-match': String(etag) };
    const contestants: Contestant[] = [
      ...Object.entries(servers).map(([name, server]) => ({ name, server, load: { path } })),
      { name: 'authenticated', server: front, load: { path, headers: caller } },
      { name: 'koa 304', server: koa, load: { path, headers: holding } },
      { name: 'front 304', server: front, load: { path, headers: holding } },
    ];
    scores.set(path, await compete(contestants, effort));
  }
  return scores;
};

/**
 * How many requests `name` answers where `base` answers one, with the same CPU time, each in its least disturbed round:
 * other work on the machine only ever adds to the time. Where there is none, this is the ratio of requests per second.
 */
export const ratio = (scores: ReadonlyMap<string, Score>, name: string, base: string): number =>
  (scores.get(base)?.cpu ?? NaN) / (scores.get(name)?.cpu ?? NaN);

/** The smaller of both bodies' ratios. */
export const worstRatio = (scores: Scores, name: string, base: string): number =>
  Math.min(...[...scores.values()].filter((own) => own.has(name)).map((own) => ratio(own, name, base)));
