import { expect, it } from 'vitest';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/** What has to see every request of a route keeps the hits of this route, and of no other, on the route. */

const handler = (ctx: ProbeContext): object => ({ path: ctx.path, at: Math.random() });

/** How often each function was called. */
const counts = { policy: 0, middleware: 0, hitpass: 0 };
Object.assign(globalThis, { [Symbol.for('rest-cache-functions-of-a-route')]: counts });
const count = (name: keyof typeof counts): string =>
  `globalThis[Symbol.for('rest-cache-functions-of-a-route')].${name} += 1;`;

const probe = probeApi([
  { path: '/probe/of-plain', handler },
  { path: '/probe/of-policy', handler, config: { auth: false, policies: ['global::counting'] } },
  { path: '/probe/of-middleware', handler, config: { auth: false, middlewares: ['global::adding'] } },
  { path: '/probe/of-hitpass', handler },
]);

const hitpass = (): boolean => {
  counts.hitpass += 1;
  return false;
};

export const functionsOfARoute: Questions = {
  about: 'a function of a route that has to see every request',
  files: {
    ...probe.files,
    'src/policies/counting.js': `module.exports = () => { ${count('policy')} return true; };`,
    'src/middlewares/adding.js': `module.exports = () => async (ctx, next) => { ${count('middleware')} await next(); ctx.body.added = true; };`,
  },
  contentTypes: [
    {
      contentType: 'api::tag.tag',
      routes: probe.paths.map((path) => (path.endsWith('of-hitpass') ? { path, hitpass } : path)),
    },
  ],
  ask: (application) => {
    const five = async (name: string) => {
      // A hitpass function is called at boot as well, to find out what it does.
      Object.assign(counts, { policy: 0, middleware: 0, hitpass: 0 });
      const answers = [];
      for (let asked = 0; asked < 5; asked += 1) answers.push(await rawRequest(application, `/api/probe/of-${name}`));
      expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT', 'HIT', 'HIT', 'HIT']);
      const bodies = answers.map(({ body }) => body.toString());
      expect(new Set(bodies).size).toBe(1);
      return { body: JSON.parse(bodies[0] ?? '') as object, ...counts };
    };

    it('is called for each: a policy, a middleware, a hitpass function', async () => {
      expect(application.logs).toContain(
        '[rest-cache] hits are answered before Strapi: the effect of every global middleware can be replayed',
      );
      expect(await five('policy')).toMatchObject({ policy: 5 });
      expect(await five('middleware')).toMatchObject({ middleware: 5, body: { added: true } });
      expect(await five('hitpass')).toMatchObject({ hitpass: 5 });
      expect(await five('plain')).toMatchObject({ policy: 0, middleware: 0, hitpass: 0 });
    });
  },
};
