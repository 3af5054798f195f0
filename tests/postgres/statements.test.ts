import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '@strapi/strapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';

/**
 * The cost of writes on PostgreSQL, where each statement is a round trip: the same writes without the plugin, and with
 * it while answers that show the written data are stored.
 */

const ARTICLE = 'api::article.article';
const LISTS = ['/api/articles?populate=*', '/api/tags?populate=*', '/api/homepage?populate=*'];

let database: OwnDatabase;
beforeAll(async () => {
  database = await postgresDatabase();
});
afterAll(() => database.drop());

const { Client } = createRequire(import.meta.url)('pg') as {
  Client: { prototype: { query: (...args: unknown[]) => unknown } };
};

/** Counts statements at the driver: the plugin's own statements do not cause knex's events. */
const counted = async (work: () => Promise<unknown>): Promise<number> => {
  const { query } = Client.prototype;
  let statements = 0;
  Client.prototype.query = function (...args) {
    statements += 1;
    return query.apply(this, args);
  };
  try {
    await work();
    // Some statements of a write are sent without being awaited.
    for (let before = -1; before < statements; await delay(300)) before = statements;
  } finally {
    Client.prototype.query = query;
  }
  return statements;
};

type Writes = Readonly<Record<string, (strapi: Core.Strapi) => Promise<() => Promise<unknown>>>>;

const make = async (strapi: Core.Strapi): Promise<Record<string, unknown>> => {
  const related = async (uid: 'api::author.author' | 'api::category.category' | 'api::tag.tag'): Promise<string> =>
    (await strapi.documents(uid).create({ data: { name: randomUUID(), slug: randomUUID() } as never })).documentId;
  return {
    title: randomUUID(),
    slug: randomUUID(),
    body: 'Text.',
    author: await related('api::author.author'),
    category: await related('api::category.category'),
    tags: [await related('api::tag.tag'), await related('api::tag.tag')],
    seo: { metaTitle: 'Title', metaDescription: 'Description' },
    blocks: [{ __component: 'shared.rich-text', body: 'First.' }],
  };
};

const drafts = async (strapi: Core.Strapi, count: number): Promise<string[]> => {
  const made: string[] = [];
  while (made.length < count)
    made.push((await strapi.documents(ARTICLE).create({ data: (await make(strapi)) as never })).documentId);
  return made;
};

/** The content manager's own service for its bulk actions. */
interface Manager {
  publishMany(uid: string, ids: readonly string[], locale: string): Promise<unknown>;
}

/** Each write is prepared first, and then made. */
const writes: Writes = {
  create: async (strapi) => {
    const data = (await make(strapi)) as never;
    return () => strapi.documents(ARTICLE).create({ data });
  },
  'draft save': async (strapi) => {
    const [documentId = ''] = await drafts(strapi, 1);
    return () => strapi.documents(ARTICLE).update({ documentId, data: { title: 'Another' } as never });
  },
  publish: async (strapi) => {
    const [documentId = ''] = await drafts(strapi, 1);
    return () => strapi.documents(ARTICLE).publish({ documentId });
  },
  'publish again': async (strapi) => {
    const [documentId = ''] = await drafts(strapi, 1);
    await strapi.documents(ARTICLE).publish({ documentId });
    await strapi.documents(ARTICLE).update({ documentId, data: { title: 'Another' } as never });
    return () => strapi.documents(ARTICLE).publish({ documentId });
  },
  'bulk publish of 20': async (strapi) => {
    const ids = await drafts(strapi, 20);
    const manager = strapi.plugin('content-manager').service<Manager>('document-manager');
    return () => manager.publishMany(ARTICLE, ids, 'en');
  },
  'createMany of 1,000': (strapi) =>
    Promise.resolve(() =>
      strapi.db.query('api::tag.tag').createMany({
        data: Array.from({ length: 1000 }, () => ({
          documentId: randomUUID(),
          name: randomUUID(),
          publishedAt: new Date(),
        })),
      }),
    ),
};

/**
 * The smaller of two counts, because now and then a statement makes the plugin ask the database for its description
 * again.
 */
const countAll = async (application: Application): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  for (const [kind, prepare] of [...Object.entries(writes), ...Object.entries(writes)]) {
    const write = await prepare(application.strapi);
    for (const list of LISTS) expect((await application.get(list)).status).toBe(200);
    found.set(kind, Math.min(await counted(write), found.get(kind) ?? Infinity));
  }
  return found;
};

it('no write takes more than 1.2 times the statements', async () => {
  const using = async (settings: Parameters<typeof startApplication>[0]): Promise<ReadonlyMap<string, number>> => {
    const application = await startApplication({ ...settings, environment: database.environment });
    try {
      return await countAll(application);
    } finally {
      await application.stop();
    }
  };
  const plain = await using({
    files: {
      'config/plugins.js': `module.exports = { 'rest-cache': { enabled: false }, 'users-permissions': { config: { jwtSecret: 'secret' } } };`,
    },
  });
  const cached = await using({
    restCache: { strategy: { contentTypes: [ARTICLE, 'api::tag.tag', 'api::homepage.homepage'] } },
  });
  const ratios = Object.fromEntries(
    [...plain].map(([kind, statements]) => [kind, (cached.get(kind) ?? NaN) / statements]),
  );
  for (const ratio of Object.values(ratios)) expect(ratio).toBeGreaterThanOrEqual(1);
  expect(Object.entries(ratios).filter(([, ratio]) => !(ratio <= 1.2))).toEqual([]);
}, 240_000);
