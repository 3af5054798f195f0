import type { Server } from './child';
import { labelOf } from './hits';
import { NewKeyLoad } from './new-keys';
import { markdown } from './report';
import { median } from './rounds';
import { startStrapi, type StrapiSettings } from './strapi-process';
import { PATHS } from './subjects';

export interface MissEffort {
  /** How often everybody is started anew: two processes of the same program differ by some percent all their lives. */
  readonly trials: number;
  /** How often everybody has a turn in each trial, and with how many requests: few, so that what disturbs one disturbs all. */
  readonly turns: number;
  readonly requests: number;
}

/** What one contestant's misses cost. */
export interface MissCost {
  /** Microseconds of CPU per request, by path; median of the trials. */
  readonly cpu: ReadonlyMap<string, number>;
  /** How many requests on all paths it answers where the base answers one, with the same CPU time; median of the trials. */
  readonly ratio: number;
  /** Of each trial. */
  readonly ratios: readonly number[];
}

/** Requests until V8 has optimised what it is going to: before, everything costs half as much again. */
const WARM_UP = 1200;

/** The share of the turns that is left out on either side, as the most disturbed. */
const TRIMMED = 0.2;

/**
 * Every request a key that no request had before: what it costs to look for, capture and store a response that nobody
 * asks for again.
 *
 * @param contestants the first is the base.
 */
export const measureMisses = async (
  contestants: Readonly<Record<string, StrapiSettings>>,
  { trials, turns, requests }: MissEffort,
): Promise<ReadonlyMap<string, MissCost>> => {
  const names = Object.keys(contestants);
  const found = new Map(names.map((name) => [name, [] as Array<ReadonlyMap<string, number>>]));
  const load = await NewKeyLoad.start();
  try {
    for (let trial = 0; trial < trials; trial += 1) {
      const servers = await Promise.all(
        Object.entries(contestants).map(async ([name, settings]) => [name, await startStrapi(name, settings)] as const),
      );
      for (const path of PATHS) {
        const cpu = await takeTurns(trial % 2 === 0 ? servers : [...servers].reverse(), path, turns, requests, load);
        for (const [name, own] of found) {
          const earlier = own[trial] ?? new Map<string, number>();
          own[trial] = new Map([...earlier, [path, cpu.get(name) ?? NaN]]);
        }
      }
      await Promise.all(servers.map(([, server]) => server.stop()));
    }
  } finally {
    load.stop();
  }
  const total = (cpu: ReadonlyMap<string, number> | undefined): number =>
    [...(cpu?.values() ?? [])].reduce((sum, value) => sum + value, 0);
  const base = found.get(names[0] ?? '');
  return new Map(
    [...found].map(([name, own]) => {
      const ratios = own.map((cpu, trial) => total(base?.[trial]) / total(cpu));
      const cpu = new Map(PATHS.map((path) => [path, median(own.map((costs) => costs.get(path) ?? NaN))]));
      return [name, { cpu, ratio: median(ratios), ratios }];
    }),
  );
};

/** Microseconds of CPU per request of each server, over the least disturbed turns. */
const takeTurns = async (
  servers: ReadonlyArray<readonly [name: string, server: Server]>,
  path: string,
  turns: number,
  requests: number,
  load: NewKeyLoad,
): Promise<ReadonlyMap<string, number>> => {
  for (const [, server] of servers) await load.ask(server.url(path), WARM_UP);
  const costs: Array<ReadonlyMap<string, number>> = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const cost = new Map<string, number>();
    for (const [name, server] of turn % 2 === 0 ? servers : [...servers].reverse()) {
      cost.set(name, await load.cost(server, path, requests));
    }
    costs.push(cost);
  }
  return leastDisturbed(
    costs,
    servers.map(([name]) => name),
  );
};

/** What everybody's turns cost on average, without those in which some were disturbed more than others. */
export const leastDisturbed = (
  costs: ReadonlyArray<ReadonlyMap<string, number>>,
  names: readonly string[],
): ReadonlyMap<string, number> => {
  const spread = (cost: ReadonlyMap<string, number>): number => {
    const [first = NaN, ...rest] = [...cost.values()];
    return rest.reduce((sum, value) => sum + value, 0) / rest.length / first;
  };
  const cut = Math.floor(costs.length * TRIMMED);
  const kept = [...costs].sort((a, b) => spread(a) - spread(b)).slice(cut, costs.length - cut);
  return new Map(
    names.map((name) => [name, kept.reduce((sum, cost) => sum + (cost.get(name) ?? NaN), 0) / kept.length]),
  );
};

/** CPU per request on each body, and the ratio over both. */
export const missTable = (
  costs: ReadonlyMap<string, MissCost>,
  names: Readonly<Record<string, string>>,
  base: string,
): string =>
  markdown(
    ['what', ...PATHS.map((path) => `${labelOf(path)}: CPU µs`), `to ${base}, both bodies`, 'of single trials'],
    [...costs].map(([name, { cpu, ratio, ratios }]) => [
      names[name] ?? name,
      ...PATHS.map((path) => (cpu.get(path) ?? NaN).toFixed(0)),
      ratio.toFixed(3),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    ]),
  );
