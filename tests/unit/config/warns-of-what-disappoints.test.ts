import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

const warnings = (strategy: object, restPrefix?: string): readonly string[] =>
  resolveConfig({ strategy }, application(restPrefix === undefined ? {} : { restPrefix })).warnings.map(
    ({ text }) => text,
  );

const type = (settings: object) => ({ contentTypes: [{ contentType: 'api::article.article', ...settings }] });

const credential = (where: string, name: string): string =>
  `${where} holds "${name}": the live credential is written into the store's keys, and cached responses follow the credential ` +
  'instead of the caller. Use keys: { useAuth: true } instead.';

const unpurged = (who: string, seconds: number): string =>
  `strategy.cacheControl lets ${who} show an answer for up to ${seconds} seconds without asking again, whatever is written, ` +
  'purged or revoked meanwhile. Write a cacheControl.maxAge that you can live with, or strategy.edge: it purges CDNs with ' +
  "each write or, with mode: 'revalidate', has them ask each time.";

it.each<[description: string, strategy: object, expected: string[]]>([
  [
    'a route that matches nothing',
    type({ routes: ['/api/articles', '/api/artciles/featured'] }),
    [
      'strategy.contentTypes[0].routes[1]: no route of the content API matches GET /api/artciles/featured, so nothing is ' +
        'cached for it; the nearest route is GET /api/articles/featured.',
    ],
  ],
  [
    'a route that matches nothing, without the prefix',
    type({ routes: ['/user/me'] }),
    [
      'strategy.contentTypes[0].routes[0]: no route of the content API matches GET /user/me, so nothing is cached for ' +
        'it; the nearest route is GET /api/users/me.',
    ],
  ],
  [
    'a route that no other resembles, without naming one',
    type({ routes: ['/api/shop/cart/totals'] }),
    [
      'strategy.contentTypes[0].routes[0]: no route of the content API matches GET /api/shop/cart/totals, so nothing is ' +
        'cached for it.',
    ],
  ],
  [
    'useAuth by role without effect',
    type({ keys: { useAuth: 'role' } }),
    [
      '"api::article.article": keys.useAuth is "role", but hitpass is not false, so requests with credentials bypass the ' +
        'cache and useAuth has no effect. Set hitpass: false for one cached response per role.',
    ],
  ],
  [
    'keys that end useAuth by role',
    {
      hitpass: false,
      keys: { useAuth: 'role' },
      contentTypes: [{ contentType: 'api::article.article', keys: { useHeaders: ['x-tenant'] } }],
    },
    [
      '"api::article.article": its keys leave out useAuth, which the inherited hitpass: false depends on, so hitpass is true ' +
        "here: requests with credentials bypass the cache. Write useAuth: 'role' into these keys for one cached response per " +
        'role, or hitpass: true beside them if the bypass is meant.',
    ],
  ],
  [
    'a public scope for answers per role',
    {
      cacheControl: { enabled: true, scope: 'public', maxAge: 'none' },
      hitpass: false,
      keys: { useAuth: 'role' },
      contentTypes: ['api::article.article'],
    },
    [
      'strategy.cacheControl.scope is "public", but GET /api/articles, GET /api/articles/:id answer each caller ' +
        'differently, so their Cache-Control is "private". CDNs keep the answers of other routes only.',
    ],
  ],
  [
    'a public scope for answers per caller',
    {
      cacheControl: { enabled: true, scope: 'public' },
      contentTypes: [
        { contentType: 'api::article.article', hitpass: false, keys: { useAuth: true } },
        'api::category.category',
      ],
    },
    [
      'strategy.cacheControl.scope is "public", but GET /api/articles, GET /api/articles/:id answer each caller ' +
        'differently, so their Cache-Control is "private". CDNs keep the answers of other routes only.',
      unpurged('browsers and CDNs', 3600),
    ],
  ],
  [
    'copies in browsers for as long as the longest entry, and as they may be shown while stale',
    {
      cacheControl: { enabled: true, staleWhileRevalidate: 30_000 },
      contentTypes: [
        { contentType: 'api::article.article', maxAge: 90_500, statuses: [{ status: 404, maxAge: 100_000 }] },
      ],
    },
    [unpurged('browsers', 130)],
  ],
  [
    'a max-age of its own for other caches',
    { cacheControl: { enabled: true, maxAge: 5000, scope: 'public' }, ...type({}) },
    [unpurged('browsers and CDNs', 5)],
  ],
  ['copies that are asked about each time', { cacheControl: { enabled: true, maxAge: 0 }, ...type({}) }, []],
  ['no time for other caches', { cacheControl: { enabled: true, maxAge: 'none' }, ...type({}) }, []],
  [
    'durations that were probably meant in seconds',
    {
      maxAge: 60,
      ...type({ maxAge: 300, routes: [{ path: '/api/articles', maxAge: 5 }] }),
      cacheControl: { maxAge: 30, staleWhileRevalidate: 60 },
    },
    [
      'strategy.maxAge is 60 milliseconds. If 60 seconds were meant, write 60000.',
      'strategy.cacheControl.maxAge is 30 milliseconds. If 30 seconds were meant, write 30000.',
      'strategy.cacheControl.staleWhileRevalidate is 60 milliseconds. If 60 seconds were meant, write 60000.',
      'strategy.contentTypes[0].maxAge is 300 milliseconds. If 300 seconds were meant, write 300000.',
      'strategy.contentTypes[0].routes[0].maxAge is 5 milliseconds. If 5 seconds were meant, write 5000.',
    ],
  ],
  [
    'an hour and a day in seconds',
    { maxAge: 3600, ...type({ maxAge: 86_400 }) },
    [
      'strategy.maxAge is 3600 milliseconds. If 3600 seconds were meant, write 3600000.',
      'strategy.contentTypes[0].maxAge is 86400 milliseconds. If 86400 seconds were meant, write 86400000.',
    ],
  ],
  [
    'durations that are meant',
    {
      maxAge: 1000,
      ...type({ maxAge: 1500, routes: [{ path: '/api/articles', maxAge: 1_800_000 }] }),
      cacheControl: { maxAge: 0 },
    },
    [],
  ],
  [
    'one cached response per caller for callers who bypass',
    type({ keys: { useAuth: true }, routes: [{ path: '/api/articles/featured', keys: { useAuth: true } }] }),
    [
      'GET /api/articles/featured ("api::article.article"): keys.useAuth is true, but hitpass is not false, so requests ' +
        'with credentials bypass the cache and useAuth has no effect. Set hitpass: false for one cached response per caller.',
      '"api::article.article": keys.useAuth is true, but hitpass is not false, so requests with credentials bypass the ' +
        'cache and useAuth has no effect. Set hitpass: false for one cached response per caller.',
    ],
  ],
  [
    'the same on the strategy',
    { keys: { useAuth: true }, contentTypes: ['api::article.article'] },
    [
      'strategy: keys.useAuth is true, but hitpass is not false, so requests with credentials bypass the cache and ' +
        'useAuth has no effect. Set hitpass: false for one cached response per caller.',
    ],
  ],
  [
    'one cached response per caller where some of the callers do not bypass',
    { keys: { useAuth: true }, contentTypes: [{ contentType: 'api::article.article', hitpass: false }] },
    [],
  ],
  [
    'one cached response per caller on a type of which one route lets callers in',
    type({ keys: { useAuth: true }, routes: [{ path: '/api/articles/featured', hitpass: false }] }),
    [],
  ],
  [
    'a content type without routes',
    { contentTypes: ['admin::user'] },
    ['strategy.contentTypes[0]: "admin::user" has no route that could be cached; list its routes under "routes".'],
  ],
  [
    'a content type whose routes are left out',
    type({ injectDefaultRoutes: false }),
    [
      'strategy.contentTypes[0]: "api::article.article" has no route that could be cached; list its routes under "routes".',
    ],
  ],
  [
    'more parameter names than parameters',
    type({ routes: [{ path: '/articles/slug/:slug+', paramNames: ['category', 'slug'] }] }),
    [
      'strategy.contentTypes[0].routes[0].paramNames has no effect: it names 2 parameters, GET ' +
        '/api/articles/slug/:slug+ has 1.',
    ],
  ],
  [
    'credentials in the key of the strategy',
    { keys: { useHeaders: ['Authorization', 'accept'] } },
    [credential('strategy.keys.useHeaders', 'authorization')],
  ],
  [
    'credentials in the key of the strategy, once, however many inherit it',
    { keys: { useHeaders: ['cookie'] }, ...type({ routes: ['/articles/featured'] }) },
    [credential('strategy.keys.useHeaders', 'cookie')],
  ],
  [
    'credentials in the key of a content type',
    type({ keys: { useHeaders: ['COOKIE', 'authorization'] } }),
    ['authorization', 'cookie'].map((name) => credential('strategy.contentTypes[0].keys.useHeaders', name)),
  ],
  [
    'credentials in the key of a route',
    type({ routes: [{ path: '/articles', keys: { useHeaders: ['cookie'] } }] }),
    [credential('strategy.contentTypes[0].routes[0].keys.useHeaders', 'cookie')],
  ],
  [
    'nothing, where there is nothing',
    type({ keys: { useHeaders: ['accept-language'] }, routes: ['/articles/featured'] }),
    [],
  ],
])('warns of %s', (_description, strategy, expected) => {
  expect(warnings(strategy)).toEqual(expected);
});

it('names no nearest route where there is none at all', () => {
  const { warnings: found } = resolveConfig({ strategy: type({ routes: ['/x'] }) }, application({ routes: [] }));
  expect(found[0]?.text).toBe(
    'strategy.contentTypes[0].routes[0]: no route of the content API matches GET /x, so nothing is cached for it.',
  );
});

it('leaves the names of parameters alone that it cannot use', () => {
  const [contentType] = resolveConfig(
    { strategy: type({ routes: [{ path: '/articles/featured', paramNames: ['a'] }] }) },
    application(),
  ).strategy.contentTypes;
  expect(contentType?.routes.find(({ path }) => path === '/api/articles/featured')?.paramNames).toEqual([]);
});
