import type { Server } from './child';
import { load, type Load, type LoadResult } from './load';

/** One thing to measure against others. */
export interface Contestant {
  readonly name: string;
  readonly server: Server;
  readonly load: Omit<Load, 'seconds' | 'url'> & { readonly path: string };
}

export interface Score {
  readonly name: string;
  /** Requests per second as the load generator counted them; median of the rounds. */
  readonly perSecond: number;
  /** Microseconds of the server's CPU per request; of the least disturbed round. */
  readonly cpu: number;
  /** Of all rounds. */
  readonly rounds: ReadonlyArray<{ readonly perSecond: number; readonly cpu: number }>;
  readonly queries: number;
  readonly errors: number;
  readonly latency: LoadResult['latency'];
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
};

/** Runs the contestants in turn, round after round (A B A B …), so that what disturbs one disturbs all. */
export const compete = async (
  contestants: readonly Contestant[],
  { rounds, seconds, folder }: { readonly rounds: number; readonly seconds: number; readonly folder: string },
): Promise<Map<string, Score>> => {
  const turns = new Map<string, Array<{ perSecond: number; cpu: number; queries: number; result: LoadResult }>>();
  for (let round = 0; round < rounds; round += 1) {
    // Every other round in reverse, so that nobody always follows the same one.
    for (const {
      name,
      server,
      load: { path, ...rest },
    } of round % 2 === 0 ? contestants : [...contestants].reverse()) {
      const before = await server.ask('usage');
      const result = await load({ ...rest, url: server.url(path), seconds }, folder);
      const after = await server.ask('usage');
      const turn = {
        perSecond: result.perSecond,
        cpu: (after.cpu - before.cpu) / Math.max(1, result.requests),
        queries: after.queries - before.queries,
        result,
      };
      turns.set(name, [...(turns.get(name) ?? []), turn]);
    }
  }
  return new Map(
    [...turns].map(([name, own]) => [
      name,
      {
        name,
        perSecond: median(own.map(({ perSecond }) => perSecond)),
        cpu: Math.min(...own.map(({ cpu }) => cpu)),
        rounds: own.map(({ perSecond, cpu }) => ({ perSecond, cpu })),
        queries: own.reduce((sum, { queries }) => sum + queries, 0),
        errors: own.reduce((sum, { result }) => sum + result.errors, 0),
        latency: {
          p50: median(own.map(({ result }) => result.latency.p50)),
          p99: median(own.map(({ result }) => result.latency.p99)),
        },
      },
    ]),
  );
};
