import { afterAll, beforeAll, expect, it } from 'vitest';
import { grant, logInCustomer, revoke } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';

/** A handler of the application's own whose answer is made of more than one permission. */

const own = (type: string): string => `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::${type}.${type}', () => ({
  async find(ctx) { return super.find(ctx); },
  bySlug: (ctx) => ctx.notFound(),
}));`;

const SHOWN = '/api/articles?populate[tags][fields][0]=name&fields[0]=slug';
const TAGS = 'api::tag.tag.find';

let application: Application;
beforeAll(async () => {
  application = await startApplication({
    files: {
      'src/api/article/controllers/article.js': own('article'),
      'src/api/tag/controllers/tag.js': own('tag'),
    },
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        contentTypes: [
          { contentType: 'api::article.article', injectDefaultRoutes: true },
          { contentType: 'api::tag.tag', hitpass: false },
        ],
      },
    },
  });
}, 300_000);
afterAll(() => application.stop());

it('is replaced once its caller has lost one of them, and cached again', async () => {
  const { body: before } = await application.get(SHOWN);
  expect(before).toContain('"tags":[{');
  expect((await application.get(SHOWN)).cache).toBe('HIT');
  await revoke(application, 'public', TAGS);
  try {
    const { cache, body } = await application.get(SHOWN);
    expect([cache, body.includes('"tags"')]).toEqual(['MISS', false]);
    for (let time = 0; time < 3; time += 1) expect(await application.get(SHOWN)).toMatchObject({ cache: 'HIT', body });
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
