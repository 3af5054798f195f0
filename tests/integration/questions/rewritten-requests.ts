import { expect, it, vi } from 'vitest';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * A global middleware rewrites the request and leaves what it has removed in the state, as applications do to
 * distinguish tenants.
 */

/** How a tenant's name is taken from the request line: the requested URL, and the application's code. */
const WAYS: Readonly<Record<string, readonly [ask: (tenant: string, path: string) => string, code: string]>> = {
  'ctx.path': [
    (tenant, path) => `/t/${tenant}${path}`,
    `const [, tenant, rest] = /^\\/t\\/([^/]+)(\\/.*)$/.exec(ctx.path) ?? []; if (tenant) { ctx.state.tenant = tenant; ctx.path = rest; }`,
  ],
  'ctx.url': [
    (tenant, path) => `/u/${tenant}${path}?sort=name`,
    `const [, tenant, rest] = /^\\/u\\/([^/]+)(\\/.*)$/.exec(ctx.url) ?? []; if (tenant) { ctx.state.tenant = tenant; ctx.url = rest; }`,
  ],
  'ctx.req.url': [
    (tenant, path) => `/r/${tenant}${path}`,
    `const [, tenant, rest] = /^\\/r\\/([^/]+)(\\/.*)$/.exec(ctx.req.url) ?? []; if (tenant) { ctx.state.tenant = tenant; ctx.req.url = rest; }`,
  ],
  'ctx.newRouterPath': [
    (tenant, path) => `/n/${tenant}${path}`,
    `const [, tenant, rest] = /^\\/n\\/([^/]+)(\\/.*)$/.exec(ctx.path) ?? []; if (tenant) { ctx.state.tenant = tenant; ctx.newRouterPath = rest; }`,
  ],
  'ctx.query without it': [
    (tenant, path) => `${path}?q=${tenant}&sort=name`,
    `const { q, ...rest } = ctx.query; if (q) { ctx.state.tenant = q; ctx.query = rest; }`,
  ],
  'delete ctx.query.it': [
    (tenant, path) => `${path}?sort=name&d=${tenant}`,
    `if (ctx.query.d) { ctx.state.tenant = ctx.query.d; delete ctx.query.d; }`,
  ],
  'another value': [
    (tenant, path) => `${path}?v=${tenant}`,
    `if (ctx.query.v) { ctx.state.tenant = ctx.query.v; ctx.query = { v: 'all' }; }`,
  ],
  'the query string by hand': [
    (tenant, path) => `${path}?h=${tenant}`,
    `const tenant = new URLSearchParams(ctx.querystring).get('h'); if (tenant) { ctx.state.tenant = tenant; ctx.querystring = ''; }`,
  ],
};

const handler = ({ state }: ProbeContext): object => ({ tenant: (state as { tenant?: string }).tenant });
const probe = probeApi([
  { path: '/probe/rewritten-header', handler },
  { path: '/probe/rewritten-header-old', handler },
  { path: '/probe/rewritten', handler },
  { path: '/probe/rewritten-by-route', handler, config: { auth: false, middlewares: ['global::tenant-of-route'] } },
]);

/** The same for headers: the one that is in the key, and a credential, which Strapi must not see. */
const OF_HEADERS = `
  const { headers } = ctx;
  const tenant = headers['x-tenant'] ?? /^Tenant (.+)$/.exec(headers.authorization)?.[1];
  if (tenant) { ctx.state.tenant = tenant; delete headers['x-tenant']; delete headers.authorization; }`;

const code = Object.values(WAYS)
  .map(([, text]) => `{ ${text} }`)
  .join('\n');
const FILES = {
  'src/middlewares/tenant.js': `module.exports = () => (ctx, next) => {
    if (!ctx.originalUrl.includes('/probe/rewritten-by-route')) { ${code} }
    if (ctx.originalUrl.includes('/probe/rewritten-header')) { ${OF_HEADERS} }
    return next();
  };`,
  'src/middlewares/tenant-of-route.js': `module.exports = () => (ctx, next) => { ${code} return next(); };`,
};

const OF_QUERY = Object.entries(WAYS).filter(([, [ask]]) => ask('', '').startsWith('?'));

export const rewrittenRequests: Questions = {
  about: 'what a request said before a middleware rewrote it',
  files: { ...probe.files, ...FILES },
  middlewares: ['global::tenant'],
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: probe.paths.map((path) => ({
        path,
        keys: { useHeaders: ['x-tenant'] },
        ...(path.endsWith('-old') && { maxAge: 500, stale: { whileRevalidate: 60_000 } }),
      })),
    },
  ],
  ask: (application) => {
    const ask = async (target: string, sent: Record<string, string> = {}) => {
      const { headers, body } = await rawRequest(application, target, { headers: sent });
      return [headers['x-cache'], (JSON.parse(body.toString()) as { tenant?: string }).tenant];
    };

    it.each([
      ...Object.entries(WAYS).map(([way, [target]]) => ['global', way, target] as const),
      ...OF_QUERY.map(([way, [target]]) => ['route', way, target] as const),
    ])('of a %s middleware, %s: each has an entry of its own', async (place, _way, target) => {
      const path = `/api/probe/${place === 'global' ? 'rewritten' : 'rewritten-by-route'}`;
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT'])
        for (const tenant of ['acme', 'Acme', 'beta'])
          expect(await ask(target(tenant, path))).toEqual([expected, tenant]);
    });

    it('a header in the key that a global middleware removes: each value has an entry of its own', async () => {
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT'])
        for (const tenant of ['acme', 'Acme', 'beta'])
          expect(await ask('/api/probe/rewritten-header', { 'x-tenant': tenant })).toEqual([expected, tenant]);
    });

    it('a response of which it is in the key is computed anew once it is old', async () => {
      const timeToLive = async (): Promise<number> => {
        const sent = { headers: { 'x-tenant': 'acme' } };
        const { headers, body } = await rawRequest(application, '/api/probe/rewritten-header-old', sent);
        expect(JSON.parse(body.toString())).toEqual({ tenant: 'acme' });
        return Number(/hit; ttl=(-?\d+)/.exec(String(headers['cache-status']))?.[1]);
      };
      expect(await timeToLive()).toBeNaN();
      await vi.waitFor(async () => expect(await timeToLive()).toBeLessThan(0), { timeout: 3000 });
      await vi.waitFor(async () => expect(await timeToLive()).toBeGreaterThanOrEqual(0), { timeout: 3000 });
    });

    it('a credential that a global middleware removes bypasses', async () => {
      for (const [outcome, tenant] of [
        ['HITPASS', 'acme'],
        ['MISS', undefined],
        ['HITPASS', 'beta'],
        ['HIT', undefined],
      ] as const) {
        const sent: Record<string, string> = tenant === undefined ? {} : { authorization: `Tenant ${tenant}` };
        expect(await ask('/api/probe/rewritten-header?of=all', sent)).toEqual([outcome, tenant]);
      }
    });

    it('does not count as another request in another spelling of the path', async () => {
      expect((await ask('/api/probe/rewritten?spelled=1'))[0]).toBe('MISS');
      expect((await ask('/API/Probe/rewritten/?spelled=1'))[0]).toBe('HIT');
    });
  },
};
