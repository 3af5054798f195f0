import { expect, it } from 'vitest';
import { probeApi } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/** The option `repeatable: true` for policies and middlewares of routes, and what ends it. */

/** What each function of the application under test does, besides counting its calls. */
const MIDDLEWARES: Readonly<Record<string, string>> = {
  populate: `ctx.query = { ...ctx.query, populated: 'yes' }; ctx.set('X-Populated', 'yes'); return next();`,
  'header-reader': `ctx.state.tenant = ctx.get('X-Tenant'); return next();`,
  reader: `if (ctx.query.act) await strapi.db.query('api::tag.tag').count(); return next();`,
  'late-reader': `await next(); if (ctx.query.act) await strapi.db.query('api::tag.tag').count();`,
  answering: `if (ctx.query.act) { ctx.body = { at: 'here' }; return; } return next();`,
  throwing: `if (ctx.query.act) ctx.throw(400); return next();`,
  'late-throwing': `await next(); if (ctx.query.act) ctx.throw(400);`,
  replacing: `await next(); if (ctx.query.act) ctx.body = { at: 'replaced' };`,
  changing: `await next(); if (ctx.query.act) ctx.body.at = 'changed';`,
  'of-status': `await next(); if (ctx.query.act) ctx.status = 203;`,
};
const POLICIES: Readonly<Record<string, string>> = {
  asked: `return ctx.state !== undefined;`,
  'policy-of-header': `ctx.state.tenant = ctx.request.headers['x-tenant']; return true;`,
  refusing: `return ctx.request.query.act === undefined;`,
  forbidding: `if (ctx.request.query.act) throw new (require('@strapi/utils').errors.ForbiddenError)(); return true;`,
  unauthorizing: `if (ctx.request.query.act) throw new (require('@strapi/utils').errors.UnauthorizedError)(); return true;`,
  failing: `if (ctx.request.query.act) throw new TypeError('no such owner'); return true;`,
  'policy-reader': `if (ctx.request.query.act) await strapi.db.query('api::tag.tag').count(); return true;`,
};

const counted = Symbol.for('rest-cache-repeatable');
const counts = ((globalThis as Record<symbol, unknown>)[counted] ??= {}) as Record<string, number>;
const count = (name: string): string =>
  `{ const counts = globalThis[Symbol.for('rest-cache-repeatable')]; counts['${name}'] = (counts['${name}'] ?? 0) + 1; }`;

const files: Record<string, string> = {};
for (const [name, text] of Object.entries(MIDDLEWARES))
  files[`src/middlewares/${name}.js`] =
    `module.exports = (_config, { strapi }) => async (ctx, next) => { ${count(name)} ${text} };`;
for (const [name, text] of Object.entries(POLICIES))
  files[`src/policies/${name}.js`] = `module.exports = async (ctx, _config, { strapi }) => { ${count(name)} ${text} };`;

const path = (name: string): string => `/probe/with-${name}`;
const handler = (): object => ({ at: Math.random() });
const probe = probeApi([
  ...Object.keys(MIDDLEWARES).map((name) => ({
    path: path(name),
    handler,
    // Each function is between two that are really repeatable.
    config: { auth: false, middlewares: ['global::populate', `global::${name}`, 'global::populate'] },
  })),
  ...Object.keys(POLICIES).map((name) => ({
    path: path(name),
    handler,
    config: { auth: false, policies: ['global::asked', `global::${name}`, 'global::asked'] },
  })),
  { path: '/probe/without-word', handler, config: { auth: false, middlewares: ['global::populate'] } },
]);

const BREAKING: ReadonlyArray<readonly [name: string, kind: string, did: string]> = [
  ['reader', 'middleware', 'reads the database'],
  ['late-reader', 'middleware', 'reads the database'],
  ['answering', 'middleware', 'answers by itself'],
  ['throwing', 'middleware', 'answers by itself'],
  ['late-throwing', 'middleware', 'answers by itself'],
  ['replacing', 'middleware', 'changes the answer'],
  ['changing', 'middleware', 'changes the answer'],
  ['of-status', 'middleware', 'changes the answer'],
  ['policy-reader', 'policy', 'reads the database'],
];

export const repeatable: Questions = {
  about: 'the option repeatable',
  files: { ...files, ...probe.files },
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: probe.paths.map((full) => ({ path: full, repeatable: !full.endsWith('/without-word') })),
    },
  ],
  ask: (application) => {
    /** Sends a request five times. Returns each `X-Cache`, and how often the function has run. */
    const ask = async (target: string, name: string): Promise<{ seen: unknown[]; runs: number }> => {
      const before = counts[name] ?? 0;
      const seen: unknown[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1)
        seen.push((await rawRequest(application, target)).headers['x-cache']);
      return { seen, runs: (counts[name] ?? 0) - before };
    };
    const HITS = ['MISS', 'HIT', 'HIT', 'HIT', 'HIT'];

    it('functions that keep it run for what is not repeated yet, and what they set is sent', async () => {
      expect(await ask(`/api${path('asked')}`, 'asked')).toEqual({ seen: HITS, runs: 2 * 3 });
      const populated = await ask(`/api${path('populate')}`, 'populate');
      expect(populated.seen).toEqual(HITS);
      // Heads are repeated as they were sent.
      expect(populated.runs).toBe(2 * 3);
      expect((await rawRequest(application, `/api${path('populate')}`)).headers['x-populated']).toBe('yes');
      expect(application.warnings.filter((line) => line.includes('repeatable'))).toEqual([]);
    });

    it.each([
      ['header-reader', 'middleware'],
      ['policy-of-header', 'policy'],
    ])('%s, a %s that reads a header that is not in the key, is named', async (name, kind) => {
      const { seen } = await ask(`/api${path(name)}`, name);
      expect(seen).toEqual(['MISS', 'MISS', 'MISS', 'MISS', 'MISS']);
      const told = application.warnings.filter((line) => line.includes(` /api${path(name)} is not stored`));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(`is not stored: it reads x-tenant (in ${kind} global::${name})`);
    });

    it('functions of a route without it run every time', async () => {
      expect(await ask('/api/probe/without-word', 'populate')).toEqual({ seen: HITS, runs: 5 });
    });

    it.each([
      ['refusing', 403],
      ['forbidding', 403],
      ['unauthorizing', 401],
      ['failing', 500],
    ])('%s, a policy, keeps it: a refusal is never stored', async (name, status) => {
      const target = `/api${path(name)}`;
      expect(await ask(target, name)).toEqual({ seen: HITS, runs: 2 });
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await rawRequest(application, `${target}?act=1`)).status).toBe(status);
      expect(
        application.warnings.filter((line) => line.includes(`GET ${target} is no longer treated as repeatable`)),
      ).toEqual([]);
      expect(await ask(target, name)).toEqual({ seen: ['HIT', 'HIT', 'HIT', 'HIT', 'HIT'], runs: 0 });
    });

    it.each(BREAKING)('%s, a %s that %s, breaks it for its route, once and for good', async (name, kind, did) => {
      const target = `/api${path(name)}`;
      const other = `/api${path('asked')}?beside=${name}`;
      expect(await ask(target, name)).toEqual({ seen: HITS, runs: 2 });
      await ask(other, 'asked');
      await rawRequest(application, `${target}?act=1`);
      const told = application.warnings.filter((line) =>
        line.includes(`GET ${target} is no longer treated as repeatable`),
      );
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(`its ${kind} global::${name} ${did}`);
      // What was repeated before is no longer repeated. Other routes are repeated again after one more request.
      const { seen, runs } = await ask(target, name);
      expect(seen).toEqual(['HIT', 'HIT', 'HIT', 'HIT', 'HIT']);
      expect(runs).toBe(5);
      expect(await ask(other, 'asked')).toEqual({ seen: ['HIT', 'HIT', 'HIT', 'HIT', 'HIT'], runs: 3 });
      await rawRequest(application, `${target}?act=1`);
      expect(
        application.warnings.filter((line) => line.includes(`GET ${target} is no longer treated as repeatable`)),
      ).toHaveLength(1);
    });
  },
};
