import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { CacheKey } from '../cache/key';
import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import type { Listed } from './known-requests';

/** What is to be warmed at the next boot. Never rejects: without a list, responses are warm when visitors have asked. */
export interface WarmList {
  /** The most valuable first. */
  read(): Promise<readonly Listed[]>;
  write(listed: readonly Listed[]): Promise<void>;
}

/** Another release, or another program, may have written it. */
const LISTED = z.array(
  z.object({
    key: z.custom<CacheKey>((value) => typeof value === 'string'),
    target: z.string().startsWith('/'),
    headers: z.record(z.string(), z.string()),
    worth: z.number(),
  }),
);

const parsed = (text: string): readonly Listed[] => {
  try {
    return LISTED.parse(JSON.parse(text));
  } catch {
    return [];
  }
};

/** Lists in which a response is named several times count once, with what it was worth most. */
const merged = (texts: readonly string[]): readonly Listed[] => {
  const byKey = new Map<CacheKey, Listed>();
  for (const one of texts.flatMap(parsed)) if ((byKey.get(one.key)?.worth ?? -1) < one.worth) byKey.set(one.key, one);
  return [...byKey.values()].sort((one, other) => other.worth - one.worth);
};

/** The list in a file. */
export const listInFile = (file: string): WarmList => ({
  read: async () => merged([await readFile(file, 'utf8').catch(() => '')]),
  write: async (listed) => {
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(`${file}.new`, JSON.stringify(listed));
      await rename(`${file}.new`, file);
    } catch {
      // The next boot warms what is listed in `urls`.
    }
  },
});

const NAME = 'warm';

/** How many processes' lists are kept in a shared store, and for how long after the last was written. */
const MAX_LISTS = 8;
const LIFETIME = milliseconds(7 * 86_400_000);

/** The lists of all processes in their store. */
export const listInStore = (lists: SharedLists): WarmList => ({
  read: async () => merged(await (async () => lists.read(NAME))().catch(() => [])),
  write: async (listed) => {
    await (async () => lists.add(NAME, [JSON.stringify(listed)], MAX_LISTS, LIFETIME))().catch(() => undefined);
  },
});
