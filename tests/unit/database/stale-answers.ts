import type { Knex } from 'knex';
import { EVERYTHING, type Tag } from '../../../server/src/cache/tag';
import type { ObservedDatabase } from './observed-database';

export type Read = (knex: Knex) => PromiseLike<unknown>;
export type Write = (knex: Knex) => PromiseLike<unknown>;

/** Which answers a write changes, and which of those it leaves stale, both by name. */
export const writeAmong = async (
  database: ObservedDatabase,
  reads: ReadonlyMap<string, Read>,
  write: Write,
): Promise<{ changed: string[]; stale: string[] }> => {
  const { knex } = database;
  const stored = new Map<string, { readonly answer: string; readonly tags: readonly Tag[] | undefined }>();
  for (const [name, read] of reads) {
    let answer = '';
    const { tags, unstorable } = await database.read(async () => {
      answer = spelled(await read(knex));
    });
    stored.set(name, { answer, tags: unstorable === undefined ? tags : undefined });
  }
  const stamped = new Set(await database.write(async () => write(knex)));
  const changed: string[] = [];
  const stale: string[] = [];
  for (const [name, read] of reads) {
    const { answer, tags } = stored.get(name) ?? {};
    if (spelled(await read(knex)) === answer) continue;
    changed.push(name);
    if (tags !== undefined && !stamped.has(EVERYTHING) && !tags.some((tag) => stamped.has(tag))) stale.push(name);
  }
  return { changed, stale };
};

/** Sorted, because a database may return rows in any order if a statement does not ask for one. */
const spelled = (answer: unknown): string =>
  Array.isArray(answer)
    ? answer
        .map((row) => JSON.stringify(row))
        .sort()
        .join('\n')
    : (JSON.stringify(answer) ?? '');
