import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application, warningsOf } from './application';

const type = (settings: object) => ({ contentTypes: [{ contentType: 'api::article.article', ...settings }] });

const credential = (where: string, name: string): string =>
  `${where} holds "${name}": the live credential is written into the store's keys, and cached responses follow the credential ` +
  'instead of the caller. Use keys: { useAuth: true } instead.';

const unpurged = (who: string, seconds: number): string =>
  `strategy.cacheControl lets ${who} show an answer for up to ${seconds} seconds without asking again, whatever is written, ` +
  'purged or revoked meanwhile. Write a cacheControl.maxAge that you can live with, or strategy.edge: it purges CDNs with ' +
  "each write or, with mode: 'revalidate', has them ask each time.";

const unmatched = (route: number, path: string, nearest?: string): string =>
  `strategy.contentTypes[0].routes[${route}]: no route of the content API matches GET ${path}, so nothing is cached for it` +
  `${nearest === undefined ? '' : `; the nearest route is GET ${nearest}`}.`;

const useless = (where: string, useAuth: string, each: string): string =>
  `${where}: keys.useAuth is ${useAuth}, but hitpass is not false, so requests with credentials bypass the cache and ` +
  `useAuth has no effect. Set hitpass: false for one cached response per ${each}.`;

const ended = (where: string, useAuth: string, each: string): string =>
  `${where}: its keys leave out useAuth, which the inherited hitpass: false depends on, so hitpass is true here: requests ` +
  `with credentials bypass the cache. Write useAuth: ${useAuth} into these keys for one cached response per ${each}, or ` +
  'hitpass: true beside them if the bypass is meant.';

const inSeconds = (option: string, written: number): string =>
  `strategy.${option} is ${written} milliseconds. If ${written} seconds were meant, write ${written}000.`;

const NOT_PUBLIC =
  'strategy.cacheControl.scope is "public", but GET /api/articles, GET /api/articles/:id answer each caller ' +
  'differently, so their Cache-Control is "private". CDNs keep the answers of other routes only.';

const UNSENT =
  'strategy.cacheControl has no effect, because cacheControl.enabled is not true. Write enabled: true, or leave out cacheControl.';

const noRoute = (uid: string): string =>
  `strategy.contentTypes[0]: "${uid}" has no route that could be cached; list its routes under "routes".`;

it.each<[description: string, strategy: object, expected: string[]]>([
  [
    'a route that matches nothing',
    type({ routes: ['/api/articles', '/api/artciles/featured'] }),
    [unmatched(1, '/api/artciles/featured', '/api/articles/featured')],
  ],
  [
    'a route that matches nothing, without the prefix',
    type({ routes: ['/user/me'] }),
    [unmatched(0, '/user/me', '/api/users/me')],
  ],
  [
    'a route that no other resembles, without naming one',
    type({ routes: ['/api/shop/cart/totals'] }),
    [unmatched(0, '/api/shop/cart/totals')],
  ],
  [
    'useAuth by role without effect',
    type({ keys: { useAuth: 'role' } }),
    [useless('"api::article.article"', '"role"', 'role')],
  ],
  [
    'keys that end useAuth by role',
    {
      hitpass: false,
      keys: { useAuth: 'role' },
      contentTypes: [{ contentType: 'api::article.article', keys: { useHeaders: ['x-tenant'] } }],
    },
    [ended('"api::article.article"', "'role'", 'role')],
  ],
  [
    'keys of a route that end useAuth by caller',
    type({
      hitpass: false,
      keys: { useAuth: true },
      routes: [{ path: '/articles/featured', keys: { useQueryParams: ['page'] } }],
    }),
    [ended('GET /api/articles/featured ("api::article.article")', 'true', 'caller')],
  ],
  ['a Cache-Control that is not switched on', { cacheControl: { scope: 'public' }, ...type({}) }, [UNSENT]],
  ['one that is switched off', { cacheControl: { enabled: false, scope: 'public' }, ...type({}) }, []],
  [
    'a public scope for answers per role',
    {
      cacheControl: { enabled: true, scope: 'public', maxAge: 'none' },
      hitpass: false,
      keys: { useAuth: 'role' },
      contentTypes: ['api::article.article'],
    },
    [NOT_PUBLIC],
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
    [NOT_PUBLIC, unpurged('browsers and CDNs', 3600)],
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
      cacheControl: { enabled: false, maxAge: 30, staleWhileRevalidate: 60 },
    },
    [
      inSeconds('maxAge', 60),
      inSeconds('cacheControl.maxAge', 30),
      inSeconds('cacheControl.staleWhileRevalidate', 60),
      inSeconds('contentTypes[0].maxAge', 300),
      inSeconds('contentTypes[0].routes[0].maxAge', 5),
    ],
  ],
  [
    'an hour and a day in seconds',
    { maxAge: 3600, ...type({ maxAge: 86_400 }) },
    [inSeconds('maxAge', 3600), inSeconds('contentTypes[0].maxAge', 86_400)],
  ],
  [
    'durations that are meant',
    {
      maxAge: 1000,
      ...type({ maxAge: 1500, routes: [{ path: '/api/articles', maxAge: 1_800_000 }] }),
      cacheControl: { enabled: false, maxAge: 0 },
    },
    [],
  ],
  [
    'one cached response per caller for callers who bypass',
    type({ keys: { useAuth: true }, routes: [{ path: '/api/articles/featured', keys: { useAuth: true } }] }),
    [
      useless('GET /api/articles/featured ("api::article.article")', 'true', 'caller'),
      useless('"api::article.article"', 'true', 'caller'),
    ],
  ],
  [
    'the same on the strategy',
    { keys: { useAuth: true }, contentTypes: ['api::article.article'] },
    [useless('strategy', 'true', 'caller')],
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
  ['a content type without routes', { contentTypes: ['admin::user'] }, [noRoute('admin::user')]],
  ['a content type whose routes are left out', type({ injectDefaultRoutes: false }), [noRoute('api::article.article')]],
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
  expect(warningsOf(strategy)).toEqual(expected);
});

it('names no nearest route where there is none at all', () => {
  expect(warningsOf(type({ routes: ['/x'] }), application({ routes: [] }))[0]).toBe(unmatched(0, '/x'));
});

it('leaves the names of parameters alone that it cannot use', () => {
  const [contentType] = resolveConfig(
    { strategy: type({ routes: [{ path: '/articles/featured', paramNames: ['a'] }] }) },
    application(),
  ).strategy.contentTypes;
  expect(contentType?.routes.find(({ path }) => path === '/api/articles/featured')?.paramNames).toEqual([]);
});
