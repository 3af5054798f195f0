import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Application } from '../application/start-application';
import { Seeded } from '../differential/seeded';
import { ARTICLE, AUTHOR, World } from '../differential/world';
import { getInProcess } from './in-process-client';
import { pagesOf, seenIn } from './readers';
import { Register } from './registers';
import { writeOnce } from './writers';

const READERS = 12;
const READS_A_TURN = 10;

export interface HistorySettings {
  readonly seed: number;
  /** How many writers there are at a time. */
  readonly writers: number;
  /** A history ends after this many reads and writes, including at least 200 writes, or when its time is up. */
  readonly operations: number;
  readonly milliseconds: number;
}

export interface History {
  /** Answers that lacked a write that was acknowledged before they were requested. */
  readonly violations: readonly string[];
  readonly reads: number;
  readonly hits: number;
  readonly writes: number;
}

/** Runs readers and writers at once. A read that starts after a write was acknowledged must see it, or a later one. */
export const runHistory = async (
  application: Application,
  { seed, writers, operations, milliseconds }: HistorySettings,
): Promise<History> => {
  const { strapi } = application;
  const world = await World.of(application, seed);
  const articles = (await world.rows(ARTICLE, { locale: 'en', publishedAt: { $notNull: true } })).slice(0, 12);
  const authors = (await world.rows(AUTHOR)).slice(0, 6);
  const registers = [
    ...articles.map(({ documentId }) => new Register(documentId, 'article')),
    ...authors.map(({ documentId }) => new Register(documentId, 'author')),
  ];
  const byDocument = new Map(registers.map((register) => [register.documentId, register]));
  await world.knex('articles').update({ views: 0 });
  await world.knex('authors').update({ bio: '0' });

  const pages = pagesOf(registers);
  const violations: string[] = [];
  const failures = new Map<string, number>();
  let reads = 0;
  let hits = 0;
  let writes = 0;
  const startedAt = Date.now();
  const isOver = (): boolean => {
    if (violations.length > 0 || (reads + writes >= operations && writes >= 200)) return true;
    // However slow the machine is, there must be hits and writes.
    return Date.now() - startedAt > milliseconds && hits > 0 && writes > 0;
  };

  const reading = async (random: Seeded): Promise<void> => {
    while (!isOver()) {
      const page = random.pick(pages);
      const expected = new Map(registers.map(({ documentId, acknowledged }) => [documentId, acknowledged]));
      const answer = await getInProcess(strapi, page);
      reads += 1;
      // A hit does no input or output, so without this the readers would never let other code run.
      if (reads % READS_A_TURN === 0 || !answer.hit) await turn();
      if (answer.hit) hits += 1;
      if (answer.status !== 200) {
        violations.push(`${page} answered ${answer.status}`);
        return;
      }
      for (const [documentId, version] of seenIn(answer.body)) {
        const least = expected.get(documentId) ?? 0;
        if (version < least)
          violations.push(
            `${page} shows version ${version} of ${byDocument.get(documentId)?.kind ?? ''} ${documentId}, ${least} was acknowledged before it was asked (${answer.hit ? 'hit' : 'miss'})`,
          );
      }
    }
  };
  const writing = async (random: Seeded): Promise<void> => {
    while (!isOver()) {
      await writeOnce(world, registers).then(
        () => (writes += 1),
        (error: unknown) => {
          const message = error instanceof Error ? error.message.slice(-80) : String(error);
          failures.set(message, (failures.get(message) ?? 0) + 1);
        },
      );
      await pause(random.below(250));
    }
  };
  await Promise.all([
    ...Array.from({ length: READERS }, (_, index) => reading(new Seeded(seed + index))),
    ...Array.from({ length: writers }, (_, index) => writing(new Seeded(seed + 100 + index))),
  ]);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `seed ${seed}: ${reads} reads (${((100 * hits) / reads).toFixed(1)} % hits), ${writes} writes, ${seconds} s; refused: ${JSON.stringify([...failures])}`,
  );
  return { violations, reads, hits, writes };
};
