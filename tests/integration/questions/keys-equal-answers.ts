import fc from 'fast-check';
import { expect, it } from 'vitest';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { numberOfRuns } from '../../number-of-runs';
import type { Questions } from './questions';

/** Requests with equal keys have equal uncached responses: however a request is spelled, its answer is the origin's. */

const probe = probeApi(
  (
    [
      ['zoo/:name/:rest(.*)', 'name', 'rest'],
      ['pages/:path+', 'path'],
      ['all/(.*)', '0'],
      ['one/:id?', 'id'],
    ] as const
  ).map(([path, ...names]) => ({
    path: `/probe/${path}`,
    // The router adds a parameter `0` of the route for public files, which is the whole path as it is spelled.
    handler: ({ params }: ProbeContext) => names.map((name) => params[name] ?? null),
  })),
);

const NAMES = ['sort', 'fields', 'filters', 'populate', 'pagination', 'locale', 'status', 'x', '_q', 'b'];
const STEPS = [
  '',
  '[]',
  '[0]',
  '[1]',
  '[2]',
  '[21]',
  '[name]',
  '[name][$eq]',
  '[$or][0][name]',
  '[$or][1][slug]',
  '[pageSize]',
  '[page]',
  '[articles]',
  '.a',
];
const VALUES = [
  'name',
  'slug',
  'name:desc',
  'slug:asc',
  'Salt',
  'salt',
  '1',
  '2',
  '',
  'true',
  '*',
  'articles',
  'a&b',
  'a=b',
  'a,b',
  '[',
  '%',
  'ü',
  'name,slug',
  '0',
];

/** The text as it is written in a URL, with few or all characters encoded. */
const spelled = (text: string, encodesAll: boolean): string =>
  encodesAll ? encodeURIComponent(text) : text.replace(/[&=%#+ ü]/g, (character) => encodeURIComponent(character));

const parameter = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.constantFrom(...STEPS),
    fc.option(fc.constantFrom(...VALUES), { nil: undefined }),
    fc.boolean(),
  )
  .map(([name, step, value, encodesAll]) => {
    const left = spelled(name + step, encodesAll);
    return value === undefined ? left : `${left}=${spelled(value, encodesAll)}`;
  });

const path = fc.constantFrom(
  '/api/tags',
  '/api/tags/',
  '/API/tags',
  '/api/TAGS',
  '/api/categories',
  '/api/categories/nobody',
  '/api/categories/NOBODY',
);

const header = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { 'strapi-response-format': 'v4' },
  { 'strapi-encode-source-maps': 'true' },
);

const request = fc.record({ path, query: fc.array(parameter, { maxLength: 5 }), headers: header });

export const keysEqualAnswers: Questions = {
  about: 'requests with equal keys',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths.map((path) => ({ path, keys: {} })) }],
  ask: (application) => {
    it('a cached answer is byte for byte the uncached one', async () => {
      const seen = { hits: 0, misses: 0 };
      await fc.assert(
        fc.asyncProperty(request, async ({ path, query, headers }) => {
          const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
          const uncached = await rawRequest(application, target, { headers: { ...headers, cookie: 'a=b' } });
          for (let attempt = 0; attempt < 2; attempt += 1) {
            const cached = await rawRequest(application, target, { headers });
            if (cached.headers['x-cache'] === 'HIT') seen.hits += 1;
            else seen.misses += 1;
            expect([target, cached.status, cached.body.toString()]).toEqual([
              target,
              uncached.status,
              uncached.body.toString(),
            ]);
            expect(cached.headers['content-type']).toBe(uncached.headers['content-type']);
          }
        }),
        { numRuns: numberOfRuns(400), interruptAfterTimeLimit: 40_000 },
      );
      // Without enough hits the property would hold trivially.
      expect(seen.hits).toBeGreaterThan(20);
    });

    it.each(['zoo/a', 'pages', 'all', 'one'])('a slash at the end of a parameter is part of it: %s', async (prefix) => {
      const ends = ['docs', 'docs/', 'DOCS', 'docs/a', 'docs/a/', 'docs//', '', '/'];
      for (const target of ends.map((end) => `/api/probe/${prefix}/${end}`)) {
        // A request with a cookie bypasses the cache.
        const origin = await rawRequest(application, target, { headers: { cookie: 'any=1' } });
        expect(origin.headers['x-cache'] ?? 'HITPASS').toBe('HITPASS');
        const answers = [await rawRequest(application, target), await rawRequest(application, target)];
        for (const { status, body } of answers)
          expect([target, status, body.toString()]).toEqual([target, origin.status, origin.body.toString()]);
      }
    });
  },
};
