import type { Child } from './child';
import type { Load, Requests } from './load';
import { takeTurns, type Turns } from './turns';

/** One of the things that are compared: which server is measured, with which requests. */
export interface Contestant extends Requests {
  readonly server: Child;
  /** Whether the plugin is switched off for this turn, and on again after it. */
  readonly isWithoutPlugin?: boolean;
}

/** Microseconds of CPU that one turn takes. The number of requests is chosen accordingly. */
const TURN = 40_000;

/** Microseconds of CPU until V8 has optimised the code. Before that, everything costs half as much again. */
const WARM_UP = 800_000;

/** Microseconds of CPU per request of each contestant, turn by turn. */
export const compete = async (
  contestants: Readonly<Record<string, Contestant>>,
  load: Load,
  rounds: number,
): Promise<Turns> => {
  const turns: Record<string, () => Promise<number>> = {};
  for (const [name, { server, isWithoutPlugin = false, ...requests }] of Object.entries(contestants)) {
    const cost = async (count: number): Promise<number> => {
      if (isWithoutPlugin) await server.ask('plugin off');
      try {
        return await load.cost(server, requests, count);
      } finally {
        if (isWithoutPlugin) await server.ask('plugin on');
      }
    };
    const least = Math.max(8, requests.paths.length);
    let each = NaN;
    for (let spent = 0, count = least; spent < WARM_UP; spent += each * count, count = Math.min(2 * count, 4096))
      each = await cost(count);
    // Every path is requested equally often.
    const count = Math.max(least, Math.round(TURN / each / requests.paths.length) * requests.paths.length);
    turns[name] = () => cost(count);
  }
  return takeTurns(turns, { rounds });
};
