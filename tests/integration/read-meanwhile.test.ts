import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grant, logInCustomer, revoke } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';

/** What others read while an answer is made counts for it only where the handler may have waited for their work. */

const TYPES = ['article', 'author', 'category', 'tag', 'homepage'];

/** Controllers whose handlers call Strapi's and wait for nothing else. */
const OWN = (type: string): string => `
  async find(ctx) {
    await this.validateQuery(ctx);
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, kind: '${type}' } };
  },
  async findOne(ctx) {
    const { id } = ctx.params;
    const query = await this.sanitizeQuery(ctx);
    const found = await strapi.service('api::${type}.${type}').findOne(id, query);
    if (!found) return ctx.notFound();
    return this.transformResponse(await this.sanitizeOutput(found, ctx));
  },`;

/** The same with a function of the file, of which the plugin does not know what it does. */
const WITH_A_FUNCTION = (type: string): string =>
  OWN(type)
    .replace(/meta: (.*) };/, 'meta: told($1) };')
    .replace('(found, ctx)', '(told(found), ctx)');

const controllers = (own: (type: string) => string): Record<string, string> =>
  Object.fromEntries(
    TYPES.map((type) => [
      `src/api/${type}/controllers/${type}.js`,
      `const { factories } = require('@strapi/strapi');
const told = (found) => found;
module.exports = factories.createCoreController('api::${type}.${type}', ({ strapi }) => ({ ${own(type)}
  bySlug: (ctx) => ctx.notFound(),
}));`,
    ]),
  );

/** Handlers of two types that no other test here asks for. Those that run at the same time share one statement. */
const SHARING: Readonly<Record<string, string>> = {
  'src/api/writer/controllers/editor.js': `const { factories } = require('@strapi/strapi');
let inFlight;
const authors = async (strapi) => {
  const [one] = await strapi.db.query('api::author.author').findMany({ where: { email: 'shared@example.com' } });
  return one.name;
};
module.exports = factories.createCoreController('api::writer.editor', ({ strapi }) => ({
  async find(ctx) {
    inFlight ??= authors(strapi).finally(() => (inFlight = undefined));
    const [{ data, meta }, name] = await Promise.all([super.find(ctx), inFlight]);
    return { data, meta: { ...meta, name } };
  },
}));`,
  'src/api/order/controllers/order.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::order.order');`,
  'src/api/order/services/order.js': `const { factories } = require('@strapi/strapi');
let inFlight;
module.exports = factories.createCoreService('api::order.order', ({ strapi }) => ({
  async find(params) {
    inFlight ??= strapi.db.query('api::author.author').findMany({ where: { email: 'shared@example.com' } });
    const [found, [one]] = await Promise.all([super.find(params), inFlight]);
    inFlight = undefined;
    return { ...found, pagination: { ...found.pagination, name: one.name } };
  },
}));`,
};

/** SQLite answers at once, so requests would not overlap. */
const makeSlow = ({ strapi }: Application): void => {
  const client = strapi.db.connection.client as { acquireConnection(): Promise<unknown> };
  const { acquireConnection } = client;
  client.acquireConnection = async () => {
    await delay(2);
    return acquireConnection.call(client);
  };
};

const start = async (
  files: Readonly<Record<string, string>>,
  strategy: { readonly sharesWork?: boolean } = {},
  ofEditors: boolean | 'always' = true,
): Promise<Application> => {
  const application = await startApplication({
    files,
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        ...strategy,
        contentTypes: [
          ...TYPES.map((type) => ({
            contentType: `api::${type}.${type}` as const,
            ...(type === 'tag' && { hitpass: false }),
          })),
          { contentType: 'api::writer.editor', sharesWork: ofEditors },
          'api::order.order',
          { contentType: 'plugin::upload.file', routes: ['/api/upload/files'] },
          { contentType: 'plugin::i18n.locale', routes: ['/api/i18n/locales'] },
          { contentType: 'plugin::users-permissions.role', routes: ['/api/users-permissions/roles'] },
        ],
      },
    },
  });
  makeSlow(application);
  return application;
};

const idsOf = async ({ strapi }: Application, type: string, count: number): Promise<string[]> => {
  const found = await strapi.documents(`api::${type}.${type}` as 'api::tag.tag').findMany({ fields: [], limit: count });
  return found.map(({ documentId }) => documentId);
};

const SHOWN = '/api/articles?populate[tags][fields][0]=name&fields[0]=slug';
const TAGS = 'api::tag.tag.find';

const askInGroups = async (
  application: Application,
  urls: readonly string[],
  size: number,
): Promise<Array<{ cache: string | null; body: string }>> => {
  const answers = [];
  for (let first = 0; first < urls.length; first += size)
    answers.push(...(await Promise.all(urls.slice(first, first + size).map((url) => application.get(url)))));
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  return answers;
};

/** An edit purges little more than it changes, however many answers are computed at a time. */
const askPrecision = (application: () => Application): void => {
  let urls: string[];
  let edited: string[];

  beforeAll(async () => {
    const ids = (type: string, count: number): Promise<string[]> => idsOf(application(), type, count);
    const articles = await ids('article', 7);
    edited = articles.slice(0, 4);
    const ofEdited = edited.map((id, at) => `filters[documentId][$in][${at}]=${id}`).join('&');
    urls = [
      ...articles.map((id) => `/api/articles/${id}`),
      '/api/articles?fields[0]=title&sort=title',
      `/api/articles?fields[0]=views&${ofEdited}`,
      ...(await ids('author', 2)).map((id) => `/api/authors/${id}`),
      '/api/authors?fields[0]=name',
      ...(await ids('category', 2)).map((id) => `/api/categories/${id}`),
      '/api/categories',
      ...(await ids('tag', 1)).map((id) => `/api/tags/${id}`),
      '/api/tags',
      '/api/homepage',
    ];
  }, 300_000);

  it.each([1, 4, 18])('computed %i at a time, an edit purges little more than it changes', async (size) => {
    expect(urls).toHaveLength(18);
    let [changed, purged] = [0, 0];
    for (const documentId of edited) {
      await application().strapi.plugin('rest-cache').service<{ reset(): Promise<void> }>('cacheStore').reset();
      const before = await askInGroups(application(), urls, size);
      expect(before.filter(({ cache }) => cache !== 'MISS')).toEqual([]);
      const data: object = { views: Math.floor(Math.random() * 1e9) };
      await application().strapi.documents('api::article.article').update({ documentId, status: 'published', data });
      const after = await askInGroups(application(), urls, 1);
      changed += after.filter(({ body }, index) => body !== before[index]?.body).length;
      purged += after.filter(({ cache }) => cache === 'MISS').length;
    }
    expect(changed).toBe(2 * edited.length);
    expect(purged / changed).toBeLessThanOrEqual(1.3);
  });
};

const SHARED = { where: { email: 'shared@example.com' } };

const createShared = ({ strapi }: Application): Promise<unknown> =>
  strapi.db.query('api::author.author').create({ data: { ...SHARED.where, name: 'first' } });

/** Answers that were computed beside each other show a change of what only one of them has read. */
const expectShared = async (application: Application, path: string): Promise<void> => {
  const { strapi } = application;
  const urls = [1, 2, 3, 4].map((page) => `${path}?pagination[page]=1&pagination[pageSize]=${page}`);
  for (const name of ['second', 'third']) {
    const before = await askInGroups(application, urls, 4);
    await strapi.db.query('api::author.author').update({ ...SHARED, data: { name } });
    const after = await askInGroups(application, urls, 1);
    expect(before.map(({ cache }) => cache)).toEqual(['MISS', 'MISS', 'MISS', 'MISS']);
    expect(after.map(({ body }) => body.includes(`"name":"${name}"`))).toEqual([true, true, true, true]);
    await strapi.plugin('rest-cache').service<{ reset(): Promise<void> }>('cacheStore').reset();
  }
};

describe('handlers of the application’s own', () => {
  let application: Application;
  beforeAll(async () => {
    application = await start({ ...controllers(OWN), ...SHARING });
    await grant(
      application,
      'public',
      'plugin::i18n.locales.listLocales',
      'plugin::users-permissions.role.find',
      'api::order.order.find',
    );
  }, 300_000);
  afterAll(() => application.stop());

  askPrecision(() => application);

  describe('whose answer is made of more than one permission', () => {
    it('is replaced once its caller has lost one of them, and cached again', async () => {
      const { body: before } = await application.get(SHOWN);
      expect(before).toContain('"tags":[{');
      expect((await application.get(SHOWN)).cache).toBe('HIT');
      await revoke(application, 'public', TAGS);
      try {
        const { cache, body } = await application.get(SHOWN);
        expect([cache, body.includes('"tags"')]).toEqual(['MISS', false]);
        for (let time = 0; time < 3; time += 1)
          expect(await application.get(SHOWN)).toMatchObject({ cache: 'HIT', body });
        // Requests with a cookie bypass the cache.
        expect(await application.get(SHOWN, { cookie: 'a=b' })).toMatchObject({ cache: 'HITPASS', body });
      } finally {
        await grant(application, 'public', TAGS);
      }
    });

    it('is not replaced by the answer for a caller who was never granted it, where callers share the entry', async () => {
      const path = '/api/tags?populate[articles][fields][0]=slug&fields[0]=name';
      const { headers } = await logInCustomer(application, 'alice');
      const articles = 'api::article.article.find';
      await grant(application, 'authenticated', TAGS);
      await revoke(application, 'authenticated', articles);
      const { body: all } = await application.get(path);
      expect(all).toContain('"articles":[{');
      const { cache, body: less } = await application.get(path, headers);
      expect([cache, less.includes('"articles"')]).toEqual(['MISS', false]);
      expect(await application.get(path)).toMatchObject({ cache: 'HIT', body: all });
    });
  });

  describe('beside a job that reads and writes in transactions', () => {
    let isRunning = true;
    let job: Promise<void>;

    beforeAll(() => {
      const { db } = application.strapi;
      const work = async (): Promise<void> => {
        const found = await db.query('api::author.author').findOne({ orderBy: 'id' });
        await db.query('api::author.author').update({ where: { id: found.id }, data: { bio: `${Math.random()}` } });
        await db.query('api::author.author').findMany({ limit: 3 });
      };
      job = (async () => {
        while (isRunning) await db.transaction(work);
      })();
    });
    afterAll(async () => {
      isRunning = false;
      await job;
    });

    it.each([
      '/api/upload/files',
      '/api/i18n/locales',
      '/api/users-permissions/roles',
      '/api/categories',
      '/api/tags?populate=*',
    ])('leaves GET %s, which shows nothing of it, in the cache', async (path) => {
      await application.get(path);
      expect((await application.get(path)).cache).toBe('HIT');
    });
  });

  describe('that share work', () => {
    beforeAll(() => createShared(application));

    it.each(['/api/editors', '/api/orders'])('answer GET %s with a change, beside other requests', (path) =>
      expectShared(application, path),
    );
  });
});

describe('handlers with a function of their file, and sharesWork: false', () => {
  let application: Application;
  beforeAll(async () => {
    application = await start(controllers(WITH_A_FUNCTION), { sharesWork: false }, 'always');
  }, 300_000);
  afterAll(() => application.stop());

  askPrecision(() => application);

  it('with sharesWork: "always", answers made by a document middleware that shares work show a change', async () => {
    await createShared(application);
    const { strapi } = application;
    let inFlight: Promise<Array<{ name: string }>> | undefined;
    strapi.documents.use(async (context, next) => {
      const result = await next();
      if (context.uid !== 'api::writer.editor' || context.action !== 'findMany') return result;
      inFlight ??= strapi.db
        .query('api::author.author')
        .findMany(SHARED)
        .finally(() => (inFlight = undefined));
      const [one] = await inFlight;
      return (result as object[]).map((row) => ({ ...row, name: one?.name })) as unknown as typeof result;
    });
    await expectShared(application, '/api/editors');
  });
});
