import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { CacheKey } from '../cache/key';
import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import type { Listed } from './known-requests';

/** What is written. Another release, or another program, may have written something else. */
const LISTED = z.array(
  z.object({
    key: z.custom<CacheKey>((value) => typeof value === 'string'),
    target: z.string(),
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

const NAME = 'warm';

/** How many processes' lists are kept in a shared store, and for how long after the last was written. */
const MAX_LISTS = 8;
const LIFETIME = milliseconds(7 * 86_400_000);

/** What is to be warmed at the next boot; nothing if the store or the disk cannot be reached. */
export const readList = (lists: SharedLists): Promise<readonly Listed[]> =>
  (async () => (await lists.read(NAME)).flatMap(parsed))().catch(() => []);

/** Never rejects: without a list, the next boot warms what is listed in `urls`. */
export const writeList = (lists: SharedLists, listed: readonly Listed[]): Promise<void> =>
  (async () => lists.add(NAME, [JSON.stringify(LISTED.parse(listed))], MAX_LISTS, LIFETIME))().catch(() => undefined);

/** The list of one process, in a file. */
export const listsInFile = (file: string): SharedLists => ({
  read: async () => [await readFile(file, 'utf8')],
  add: async (_list, [text = '']) => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  },
});
