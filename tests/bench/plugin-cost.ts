import { labelOf } from './hits';
import { leastDisturbed } from './misses';
import { NewKeyLoad } from './new-keys';
import { markdown } from './report';
import { startStrapi, type StrapiSettings } from './strapi-process';
import { PATHS } from './subjects';

export interface PluginCost {
  /** Microseconds of CPU per request, by path. */
  readonly with: ReadonlyMap<string, number>;
  readonly without: ReadonlyMap<string, number>;
}

interface Effort {
  /** How often the plugin is taken out and put back on each path, and with how many requests each time. */
  readonly turns: number;
  readonly requests: number;
}

/** Turns until V8 has optimised both ways. */
const WARM_UP_TURNS = 8;

/** What requests that are not answered from the cache cost one process with the plugin, and without it. */
export const measurePluginCost = async (settings: StrapiSettings, { turns, requests }: Effort): Promise<PluginCost> => {
  const server = await startStrapi('switched', { ...settings, switchable: true });
  const load = await NewKeyLoad.start();
  const cost = { with: new Map<string, number>(), without: new Map<string, number>() };
  try {
    for (const path of PATHS) {
      const costs: Array<ReadonlyMap<string, number>> = [];
      for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
        const own = new Map<string, number>();
        for (const state of turn % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
          await server.ask(`plugin ${state}`);
          own.set(state, await load.cost(server, path, requests));
        }
        if (turn >= 0) costs.push(own);
      }
      const mean = leastDisturbed(costs, ['off', 'on']);
      cost.without.set(path, mean.get('off') ?? NaN);
      cost.with.set(path, mean.get('on') ?? NaN);
    }
  } finally {
    load.stop();
    await server.stop();
  }
  return cost;
};

export const pluginCostTable = (costs: Readonly<Record<string, PluginCost>>): string =>
  markdown(
    ['what', ...PATHS.flatMap((path) => [`${labelOf(path)}: without, CPU µs`, 'with']), 'without to with, both bodies'],
    Object.entries(costs).map(([name, cost]) => [
      name,
      ...PATHS.flatMap((path) => [cost.without, cost.with].map((of) => (of.get(path) ?? NaN).toFixed(0))),
      ratioWithout(cost).toFixed(3),
    ]),
  );

/** How many requests the process answers with the plugin where it answers one without, with the same CPU time. */
export const ratioWithout = (cost: PluginCost): number => total(cost.without) / total(cost.with);

const total = (cost: ReadonlyMap<string, number>): number => [...cost.values()].reduce((sum, value) => sum + value, 0);
