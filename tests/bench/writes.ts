import type { Child } from './child';
import { PATHS, warm } from './subjects';
import { takeTurns, type Turns } from './turns';

type Side = 'without' | 'with';

/** The cost of one kind of write without the plugin and with it. */
export interface WriteCost {
  /** Microseconds of CPU for one write. */
  readonly turns: Turns<Side>;
  /** Statements sent to the driver for one write. */
  readonly statements: Readonly<Record<Side, number>>;
}

/** The number of turns until V8 has optimised both ways. After a dozen publishes it still compiles. */
const WARM_UP = 20;

/** The costs of writes while answers that show the written data are stored. */
export const measureWrites = async (server: Child, rounds: number): Promise<ReadonlyMap<string, WriteCost>> => {
  const costs = new Map<string, WriteCost>();
  for (const [kind, isLong] of (await server.ask('write kinds')) as ReadonlyArray<readonly [string, boolean]>) {
    const statements = { without: NaN, with: NaN };
    const turnOf = (side: Side) => async (): Promise<number> => {
      for (const path of PATHS) await warm(server, path);
      if (side === 'without') await server.ask('plugin off');
      try {
        const cost = (await server.ask('write', kind)) as { readonly cpu: number; readonly statements: number };
        statements[side] = cost.statements;
        return cost.cpu;
      } finally {
        if (side === 'without') await server.ask('plugin on');
      }
    };
    const effort = isLong ? { rounds: 2, warmUp: 1 } : { rounds, warmUp: WARM_UP };
    const turns = await takeTurns({ without: turnOf('without'), with: turnOf('with') }, effort);
    costs.set(kind, { turns, statements });
  }
  return costs;
};
