import { describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { probeApi } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { thrice } from '../outcomes';
import type { Questions } from './questions';

/** A global middleware of the application's own changes responses after the route has finished. */

const probe = probeApi([
  { path: '/probe/changed-after', handler: () => ({ at: Math.random() }) },
  {
    path: '/probe/appends',
    handler: (ctx) => {
      ctx.append('Access-Control-Expose-Headers', 'X-Of-Handler');
      ctx.res.appendHeader('X-Told', 'by the handler');
      return {};
    },
  },
]);

export const afterTheRoute: Questions = {
  about: 'a global middleware that changes responses after the route has finished',
  files: {
    ...probe.files,
    'src/middlewares/afterwards.js': `module.exports = () => async (ctx, next) => {
      ctx.append('X-Told', String(Math.random()));
      await next();
      ctx.set('X-Afterwards', String(Math.random()));
      if (ctx.query.tracked !== undefined) ctx.cookies.set('tracker', String(Math.random()));
    };`,
  },
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application) => {
    describe('a global middleware', () => {
      it('that gives a response a cookie keeps it from being stored (state table: Set-Cookie, whatever the configuration)', async () => {
        const answers = await thrice(application, '/api/probe/changed-after?tracked');
        expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'MISS', 'MISS']);
        for (const { headers } of answers)
          expect(headers['cache-status']).toBe('rest-cache; fwd=miss; detail="Set-Cookie"');
        expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(3);
        const keys = await cacheStore(application).keys();
        expect(keys.filter((key) => key.includes('tracked'))).toEqual([]);
      });

      it('keeps what it has set of a header that the handler appends to', async () => {
        const told = new Set<unknown>();
        for (const [outcome, origin, exposed] of [
          ['MISS', 'https://evil.example', 'X-Of-Handler'],
          ['HIT', 'https://one.example', 'X-Exposed, X-Of-Handler'],
          ['HIT', 'https://one.example', 'X-Exposed, X-Of-Handler'],
          ['HIT', 'https://evil.example', 'X-Of-Handler'],
        ] as const) {
          const { headers } = await rawRequest(application, '/api/probe/appends', { headers: { origin } });
          expect([headers['x-cache'], headers['access-control-expose-headers']]).toEqual([outcome, exposed]);
          expect(headers['x-told']).toMatch(/^0[^,]*, by the handler$/);
          told.add(headers['x-told']);
        }
        expect(told.size).toBe(4);
      });

      it('sees every request, and its own header is not replayed', async () => {
        const answers = await thrice(application, '/api/probe/changed-after?seen');
        expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT', 'HIT']);
        expect(new Set(answers.map(({ headers }) => headers['x-afterwards'])).size).toBe(3);
        expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
      });
    });
  },
};
