import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { cacheStore } from '../application/cache-store';
import { logInCustomer } from '../application/callers';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { middlewares } from '../application/stack';
import type { Application } from '../application/start-application';
import { runningApplication } from './running-application';
import type { CacheControlConfig } from '../../server/src/config/user-config';

const probe = probeApi([
  { path: '/probe/plain', handler: () => ({ at: Math.random() }) },
  { path: '/probe/own', handler: (ctx) => (ctx.set('Cache-Control', 'public, max-age=7'), { at: Math.random() }) },
  { path: '/probe/refused', handler: (ctx) => (ctx.cookies.set('a', 'b'), { at: Math.random() }) },
  { path: '/probe/missing', handler: (ctx) => ((ctx.status = 404), (ctx.body = {}), undefined) },
  {
    path: '/probe/failing',
    handler: () => {
      throw new Error('as the test wants it');
    },
  },
  { path: '/probe/cdn', handler: (ctx) => (ctx.set('CDN-Cache-Control', 'max-age=60'), {}) },
  {
    path: '/probe/expires',
    handler: (ctx) => (ctx.set('Expires', new Date(Date.now() + 3_600_000).toUTCString()), {}),
  },
  { path: '/probe/denied', handler: () => ({}), config: {} },
  {
    path: '/probe/late-cookie',
    handler: (ctx) => {
      const { res } = ctx;
      const { writeHead } = res;
      res.writeHead = (...given: never[]) => {
        res.setHeader('Set-Cookie', 'late=1');
        return (writeHead as (...args: never[]) => never).apply(res, given);
      };
      return { at: Math.random() };
    },
  },
  {
    path: '/probe/changed',
    handler: async (_ctx, strapi) => {
      await strapi.db.query('api::tag.tag').count();
      await cacheStore({ strapi }).reset();
      return { at: Math.random() };
    },
  },
]);

const TYPES = [
  { contentType: 'api::article.article', maxAge: 30_000, routes: probe.paths },
  { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
  {
    contentType: 'api::tag.tag',
    // The default of @strapi-community/plugin-rest-cache 5, which sends the same header with it.
    hitpass: ({ request: { headers } }: Context) => Boolean(headers.authorization ?? headers.cookie),
  },
  { contentType: 'api::category.category', hitpass: false, keys: { useHeaders: ['x-tenant'] } },
] as const;

const running = (
  cacheControl: CacheControlConfig,
  further: object = {},
  files: Readonly<Record<string, string>> = {},
): Application =>
  runningApplication({ ...probe.files, ...files }, { cacheControl, maxAge: 90_500, contentTypes: TYPES, ...further });

const cacheControls = async (application: Application, path: string, headers: Record<string, string> = {}) => {
  const seen: Array<string | undefined> = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    seen.push((await rawRequest(application, path, { headers })).headers['cache-control']);
  }
  return seen;
};

const fieldsOf = (vary: string | undefined): string[] => (vary ?? '').toLowerCase().split(/, */);

const thrice = <T>(value: T): T[] => [value, value, value];

/** Asks with requests that want no cached answer. */
const askUncached = (application: Application, expected: string): void => {
  // Which requests want none: tests/unit/http/decisions.test.ts.
  it(`a request with no-cache is answered ${expected}`, async () => {
    const headers = { 'cache-control': 'no-cache' };
    for (let attempt = 0; attempt < 3; attempt += 1) await rawRequest(application, '/api/probe/plain');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await rawRequest(application, '/api/probe/plain', { headers })).headers['x-cache']).toBe(expected);
    }
    expect((await rawRequest(application, '/api/probe/plain')).headers['x-cache']).toBe('HIT');
  });
};

/** tests/unit/http/decisions.test.ts has the other configurations. */
describe('cacheControl for public caches', () => {
  const application = running({ enabled: true, scope: 'public', staleWhileRevalidate: 60_000 }, { enableEtag: true });

  const told = (seconds: number, scope = 'public'): string => `${scope}, max-age=${seconds}, stale-while-revalidate=60`;

  it('is told the same with the miss and with every hit', async () => {
    expect(await cacheControls(application, '/api/probe/plain')).toEqual(thrice(told(30)));
  });

  it("a handler's own header wins", async () => {
    expect(await cacheControls(application, '/api/probe/own')).toEqual(thrice('public, max-age=7'));
  });

  it.each([
    ['a bypassed answer', '/api/probe/plain', { cookie: 'a=b' }],
    ['one with a cookie', '/api/probe/refused', {}],
    ['another status', '/api/probe/missing', {}],
    ['a failure', '/api/probe/failing', {}],
    ['a denial', '/api/probe/denied', {}],
    ['a credential nobody knows', '/api/articles', { authorization: 'Bearer nobody' }],
    ['an answer overtaken by a change', '/api/probe/changed', {}],
  ] as ReadonlyArray<readonly [string, string, Record<string, string>]>)(
    'nothing for what is not kept here, as without the plugin: %s',
    async (_what, path, headers) => {
      expect(await cacheControls(application, path, headers)).toEqual(thrice(undefined));
    },
  );

  it('nothing for a response that gets a cookie with its head', async () => {
    expect(await cacheControls(application, '/api/probe/late-cookie')).toEqual(thrice(undefined));
    expect((await rawRequest(application, '/api/probe/late-cookie')).headers['x-cache']).toBe('MISS');
  });

  it('nothing on a HEAD without an entry, the same as on the GET where there is one', async () => {
    const head = () => rawRequest(application, '/api/probe/plain?head', { method: 'HEAD' });
    expect((await head()).headers['cache-control']).toBeUndefined();
    await rawRequest(application, '/api/probe/plain?head');
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await head()).headers['cache-control']).toBe(told(30));
  });

  it('the same on 304 as on 200, Vary included', async () => {
    const path = '/api/categories?not-modified';
    const etag = String((await rawRequest(application, path)).headers.etag);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const { status, headers } = await rawRequest(application, path, { headers: { 'if-none-match': etag } });
      expect([status, headers['cache-control']]).toEqual([304, told(90)]);
      expect(fieldsOf(headers.vary)).toContain('x-tenant');
    }
  });

  it("is for one browser: one caller's answer, also where the caller is nobody", async () => {
    const { headers } = await logInCustomer(application, 'alice');
    expect(await cacheControls(application, '/api/orders', headers)).toEqual(thrice(told(90, 'private')));
    const { status, headers: denied } = await rawRequest(application, '/api/orders');
    expect([status, denied['cache-control']]).toEqual([403, undefined]);
  });

  it.each(['/api/probe/plain?varied', '/api/probe/own', '/api/tags?varied', '/api/categories?varied'])(
    'Vary tells all that tells callers apart, on every hit of %s',
    async (path) => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const fields = fieldsOf((await rawRequest(application, path)).headers.vary);
        expect(fields).toEqual(expect.arrayContaining(['authorization', 'cookie', 'strapi-response-format']));
      }
    },
  );

  describe('without honorRequestCacheControl', () => askUncached(application, 'HIT'));
});

describe('what a middleware in front makes of an answer that other caches may keep', () => {
  const application = running(
    { enabled: true, scope: 'public' },
    { honorRequestCacheControl: true },
    {
      'src/middlewares/refusing.js': `module.exports = () => async (ctx, next) => {
          await next();
          if (ctx.query.fails) throw new Error('as the test wants it');
          if (ctx.query.status) ctx.status = Number(ctx.query.status);
        };`,
      ...middlewares(['global::refusing'], 'strapi::poweredBy'),
    },
  );

  it.each([
    ['a failure', 'fails=1', 500],
    ['a refusal', 'status=403', 403],
  ])('is not for them, on the miss and on every hit: %s', async (_what, query, expected) => {
    const answers: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status, headers } = await rawRequest(application, `/api/probe/plain?${query}`);
      answers.push([status, headers['x-cache'], headers['cache-control']]);
    }
    expect(answers).toEqual(['MISS', 'HIT', 'HIT'].map((outcome) => [expected, outcome, 'no-store']));
  });

  describe('honorRequestCacheControl', () => askUncached(application, 'HITPASS'));
});

describe('cacheControl alone, with a maxAge of its own', () => {
  const application = running(
    { enabled: true, scope: 'public', maxAge: 7_200_000 },
    {
      enableXCacheHeaders: false,
      maxAge: 3_600_000,
      contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
    },
  );

  it('comes with Age, so that a browser computes the remaining lifetime (RFC 9111, 4.2)', async () => {
    const answers: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { headers } = await rawRequest(application, '/api/probe/plain');
      answers.push([headers.age, headers['x-cache'], headers['cache-status']]);
    }
    expect(answers).toEqual([undefined, '0', '0'].map((age) => [age, undefined, undefined]));
  });

  it('ends with what the handler has told this cache', async () => {
    const told = async (path: string) => (await rawRequest(application, path)).headers['cache-control'];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await told('/api/probe/cdn')).toBe('public, max-age=60');
      expect(Number(/max-age=(\d+)/.exec(String(await told('/api/probe/expires')))?.[1])).toBeLessThanOrEqual(3600);
      expect(await told('/api/probe/plain')).toBe('public, max-age=7200');
    }
  });
});
