import { describe, expect, it } from 'vitest';

import type { RouteFacts } from '../../../server/src/config/application-facts';
import { resolveConfig } from '../../../server/src/config/resolve';
import { findRoute, routeAt } from '../../../server/src/config/route-matching';
import { application, get } from './application';

const find = (written: string, mounted: readonly string[], restPrefix = '/api'): string | undefined =>
  findRoute(application({ routes: mounted.map((path) => get(path, 'a.b', { apiName: 'a' })), restPrefix }), written)
    ?.path;

it.each<[written: string, mounted: string, restPrefix?: string]>([
  ['/api/articles', '/api/articles'],
  ['/articles', '/api/articles'],
  ['articles', '/api/articles'],
  ['api/articles', '/api/articles'],
  [' /api/articles ', '/api/articles'],
  ['/api/articles/', '/api/articles'],
  ['/api/articles', '/api/articles/'],
  ['/api/articles', '/api/Articles'],
  ['/api/articles/:documentId', '/api/articles/:id'],
  ['/api/articles/slug/:slug+', '/api/articles/slug/:slug+'],
  ['/api/files/:path*', '/api/files/:path*'],
  ['/api/articles/:number(\\d+)', '/api/articles/:id(\\d+)'],
  ['/api/compare/:from-:to', '/api/compare/:one-:other'],
  ['/api/connect/(.*)', '/api/connect/(.*)'],
  ['/articles', '/v2/articles', '/v2'],
  ['/articles', '/articles', ''],
  ['/api', '/api'],
  ['/', '/api'],
])('%s means the mounted %s', (written, mounted, restPrefix) => {
  expect(find(written, ['/other/before', mounted, '/other/after'], restPrefix)).toBe(mounted);
});

it.each<[written: string, mounted: string, restPrefix?: string]>([
  ['/api/articles', '/api/article'],
  ['/api/articles/featured', '/api/articles/:id'],
  ['/api/articles/:id', '/api/articles/featured'],
  ['/api/articles/:id', '/api/articles/:id/comments'],
  ['/api/articles/:id', '/api/articles'],
  ['/api/articles', '/v2/articles', '/v2'],
  ['/api/compare/:from-:to', '/api/compare/:from'],
  ['/api/:a/b', '/api/a/:b'],
  ['/api/articles/:id', '/api/articles/:id(\\d+)'],
  ['/api/articles/slug/:slug', '/api/articles/slug/:slug+'],
])('%s does not mean the mounted %s', (written, mounted, restPrefix) => {
  expect(find(written, [mounted], restPrefix)).toBeUndefined();
});

describe('where several routes could be meant', () => {
  it.each<[written: string, mounted: string[], meant: string]>([
    ['/api/a/:x', ['/api/a/:id(\\d+)', '/api/a/:slug'], '/api/a/:slug'],
    ['/api/a/:x(\\d+)', ['/api/a/:slug', '/api/a/:id(\\d+)'], '/api/a/:id(\\d+)'],
    ['/api/a/:x+', ['/api/a/:id', '/api/a/:path+'], '/api/a/:path+'],
    ['/api/a', ['/api/api/a', '/api/a'], '/api/a'],
    ['/a/:x', ['/a/:y(\\d+)', '/api/a/:z'], '/api/a/:z'],
    ['/api/a', ['/api/a/', '/api/a'], '/api/a'],
    ['/api/a/', ['/api/a', '/api/a/'], '/api/a/'],
    ['/api/a/:x', ['/api/a/:y/', '/api/a/:z(\\d+)'], '/api/a/:y/'],
  ])('%s among %j means %s', (written, mounted, meant) => {
    expect(find(written, mounted)).toBe(meant);
  });

  it('the first one mounted is meant: it is the one that answers', () => {
    expect(find('/api/a/:slug', ['/api/a/:id', '/api/a/:slug'])).toBe('/api/a/:id');
  });
});

it('routeAt finds the first route at a place: the one that answers', () => {
  const here: RouteFacts[] = [get('/api/a/:id', 'a.x', { apiName: 'a' }), get('/api/A/:slug', 'a.y', { apiName: 'a' })];
  const there = [get('/api/a/:id(\\d+)', 'a.z', { apiName: 'a' }), get('/api/a', 'a.find', { apiName: 'a' })];
  expect(routeAt(application({ routes: [...there, ...here] }), '/api/a/:id')).toBe(here[0]);
});

describe('a route a user lists', () => {
  const routesOf = (contentType: object) =>
    resolveConfig({ strategy: { maxAge: 1, contentTypes: [contentType] } }, application()).strategy.contentTypes[0]
      ?.routes;

  it('is resolved to the mounted path, whatever it belongs to', () => {
    const routes = routesOf({
      contentType: 'api::article.article',
      injectDefaultRoutes: false,
      routes: [
        '/Articles/Slug/:path+/',
        { path: '/sitemap.xml', method: 'GET', maxAge: 2 },
        '/users/me',
        '/upload/files',
      ],
    });
    expect(routes?.map(({ contentType, method, path, maxAge }) => [contentType, method, path, maxAge])).toEqual([
      ['api::article.article', 'GET', '/api/articles/slug/:slug+', 1],
      ['api::article.article', 'GET', '/api/sitemap.xml', 2],
      ['api::article.article', 'GET', '/api/users/me', 1],
      ['api::article.article', 'GET', '/api/upload/files', 1],
    ]);
  });

  it('replaces the core route at the same place', () => {
    const hitpass = () => false;
    const routes = routesOf({
      contentType: 'api::article.article',
      routes: [
        { path: '/articles/:documentId', maxAge: 7, hitpass, keys: { useAuth: true }, paramNames: ['documentId'] },
      ],
    });
    expect(routes).toEqual([
      expect.objectContaining({ path: '/api/articles', maxAge: 1, hitpass: true, paramNames: [] }),
      {
        contentType: 'api::article.article',
        method: 'GET',
        path: '/api/articles/:id',
        maxAge: 7,
        hitpass,
        keys: { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: true },
        statuses: [],
        repeatable: false,
        sharesWork: true,
        stale: { whileRevalidate: 0, ifError: 0, timeout: 0 },
        paramNames: ['documentId'],
        isOpen: false,
      },
    ]);
  });
});
