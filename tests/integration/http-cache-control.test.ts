import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logInCustomer } from '../application/callers';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import type { CacheControlConfig } from '../../server/src/config/user-config';

const probe = probeApi([
  { path: '/probe/plain', handler: () => ({ at: Math.random() }) },
  { path: '/probe/own', handler: (ctx) => (ctx.set('Cache-Control', 'public, max-age=7'), { at: Math.random() }) },
  { path: '/probe/refused', handler: (ctx) => (ctx.cookies.set('a', 'b'), { at: Math.random() }) },
  { path: '/probe/missing', handler: (ctx) => ((ctx.status = 404), (ctx.body = {}), undefined) },
]);

const start = (cacheControl: CacheControlConfig, further: object = {}): Promise<Application> =>
  startApplication({
    files: probe.files,
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        cacheControl,
        maxAge: 90_500,
        contentTypes: [
          { contentType: 'api::article.article', maxAge: 30_000, routes: probe.paths },
          { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
        ],
        ...further,
      },
    },
  });

const cacheControls = async (application: Application, path: string, headers: Record<string, string> = {}) => {
  const seen: Array<string | undefined> = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    seen.push((await rawRequest(application, path, { headers })).headers['cache-control']);
  }
  return seen;
};

const thrice = <T>(value: T): T[] => [value, value, value];

/** A configuration of `strategy.cacheControl` and what an entry of 30 s is sent with; tests/unit/http has the rest. */
const MATRIX: ReadonlyArray<readonly [CacheControlConfig, string | undefined]> = [
  [{ enabled: false, scope: 'public' }, undefined],
  [{ enabled: true }, 'private, max-age=30'],
  [{ enabled: true, scope: 'public', staleWhileRevalidate: 60_000 }, 'public, max-age=30, stale-while-revalidate=60'],
];

describe.each(MATRIX)('cacheControl %j', (config, expected) => {
  let application: Application;
  beforeAll(async () => {
    application = await start(config);
  });
  afterAll(() => application.stop());

  it(`sends ${expected ?? 'nothing'}, on the miss and on every hit`, async () => {
    expect(await cacheControls(application, '/api/probe/plain')).toEqual(thrice(expected));
  });

  it("a handler's own header wins", async () => {
    expect(await cacheControls(application, '/api/probe/own')).toEqual(thrice('public, max-age=7'));
  });

  it('nothing on HITPASS, and nothing on a refused response', async () => {
    expect(await cacheControls(application, '/api/probe/plain', { cookie: 'a=b' })).toEqual(thrice(undefined));
    expect(await cacheControls(application, '/api/probe/refused')).toEqual(thrice(undefined));
    expect(await cacheControls(application, '/api/probe/missing')).toEqual(thrice(undefined));
  });

  it('never public for an entry keyed per caller', async () => {
    const { headers } = await logInCustomer(application, 'alice');
    const seen = await cacheControls(application, '/api/orders', headers);
    for (const value of seen) {
      if (config.enabled === true) expect(value).toMatch(/^private/);
      else expect(value).toBeUndefined();
    }
  });
});

describe('cacheControl without enableXCacheHeaders', () => {
  let application: Application;
  beforeAll(async () => {
    application = await start({ enabled: true, scope: 'public' }, { enableXCacheHeaders: false });
  });
  afterAll(() => application.stop());

  it('comes with Age, so that a browser computes the remaining lifetime (RFC 9111, 4.2)', async () => {
    const ages: Array<string | undefined> = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      ages.push((await rawRequest(application, '/api/probe/plain')).headers.age);
    }
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { headers } = await rawRequest(application, '/api/probe/plain');
    expect([...ages, headers.age]).toEqual([undefined, '0', '0', '1']);
    expect(headers['cache-control']).toBe('public, max-age=30');
    expect([headers['x-cache'], headers['cache-status']]).toEqual([undefined, undefined]);
  });
});

describe('neither cacheControl nor enableXCacheHeaders', () => {
  let application: Application;
  beforeAll(async () => {
    application = await start({}, { enableXCacheHeaders: false });
  });
  afterAll(() => application.stop());

  it('sends no Age, no X-Cache, no Cache-Status and no Cache-Control', async () => {
    const calls = probe.calls('/probe/plain');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { headers } = await rawRequest(application, '/api/probe/plain');
      for (const name of ['age', 'x-cache', 'cache-status', 'cache-control', 'etag'])
        expect(headers[name]).toBeUndefined();
    }
    expect(probe.calls('/probe/plain')).toBe(calls + 1);
  });
});

describe.each([
  [false, 'HIT'],
  [true, 'HITPASS'],
])('honorRequestCacheControl: %s', (honorRequestCacheControl, expected) => {
  let application: Application;
  beforeAll(async () => {
    application = await start({}, { honorRequestCacheControl });
  });
  afterAll(() => application.stop());

  it.each([
    [{ 'cache-control': 'no-store' }],
    [{ 'cache-control': 'no-cache' }],
    [{ 'cache-control': 'max-age=0, No-Cache' }],
  ])(`a request with %j is answered ${expected}`, async (headers) => {
    for (let attempt = 0; attempt < 3; attempt += 1) await rawRequest(application, '/api/probe/plain');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await rawRequest(application, '/api/probe/plain', { headers })).headers['x-cache']).toBe(expected);
    }
    expect((await rawRequest(application, '/api/probe/plain')).headers['x-cache']).toBe('HIT');
  });
});
