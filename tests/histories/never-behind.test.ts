import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { configuration } from '../differential/configuration';
import { Seeded } from '../differential/seeded';
import { ARTICLE, AUTHOR, World } from '../differential/world';
import { getInProcess } from './in-process-client';
import { postgresDatabase, type OwnDatabase } from './postgres-database';
import { pagesOf, seenIn } from './readers';
import { Register } from './registers';
import { writeOnce } from './writers';

const { HISTORIES_SEED, HISTORIES_OPERATIONS = '100000', HISTORIES_SECONDS = '75' } = process.env;
const seed = HISTORIES_SEED === undefined ? Date.now() % 1_000_000 : Number(HISTORIES_SEED);
const OPERATIONS = Number(HISTORIES_OPERATIONS);
const MILLISECONDS = Number(HISTORIES_SECONDS) * 1000;
const READERS = 12;
const WRITERS = 6;
const READS_A_TURN = 10;

let database: OwnDatabase | undefined;
let application: Application | undefined;

beforeAll(async () => {
  database = await postgresDatabase(10);
  application = await startApplication({ restCache: configuration('front'), environment: database.environment });
}, 300_000);

afterAll(async () => {
  await application?.stop();
  await database?.drop();
});

it(
  'shows every reader at least what was acknowledged before it asked',
  async () => {
    if (application === undefined) throw new Error('the application did not start');
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
    const until = Date.now() + MILLISECONDS;
    const isOver = (): boolean =>
      violations.length > 0 || Date.now() > until || (reads + writes >= OPERATIONS && writes >= 200);

    const reading = async (random: Seeded): Promise<void> => {
      while (!isOver()) {
        const page = random.pick(pages);
        const expected = new Map(registers.map(({ documentId, acknowledged }) => [documentId, acknowledged]));
        const answer = await getInProcess(strapi, page);
        reads += 1;
        // A hit waits for nothing: without this, readers would never let anybody else in.
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
    const startedAt = Date.now();
    await Promise.all([
      ...Array.from({ length: READERS }, (_, index) => reading(new Seeded(seed + index))),
      ...Array.from({ length: WRITERS }, (_, index) => writing(new Seeded(seed + 100 + index))),
    ]);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `seed ${seed}: ${reads} reads (${((100 * hits) / reads).toFixed(1)} % hits), ${writes} writes, ${seconds} s; refused: ${JSON.stringify([...failures])}`,
    );

    expect(violations).toEqual([]);
    // A soak runs for its time.
    expect(reads + writes).toBeGreaterThanOrEqual(Math.min(OPERATIONS, 100_000));
  },
  MILLISECONDS + 60_000,
);
