import { compete, type Contestant } from './contest';
import { Load } from './load';
import { startStrapi, WITHOUT_LOG } from './strapi-process';
import { byDefault, MISSED } from './subjects';
import type { Child } from './child';
import type { Turns } from './turns';

/** Microseconds of CPU per request, by the name of the URL. */
export type Misses = Readonly<Record<string, Turns>>;

/**
 * One process whose plugin can be switched off, because two processes would differ in themselves. Only misses and
 * writes are measured in it.
 */
export const startSwitchable = (): Promise<Child> =>
  startStrapi('switched', { middlewares: WITHOUT_LOG, plugins: byDefault(), switchable: true });

/** The cost of requests for ever new URLs, without the plugin and with it. */
export const missOf = (asked: Contestant, load: Load, rounds: number): Promise<Turns> => {
  const unique = { ...asked, unique: true };
  return compete({ without: { ...unique, isWithoutPlugin: true }, with: unique }, load, rounds);
};

export const missesOf = async (server: Child, load: Load, rounds: number): Promise<Misses> => {
  const missed: Record<string, Turns> = {};
  for (const [name, path] of Object.entries(MISSED))
    missed[name] = await missOf({ server, paths: [path], connections: 4 }, load, rounds);
  return missed;
};

/** The same in a process of its own. */
export const measureMisses = async (rounds: number): Promise<Misses> => {
  const load = await Load.start();
  try {
    const server = await startSwitchable();
    return await missesOf(server, load, rounds).finally(() => server.stop());
  } finally {
    await load.stop();
  }
};
