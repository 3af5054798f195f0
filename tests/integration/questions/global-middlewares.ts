import { expect, it } from 'vitest';
import { createApiToken, logInCustomer } from '../../application/callers';
import { rawRequest } from '../../application/raw-request';
import { outcomes } from '../outcomes';
import type { Questions } from './questions';

/** Global middlewares of the application's own that have to see every request. */

const TAGS = '/api/tags?fields=name&pagination[pageSize]=2';

/** Lets code of the application under test count its calls. */
const counts = { seen: 0 };
Object.assign(globalThis, { [Symbol.for('rest-cache-global-middlewares')]: counts });
const SEEN = "globalThis[Symbol.for('rest-cache-global-middlewares')].seen";

const HITS = ['MISS', 'HIT', 'HIT', 'HIT', 'HIT'];

export const globalMiddlewares: Questions = {
  about: 'global middlewares that have to see every request',
  files: {
    'src/middlewares/counting.js': `module.exports = () => async (ctx, next) => {
          ${SEEN} += 1;
          await next();
          if (ctx.path === '/api/tags' && ctx.query.stamped !== undefined) ctx.body.stamp = 'added';
          ctx.set('X-Foreign', String(${SEEN}));
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
  },
  middlewares: ['global::counting', 'global::asking', 'global::moving', 'global::limiter'],
  contentTypes: [{ contentType: 'api::tag.tag', hitpass: false, keys: { useAuth: true } }],
  ask: (application) => {
    it('run every time, and get the body they expect', async () => {
      const line = application.logs.find((each) => each.startsWith('[rest-cache] hits are answered on the route: '));
      for (const name of globalMiddlewares.middlewares ?? []) expect(line).toContain(name);
      expect(line).toMatch(/ have to see every request$/);
      counts.seen = 0;
      expect(await outcomes(application, TAGS, {}, 5)).toEqual(HITS);
      expect(counts.seen).toBe(5);
      expect((await rawRequest(application, TAGS)).headers['x-foreign']).toBe('6');
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const { body, headers } = await rawRequest(application, `${TAGS}&stamped=1`);
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
      const { documentId } = (await application.strapi.documents('api::tag.tag').findFirst()) as { documentId: string };
      const alice = await logInCustomer(application, 'alice');
      const token = await createApiToken(application, 'full-access');

      for (const [headers, name] of [[{}], [alice.headers, 'alice'], [token.headers]] as const)
        for (const path of [`${TAGS}&asking`, `/api/tags/${documentId}?fields=name`]) {
          const left: unknown[] = [];
          for (let attempt = 0; attempt < 4; attempt += 1) {
            const response = await rawRequest(application, path, { headers });
            expect([response.status, response.headers['x-cache']]).toEqual([200, attempt === 0 ? 'MISS' : 'HIT']);
            left.push(response.headers['x-left']);
          }
          expect(new Set(left).size).toBe(1);
          if (name !== undefined) expect(left[0]).toContain(name);
        }
    });

    it('may give requests another path: what they lead to a cached route is cached', async () => {
      expect(await outcomes(application, `${TAGS.replace('/api/', '/moved/')}&moved`, {}, 5)).toEqual(HITS);
    });

    it('may limit the rate: hits are counted, and refused where they have to be', async () => {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt += 1)
        statuses.push((await rawRequest(application, `${TAGS}&limited=1`)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    });
  },
};
