import type { Child } from './child';
import type { Load, Requests } from './load';
import { takeTurns, type Turns } from './turns';

/** One thing to measure beside others: who is asked, and for what. */
export interface Contestant extends Requests {
  readonly server: Child;
  /** Whether the plugin is taken out for this turn, and put back after it. */
  readonly isWithoutPlugin?: boolean;
}

/** Microseconds of CPU of one turn; as many requests as that takes. */
const TURN = 40_000;

/** Microseconds of CPU until V8 has optimised what it is going to: before, everything costs half as much again. */
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
    // As often each of the paths.
    const count = Math.max(least, Math.round(TURN / each / requests.paths.length) * requests.paths.length);
    turns[name] = () => cost(count);
  }
  return takeTurns(turns, { rounds });
};
