import { expect, it } from 'vitest';

import type { RouteFacts } from '../../../server/src/config/application-facts';
import { resolveConfig } from '../../../server/src/config/resolve';
import { application, get } from './application';

const pathsOf = (contentType: unknown, routes?: readonly RouteFacts[]): string[] | undefined =>
  resolveConfig(
    { strategy: { contentTypes: [contentType] } },
    application(routes === undefined ? {} : { routes }),
  ).strategy.contentTypes[0]?.routes.map((route) => route.path);

it.each([
  ['a collection type', 'api::article.article', ['/api/articles', '/api/articles/:id']],
  ['handlers without a namespace', 'api::category.category', ['/api/categories', '/api/categories/:id']],
  ['a type in an API of another name', 'api::writer.editor', ['/api/editors', '/api/editors/:id']],
  ['a single type', 'api::homepage.homepage', ['/api/homepage']],
  ['files', 'plugin::upload.file', ['/api/upload/files', '/api/upload/files/:id']],
  ['users, but not the caller themself', 'plugin::users-permissions.user', ['/api/users', '/api/users/:id']],
])('finds the core routes of %s', (_description, uid, paths) => {
  expect(pathsOf(uid)).toEqual(paths);
  expect(pathsOf({ contentType: uid })).toEqual(paths);
  expect(pathsOf({ contentType: uid, injectDefaultRoutes: true })).toEqual(paths);
});

it('finds no core route where none is to be injected', () => {
  expect(pathsOf({ contentType: 'api::article.article', injectDefaultRoutes: false })).toEqual([]);
});

it('finds core routes wherever they are mounted', () => {
  const routes = [
    get('/api/v1/posts', 'api::article.article.find', { apiName: 'blog' }),
    get('/api/v1/posts/:documentId', ' article.findOne ', { apiName: 'article' }),
  ];
  expect(pathsOf('api::article.article', routes)).toEqual(['/api/v1/posts', '/api/v1/posts/:documentId']);
});

it.each([
  ['an action that is neither find nor findOne', get('/api/articles/count', 'article.count', { apiName: 'article' })],
  ['a controller of the same name in another API', get('/api/other', 'article.find', { apiName: 'other' })],
  ['a controller of the same name in a plugin', get('/api/other', 'article.find', { pluginName: 'article' })],
  ['code', get('/api/articles', () => undefined, { apiName: 'article' })],
])('does not take for a core route: %s', (_description, route) => {
  expect(pathsOf('api::article.article', [route])).toEqual([]);
});

it('does not take findOne for a core route of a single type', () => {
  expect(
    pathsOf('api::homepage.homepage', [get('/api/homepage/:id', 'homepage.findOne', { apiName: 'homepage' })]),
  ).toEqual([]);
});

it('takes the one mounted first where another route stands at the same place: it is the one that answers', () => {
  const routes = [
    get('/api/articles/:slug', 'article.bySlug', { apiName: 'article' }),
    get('/api/articles/:id', 'article.findOne', { apiName: 'article' }),
  ];
  expect(pathsOf('api::article.article', routes)).toEqual(['/api/articles/:slug']);
});
