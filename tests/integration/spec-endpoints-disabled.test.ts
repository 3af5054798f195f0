import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiToken, grant, logInCustomer } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';

/** "Content API route" and "Errors" of the specification: while `strategy.enableContentApiPurge` is not true. */

let application: Application;

beforeAll(async () => {
  application = await startApplication({ restCache: { strategy: { contentTypes: ['api::article.article'] } } });
});

afterAll(() => application.stop());

it('POST /api/rest-cache/purge responds with 404 to everybody, whatever the body and the grants', async () => {
  const alice = await logInCustomer(application, 'alice');
  const full = await createApiToken(application, 'full-access');
  const read = await createApiToken(application, 'read-only');
  await grant(application, 'authenticated', 'plugin::rest-cache.purge.contentApi');
  await grant(application, 'public', 'plugin::rest-cache.purge.contentApi');
  for (const headers of [{}, alice.headers, full.headers, read.headers, { authorization: 'Bearer nonsense' }]) {
    for (const body of [{ contentType: 'api::article.article' }, {}]) {
      const response = await application.request('/api/rest-cache/purge', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(404);
    }
  }
});

it('X-Cache is absent while strategy.enableXCacheHeaders is not true, and the cache works', async () => {
  await application.get('/api/articles');
  const { headers } = await application.get('/api/articles');
  expect([headers.get('x-cache'), headers.get('cache-status')]).toEqual([null, null]);
  expect(await application.strapi.plugin('rest-cache').service('cacheStore').keys()).toEqual(['/api/articles?&&']);
});
