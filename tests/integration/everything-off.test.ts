import { expect, it } from 'vitest';
import { createApiToken, grant, logInCustomer } from '../application/callers';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { runningApplication } from './running-application';

/** Nothing is configured but what is cached: the cache works, and is seen by nobody. */

const probe = probeApi([
  { path: '/probe/plain', handler: () => ({ at: Math.random() }) },
  {
    path: '/probe/cache-status',
    handler: (ctx) => (ctx.set({ 'Cache-Status': 'Upstream; hit', 'X-Cache': 'of upstream' }), {}),
  },
]);

const application = runningApplication(probe.files, {
  enableXCacheHeaders: false,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
});

it('hits have no header that tells of the cache, and conditions are not looked at', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status, headers } = await rawRequest(application, '/api/probe/plain', {
      headers: { 'if-none-match': '*' },
    });
    expect(status).toBe(200);
    for (const name of ['age', 'x-cache', 'cache-status', 'cache-control', 'etag'])
      expect(headers[name]).toBeUndefined();
    expect(headers.vary ?? '').not.toMatch(/authorization|cookie|strapi/i);
  }
  expect(probe.calls('/probe/plain')).toBe(1);
});

it('a hit repeats what its handler says of other caches as it was', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { headers } = await rawRequest(application, '/api/probe/cache-status');
    expect([headers['cache-status'], headers['x-cache'], headers.age]).toEqual([
      'Upstream; hit',
      'of upstream',
      undefined,
    ]);
  }
});

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
