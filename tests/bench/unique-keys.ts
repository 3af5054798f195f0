import type { Server } from './child';
import { compete, type Contestant, type Score } from './rounds';
import { HOMEPAGE, LIST } from './subjects';
import type { Effort } from './hits';

/** Few: what is still under way when a round ends is work that nobody counts. */
const CONNECTIONS = 4;

/** Every request a new key: what it costs to look for, capture and store a response that nobody asks for again. */
export const measureUniqueKeys = async (
  servers: Readonly<Record<string, Server>>,
  effort: Effort,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Score>>> => {
  const scores = new Map<string, ReadonlyMap<string, Score>>();
  for (const path of [LIST, HOMEPAGE]) {
    const contestants: Contestant[] = Object.entries(servers).map(([name, server]) => ({
      name,
      server,
      load: { path, unique: true, connections: CONNECTIONS },
    }));
    scores.set(path, await compete(contestants, effort));
  }
  return scores;
};
