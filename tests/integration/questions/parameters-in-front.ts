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
const ALL_WAYS = [...WAYS, ...HARMLESS];

const PLACES = ['policy', 'route', 'global'] as const;
const NAMES: Readonly<Record<(typeof PLACES)[number], string>> = {
  policy: 'policy global::reading-parameters',
  route: 'middleware global::reading-parameters',
  global: 'global::reading-parameters',
};

const handler = ({ state }: ProbeContext): object => {
  const { read, held } = state as { read?: unknown; held?: { preview?: unknown } };
  return { at: Math.random(), read: held === undefined ? read : held.preview };
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
        read: (JSON.parse(body.toString()) as { read?: unknown }).read,
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
        expect((await ask(`${path}?sort=name&preview=a`)).cache).toBe('HIT');
      },
    );

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
