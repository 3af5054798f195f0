import { expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { parseCacheStatus } from '../../application/cache-status-field';
import type { ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { codeInFront } from './code-in-front';
import type { Questions } from './questions';

/** A policy or middleware in front of the cache reads a parameter that is not listed for the key. */

/** Ways to read `preview`, as source code of the application. */
const WAYS = [
  `ctx.query.preview`,
  `ctx.request.query.preview`,
  `'preview' in ctx.query`,
  `Object.hasOwn(ctx.query, 'preview')`,
  `({ ...ctx.query }).preview`,
  `JSON.parse(JSON.stringify(ctx.query)).preview`,
  `structuredClone(ctx.query).preview`,
  `Object.entries(ctx.query).length`,
  `require('node:util').inspect(ctx.query)`,
  `(ctx.query = { ...ctx.query, sort: 'name' }, ctx.query.preview)`,
  `(ctx.state.held = ctx.query, null)`,
];
/** Code that does not change anybody's answer. */
const HARMLESS = [`ctx.query.sort`, `ctx.query.absent ?? null`, `(ctx.query.populate = '*', null)`, `ctx.path`];
/** Code that sees to it that every answer is for one tenant. */
const ENFORCING = [
  `ctx.query.filters = { tenant: 'acme' }`,
  `ctx.request.query.filters = { tenant: 'acme' }`,
  `Object.assign(ctx.query, { filters: { tenant: 'acme' } })`,
  `ctx.query = { ...ctx.query, filters: { tenant: 'acme' } }`,
  `ctx.query = { filters: { tenant: 'acme' } }`,
  `ctx.querystring = 'filters[tenant]=acme'`,
  `(ctx.query.filters ??= {}).tenant = 'acme'`,
  `delete ctx.query.filters && (ctx.query.filters = { tenant: 'acme' })`,
];
const ALL_WAYS = [...WAYS, ...HARMLESS, ...ENFORCING];

const PLACES = ['policy', 'route', 'global'] as const;
const NAMES: Readonly<Record<(typeof PLACES)[number], string>> = {
  policy: 'policy global::reading-parameters',
  route: 'middleware global::reading-parameters',
  global: 'global::reading-parameters',
};

const handler = (ctx: ProbeContext): object => {
  const { state, query, url } = ctx;
  ctx.set('X-Filters', JSON.stringify(query.filters ?? null));
  const { read, held } = state as { read?: unknown; held?: { preview?: unknown } };
  return { at: Math.random(), read: held === undefined ? read : held.preview, filters: query.filters, url };
};
const { probe, files, pathOf } = codeInFront('reading-parameters', ALL_WAYS, PLACES, handler);

export const parametersInFront: Questions = {
  about: 'parameters read in front of the cache',
  files,
  middlewares: ['global::reading-parameters'],
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: probe.paths.map((path) => ({ path, keys: { useQueryParams: ['sort'] } })),
    },
  ],
  ask: (application) => {
    const reset = (): Promise<void> => cacheStore(application).reset();
    const ask = async (path: string) => {
      const { headers, body } = await rawRequest(application, path);
      return {
        cache: headers['x-cache'],
        detail: parseCacheStatus(String(headers['cache-status'])).parameters.detail,
        ...(JSON.parse(body.toString()) as { read?: unknown; filters?: unknown; url: string }),
      };
    };

    const places = PLACES.flatMap((place) => ALL_WAYS.map((way, index) => [place, way, pathOf(place, index)] as const));

    it.each(places.filter(([, way]) => WAYS.includes(way)))(
      'by %s: %s is not stored where the request brings it',
      async (place, _way, path) => {
        await reset();
        for (const value of ['a', 'b', 'b']) {
          const { cache, detail } = await ask(`${path}?preview=${value}`);
          expect([cache, detail]).toEqual([
            'MISS',
            `reads the parameter preview (in ${NAMES[place]}), not in keys.useQueryParams`,
          ]);
        }
        // Where it reads no such parameter, everybody shares the answer.
        for (const expected of ['MISS', 'HIT', 'HIT']) expect((await ask(`${path}?sort=name`)).cache).toBe(expected);
        // With one, the answer might be another.
        expect((await ask(`${path}?sort=name&preview=a`)).cache).toBe('MISS');
      },
    );

    it.each(places.filter(([, way]) => ENFORCING.includes(way)))(
      'by %s: the handler gets what %s has set, also where the client has sent the same',
      async (_place, _way, path) => {
        const sent = ['filters[tenant]=acme', 'filters%5Btenant%5D=acme', '', 'filters[tenant]=beta', 'utm_source=x'];
        for (const query of [...sent, ...sent.toReversed()])
          expect([query, (await ask(`${path}?${query}`)).filters]).toEqual([query, { tenant: 'acme' }]);
        const { headers } = await rawRequest(application, `${path}?filters[tenant]=acme&x=1`, { method: 'HEAD' });
        expect(headers['x-filters']).toBe('{"tenant":"acme"}');
      },
    );

    it('what was read is in the URL that the handler sees', async () => {
      const { url } = await ask(`${pathOf('policy', 0)}?other=1&preview=b&sort=name`);
      expect(url).toBe(`${pathOf('policy', 0)}?preview=b&sort=name`);
    });

    it.each(places.filter(([, way]) => HARMLESS.includes(way)))('by %s: %s is stored', async (_place, _way, path) => {
      await reset();
      for (const expected of ['MISS', 'HIT', 'HIT'])
        expect((await ask(`${path}?preview=a&sort=name`)).cache).toBe(expected);
      expect((await ask(`${path}?sort=name`)).cache).toBe('HIT');
    });

    it.each(PLACES)('%s gets the very values', async (place) => {
      for (const [index, way] of WAYS.entries()) {
        if (!way.endsWith('.preview') && !way.includes('.preview)')) continue;
        expect((await ask(`${pathOf(place, index)}?preview=c`)).read).toBe('c');
      }
    });
  },
};
