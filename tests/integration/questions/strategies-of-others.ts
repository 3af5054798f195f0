import { expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import { grant } from '../../application/callers';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * The application's own authentication strategies read a header or a parameter, leave what it says in the state, and
 * authenticate nobody.
 */

const handler = ({ state, query }: ProbeContext): object => {
  const { tenant } = state as { tenant?: string };
  return { tenant, filters: query.filters };
};
const probe = probeApi([
  { path: '/probe/any', handler, config: {} },
  { path: '/probe/keyed', handler, config: {} },
  { path: '/probe/let-in', handler, config: { auth: { strategies: ['let-in'] } } },
  { path: '/probe/listed', handler, config: {} },
  { path: '/probe/filtered', handler, config: {} },
  { path: '/probe/let-in-by-key', handler, config: { auth: { strategies: ['let-in'] } } },
]);

/** Strategies registered before the plugin. */
const STRATEGIES = `module.exports = (plugin) => {
  const { register } = plugin;
  plugin.register = async (given) => {
    globalThis[Symbol.for('rest-cache-tests strategies')]?.(given.strapi);
    given.strapi.get('auth').register('content-api', {
      name: 'tenant',
      authenticate(ctx) {
        if (ctx.path.endsWith('/filtered')) ctx.query.filters = { tenant: 'acme' };
        if (ctx.path.endsWith('/listed') && ctx.query.tenant) ctx.state.tenant = ctx.query.tenant;
        if (!/probe.(any|keyed|let-in)$/.test(ctx.path)) return { authenticated: false };
        const tenant = ctx.get('x-tenant') || ctx.get('accept-language');
        if (tenant !== '') ctx.state.tenant = tenant;
        return { authenticated: false };
      },
      verify() {},
    });
    given.strapi.get('auth').register('content-api', {
      name: 'let-in',
      authenticate(ctx) {
        const key = ctx.path.endsWith('/let-in-by-key') ? ctx.query.key ?? '' : ctx.get('x-api-key');
        return key === '' || !/let-in/.test(ctx.path) ? { authenticated: false } : { authenticated: true, credentials: { id: 7 } };
      },
      verify() {},
    });
    await register(given);
  };
  return plugin;
};`;

export const strategiesOfOthers: Questions = {
  about: 'an authentication strategy of the application',
  files: { ...probe.files, 'src/extensions/users-permissions/strapi-server.js': STRATEGIES },
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: [
        { path: '/api/probe/any', hitpass: true, keys: {} },
        { path: '/api/probe/keyed', hitpass: true, keys: { useHeaders: ['x-tenant'] } },
        { path: '/api/probe/listed', keys: { useQueryParams: ['page'] } },
        { path: '/api/probe/filtered', keys: {} },
        { path: '/api/probe/let-in-by-key', hitpass: false, keys: { useAuth: true, useQueryParams: ['page'] } },
        { path: '/api/probe/let-in', hitpass: false, keys: { useAuth: true, ignoreHeaders: ['x-tenant'] } },
      ],
    },
  ],
  ask: (application) => {
    const ask = async (path: string, headers: Record<string, string>) => {
      const { status, headers: sent, body } = await rawRequest(application, `/api${path}`, { headers });
      expect(status).toBe(200);
      const { detail } = parseCacheStatus(String(sent['cache-status'])).parameters;
      const { tenant, filters } = JSON.parse(body.toString()) as { tenant?: string; filters?: unknown };
      return { cache: sent['x-cache'], detail, tenant, filters };
    };

    it('a request that brings what they read bypasses the cache; others do not', async () => {
      await grant(application, 'public', probe.action('/probe/any'), probe.action('/probe/keyed'));
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT']) {
        expect(await ask('/probe/any', {})).toMatchObject({ cache: expected, tenant: undefined });
        for (const tenant of ['acme', 'beta'])
          expect(await ask('/probe/any', { 'x-tenant': tenant })).toMatchObject({
            cache: 'HITPASS',
            detail: 'an authentication strategy reads x-tenant, not in the key',
            tenant,
          });
      }
    });

    it('a HEAD that brings what they read bypasses the cache', async () => {
      const { headers } = await rawRequest(application, '/api/probe/any', {
        method: 'HEAD',
        headers: { 'x-tenant': 'acme' },
      });
      expect(headers['x-cache']).toBe('HITPASS');
    });

    it('a request that brings what they read bypasses the cache where lanes in front take the header for one that changes nothing', async () => {
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT']) {
        expect(await ask('/probe/any?fr', {})).toMatchObject({ cache: expected, tenant: undefined });
        expect(await ask('/probe/any?fr', { 'accept-language': 'fr' })).toMatchObject({
          cache: 'HITPASS',
          tenant: 'fr',
        });
      }
    });

    it('where the key has what they read, each has an entry of its own', async () => {
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT'])
        for (const tenant of ['acme', 'beta'])
          expect(await ask('/probe/keyed', { 'x-tenant': tenant })).toMatchObject({ cache: expected, tenant });
    });

    it('a request that brings a parameter that they read, and that is not in the key, is not stored', async () => {
      await grant(application, 'public', probe.action('/probe/listed'));
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT']) {
        expect(await ask('/probe/listed?page=1', {})).toMatchObject({ cache: expected, tenant: undefined });
        for (const tenant of ['acme', 'beta'])
          expect(await ask(`/probe/listed?page=1&tenant=${tenant}`, {})).toMatchObject({
            cache: 'MISS',
            detail: 'reads the parameter tenant (in an authentication strategy), not in keys.useQueryParams',
            tenant,
          });
      }
      for (const expected of ['MISS', 'HIT', 'HIT', 'HIT'])
        expect((await ask('/probe/listed?page=2&utm_source=x', {})).cache).toBe(expected);
    });

    it('what they set in the query reaches the handler each time', async () => {
      await grant(application, 'public', probe.action('/probe/filtered'));
      for (const query of ['', '?x=1', '?filters[tenant]=beta'])
        for (let time = 0; time < 6; time += 1)
          expect((await ask(`/probe/filtered${query}`, {})).filters).toEqual({ tenant: 'acme' });
    });

    it('of a strategy that lets its callers in by a parameter, they share an identity as well', async () => {
      for (const expected of ['MISS', 'HIT', 'HIT'])
        for (const key of expected === 'MISS' ? ['one'] : ['one', 'two'])
          expect((await ask(`/probe/let-in-by-key?page=1&key=${key}`, {})).cache).toBe(expected);
    });

    it('of a strategy that lets its callers in, what it reads is theirs: they share an identity', async () => {
      for (const expected of ['MISS', 'HIT', 'HIT'])
        expect((await ask('/probe/let-in', { 'x-api-key': 'one' })).cache).toBe(expected);
      expect(application.warnings.filter((line) => line.includes('"let-in"'))).toEqual([
        expect.stringMatching(
          /share one response, because keys\.useAuth cannot tell them apart\. .*signed-in-users\.md/,
        ) as unknown,
      ]);
    });
  },
};
