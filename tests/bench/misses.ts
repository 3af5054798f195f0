import { compete, type Contestant } from './contest';
import { Load } from './load';
import { startStrapi, WITHOUT_LOG } from './strapi-process';
import { byDefault, HOMEPAGE, MISSED, TWO_TYPES, withStrategy } from './subjects';
import type { Child } from './child';
import type { Turns } from './turns';

/** Microseconds of CPU per request, by the name of the URL. */
export type Misses = Readonly<Record<string, Turns>>;

/** One process whose plugin can be switched off, because two processes would differ in themselves. */
export const startSwitchable = (plugins: Readonly<Record<string, unknown>> = byDefault()): Promise<Child> =>
  startStrapi('switched', { middlewares: WITHOUT_LOG, plugins, switchable: true });

/**
 * A store that is full after some dozen misses, as that of a process that has run for a while. In a store that grows, each
 * miss also takes memory that the process never had, which a virtual machine may charge dearly: 8 % of a list of 82 kB on
 * the one where it was noticed.
 */
export const FULL_STORE = { name: 'memory', options: { maxBytes: 4_000_000 } } as const;

/** Requests until V8 has optimised what a request runs once. Strapi's code, which it runs many times, is optimised soon. */
const WARM_UP = 1500;

/** Sends requests for ever new URLs until the store is full and the code optimised. */
export const warmUpMisses = async (server: Child, load: Load): Promise<void> => {
  const asked = { server, paths: [HOMEPAGE], unique: true, connections: 4 };
  await load.cost(server, asked, WARM_UP);
};

/** The cost of requests for ever new URLs, without the plugin and with it. */
export const missOf = (asked: Contestant, load: Load, rounds: number): Promise<Turns> => {
  const unique = { ...asked, unique: true };
  return compete({ without: { ...unique, isWithoutPlugin: true }, with: unique }, load, rounds);
};

/** Measured in a process of its own. */
export const measureMisses = async (rounds: number): Promise<Misses> => {
  const load = await Load.start();
  const server = await startSwitchable(withStrategy({ contentTypes: TWO_TYPES }, FULL_STORE));
  try {
    await warmUpMisses(server, load);
    const missed: Record<string, Turns> = {};
    for (const [name, path] of Object.entries(MISSED))
      missed[name] = await missOf({ server, paths: [path], connections: 4 }, load, rounds);
    return missed;
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
};
