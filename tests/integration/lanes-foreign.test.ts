import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { createApiToken, logInCustomer } from '../application/callers';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

const TAGS = '/api/tags?fields=name&pagination[pageSize]=2';

const restCache: RestCacheConfig = {
  strategy: { lane: 'auto', enableXCacheHeaders: true, enableEtag: true, contentTypes: ['api::tag.tag'] },
};

const NAMES = [
  ...['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy'],
  ...['strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'],
];

/** `config/middlewares.js` with an expression in place of one of Strapi's own middlewares, or after all of them. */
const middlewares = (expression: string, instead?: string): Record<string, string> => ({
  'config/middlewares.js': `module.exports = [${[
    ...NAMES.filter((name) => name !== instead).map((name) => JSON.stringify(name)),
    expression,
  ].join(', ')}];`,
});

/** Lets code of the application under test count its calls. */
const counted = Symbol.for('rest-cache-lanes-foreign');
const counts = ((globalThis as Record<symbol, unknown>)[counted] ??= { seen: 0 }) as { seen: number };
const COUNT = `globalThis[Symbol.for('rest-cache-lanes-foreign')].seen += 1;`;

const laneLine = ({ logs }: Application): string | undefined =>
  logs.find((line) => line.startsWith('[rest-cache] hits '));

const outcomes = async (
  running: Application,
  path: string,
  times = 5,
  headers: Record<string, string> = {},
): Promise<unknown[]> => {
  const seen: unknown[] = [];
  for (let attempt = 0; attempt < times; attempt += 1)
    seen.push((await rawRequest(running, path, { headers })).headers['x-cache']);
  return seen;
};

const HITS = ['MISS', 'HIT', 'HIT', 'HIT', 'HIT'];

describe('what has to see every request moves the cache behind it: global middlewares', () => {
  let running: Application;
  beforeAll(async () => {
    running = await startApplication({
      restCache: {
        strategy: {
          ...restCache.strategy,
          contentTypes: [{ contentType: 'api::tag.tag', hitpass: false, keys: { useAuth: true } }],
        },
      },
      files: {
        'src/middlewares/counting.js': `module.exports = () => async (ctx, next) => {
          ${COUNT}
          await next();
          if (ctx.path === '/api/tags' && ctx.query.stamped !== undefined) ctx.body.stamp = 'added';
          ctx.set('X-Foreign', String(globalThis[Symbol.for('rest-cache-lanes-foreign')].seen));
        };`,
        'src/middlewares/asking.js': `module.exports = () => async (ctx, next) => {
          await next();
          if (!ctx.path.startsWith('/api/tags') || ctx.query.limited !== undefined) return;
          const { auth, user, isAuthenticated, route } = ctx.state;
          ctx.set('X-Left', JSON.stringify([
            auth.strategy.name, auth.credentials?.id, auth.ability?.can('api::tag.tag.find'), user?.username,
            user === auth.credentials, isAuthenticated, route.handler, ctx.params, ctx.request.params, ctx._matchedRoute,
            ctx.matched?.length, ctx.captures, ctx.router?.opts,
          ]));
          if (user) user.username = 'changed';
        };`,
        'src/middlewares/moving.js': `module.exports = () => (ctx, next) => {
          ctx.path = ctx.path.replace('/moved/', '/api/');
          return next();
        };`,
        'src/middlewares/limiter.js': `let limited = 0;
        module.exports = () => (ctx, next) => {
          if (ctx.query.limited === undefined) return next();
          limited += 1;
          if (limited > 4) { ctx.status = 429; return; }
          return next();
        };`,
        ...middlewares("'global::counting', 'global::asking', 'global::moving', 'global::limiter'"),
      },
    });
  });
  afterAll(() => running.stop());

  it('run every time, and get the body they expect', async () => {
    expect(laneLine(running)).toBe(
      '[rest-cache] hits are answered on the route: global::counting, global::asking, global::moving and global::limiter have to see every request',
    );
    counts.seen = 0;
    expect(await outcomes(running, TAGS)).toEqual(HITS);
    expect(counts.seen).toBe(5);
    expect((await rawRequest(running, TAGS)).headers['x-foreign']).toBe('6');
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { body, headers } = await rawRequest(running, `${TAGS}&stamped=1`);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(body.toString())).toMatchObject({
        data: expect.any(Array),
        meta: expect.any(Object),
        stamp: 'added',
      });
    }
    expect(counts.seen).toBe(11);
  });

  it('may ask behind the route who was let in, and where: the same on every hit', async () => {
    const { documentId } = (await running.strapi.documents('api::tag.tag').findFirst()) as { documentId: string };
    const alice = await logInCustomer(running, 'alice');
    const token = await createApiToken(running, 'full-access');

    for (const [headers, name] of [[{}], [alice.headers, 'alice'], [token.headers]] as const)
      for (const path of [`${TAGS}&asking`, `/api/tags/${documentId}?fields=name`]) {
        const left: unknown[] = [];
        for (let attempt = 0; attempt < 4; attempt += 1) {
          const response = await rawRequest(running, path, { headers });
          expect([response.status, response.headers['x-cache']]).toEqual([200, attempt === 0 ? 'MISS' : 'HIT']);
          left.push(response.headers['x-left']);
        }
        expect(new Set(left).size).toBe(1);
        if (name !== undefined) expect(left[0]).toContain(name);
      }
  });

  it('may give requests another path: what they lead to a cached route is cached', async () => {
    expect(await outcomes(running, `${TAGS.replace('/api/', '/moved/')}&moved`)).toEqual(HITS);
  });

  it('may limit the rate: hits are counted, and refused where they have to be', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1)
      statuses.push((await rawRequest(running, `${TAGS}&limited=1`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });
});
