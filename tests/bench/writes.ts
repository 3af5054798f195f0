import { leastDisturbed } from './misses';
import { markdown } from './report';
import { startStrapi, type StrapiSettings } from './strapi-process';
import { PATHS, warm } from './subjects';

interface Cost {
  /** Microseconds of CPU for one write. */
  readonly cpu: number;
  /** Statements that the driver is given for one write. */
  readonly statements: number;
}

/** What one kind of write costs a process without the plugin, and with it. */
export interface WriteCost {
  readonly without: Cost;
  readonly with: Cost;
}

/** Turns until V8 has optimised both ways. */
const WARM_UP_TURNS = 6;

/** The statements of each kind on PostgreSQL, where each is a round trip. */
export const countOnPostgres = async (settings: StrapiSettings): Promise<ReadonlyMap<string, WriteCost>> => {
  const { postgresDatabase } = await import('../histories/postgres-database');
  const database = await postgresDatabase();
  try {
    return await measureWrites({ ...settings, databaseConnection: database.environment }, 1, 1);
  } finally {
    await database.drop();
  }
};

/** What writes cost one process with the plugin, and without it, while answers that show what is written are kept. */
export const measureWrites = async (
  settings: StrapiSettings,
  turns: number,
  warmUp = WARM_UP_TURNS,
): Promise<ReadonlyMap<string, WriteCost>> => {
  const server = await startStrapi('written to', { ...settings, switchable: true });
  const costs = new Map<string, WriteCost>();
  try {
    for (const kind of (await server.ask('write kinds')) as string[]) {
      const cpu: Array<ReadonlyMap<string, number>> = [];
      const statements = new Map<string, number>();
      for (let turn = -warmUp; turn < turns; turn += 1) {
        const own = new Map<string, number>();
        for (const state of turn % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
          await server.ask('plugin on');
          for (const path of PATHS) await warm(server, path);
          await server.ask(`plugin ${state}`);
          const cost = (await server.ask('write', kind)) as Cost;
          own.set(state, cost.cpu);
          statements.set(state, cost.statements);
        }
        if (turn >= 0) cpu.push(own);
      }
      const mean = leastDisturbed(cpu, ['off', 'on']);
      const costIn = (state: string): Cost => ({
        cpu: mean.get(state) ?? NaN,
        statements: statements.get(state) ?? NaN,
      });
      costs.set(kind, { without: costIn('off'), with: costIn('on') });
    }
  } finally {
    await server.stop();
  }
  return costs;
};

export const writeTable = (costs: ReadonlyMap<string, WriteCost>): string =>
  markdown(
    ['one write', 'CPU µs without', 'with', 'with to without', 'statements without', 'with', 'with to without'],
    [...costs].map(([kind, { without, with: plugin }]) => [
      kind,
      without.cpu.toFixed(0),
      plugin.cpu.toFixed(0),
      (plugin.cpu / without.cpu).toFixed(2),
      without.statements.toFixed(0),
      plugin.statements.toFixed(0),
      (plugin.statements / without.statements).toFixed(2),
    ]),
  );
