import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application, get } from './application';

const warnings = (strategy: object, restPrefix?: string): readonly string[] =>
  resolveConfig({ strategy }, application(restPrefix === undefined ? {} : { restPrefix })).warnings;

const type = (settings: object) => ({ contentTypes: [{ contentType: 'api::article.article', ...settings }] });

const credential = (where: string, name: string): string =>
  `${where} holds "${name}": the live credential is written into the store's keys, and entries follow the credential ` +
  'instead of the caller. Use keys: { useAuth: true } instead.';

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
    'a public scope for answers per caller',
    {
      cacheControl: { enabled: true, scope: 'public' },
      contentTypes: [
        { contentType: 'api::article.article', hitpass: false, keys: { useAuth: true } },
        'api::category.category',
      ],
    },
    [
      'strategy.cacheControl.scope is "public", but GET /api/articles, GET /api/articles/:id answer each caller for ' +
        'themselves, so their Cache-Control is "private, no-cache". CDNs keep the other routes alone.',
    ],
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

it('looks for the nearest route from where the path starts', () => {
  const routes = [get('/api/api/xy', 'a.b', { apiName: 'a' }), get('/api/ab', 'a.b', { apiName: 'a' })];
  const nearestTo = (path: string) =>
    resolveConfig({ strategy: type({ routes: [path] }) }, application({ routes }))
      .warnings[0]?.split(' ')
      .at(-1);
  expect(nearestTo('/api/xb')).toBe('/api/ab.');
  expect(nearestTo('api/xb')).toBe('/api/api/xy.');
});

it('names no nearest route where there is none at all', () => {
  const { warnings: found } = resolveConfig({ strategy: type({ routes: ['/x'] }) }, application({ routes: [] }));
  expect(found[0]).toBe(
    'strategy.contentTypes[0].routes[0]: no route of the content API matches GET /x, so nothing is cached for it.',
  );
});

it('leaves the names of parameters alone that it cannot use', () => {
  const [contentType] = resolveConfig(
    { strategy: type({ routes: [{ path: '/articles/featured', paramNames: ['a'] }] }) },
    application(),
  ).strategy.contentTypes;
  expect(contentType?.routes.find(({ path }) => path === '/api/articles/featured')?.paramNames).toBeUndefined();
});
