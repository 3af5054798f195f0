import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application, problemsOf } from './application';

const problems = (...contentTypes: unknown[]): readonly string[] =>
  problemsOf(() => resolveConfig({ strategy: { contentTypes } }, application()));

const TWICE =
  'is cached under both "api::article.article" and "api::category.category"; keep it under one of them ' +
  "(injectDefaultRoutes: false leaves out a content type's own routes).";

it.each<[description: string, contentTypes: unknown[], problem: string]>([
  [
    'a uid that does not exist',
    ['api::artcle.article'],
    'strategy.contentTypes[0]: "api::artcle.article" is not a content type of this application; did you mean "api::article.article"?',
  ],
  [
    'a uid that does not exist, in an object',
    ['api::article.article', { contentType: 'plugin::upload.files' }],
    'strategy.contentTypes[1]: "plugin::upload.files" is not a content type of this application; did you mean "plugin::upload.file"?',
  ],
  [
    'the name of a property every object has',
    ['constructor'],
    expect.stringContaining('"constructor" is not a content type of this application'),
  ],
  [
    'a content type configured twice',
    ['api::article.article', 'api::category.category', { contentType: 'api::article.article' }],
    'strategy.contentTypes[2]: "api::article.article" is named already at strategy.contentTypes[0]; keep one of them.',
  ],
  [
    'a route listed under two content types',
    [
      { contentType: 'api::article.article', routes: ['/sitemap.xml'] },
      { contentType: 'api::category.category', routes: ['/api/sitemap.xml/'] },
    ],
    `GET /api/sitemap.xml ${TWICE}`,
  ],
  [
    "another content type's core route",
    ['api::article.article', { contentType: 'api::category.category', routes: ['/articles/:documentId'] }],
    `GET /api/articles/:id ${TWICE}`,
  ],
  [
    'a route listed twice',
    [{ contentType: 'api::article.article', routes: ['/articles/featured', '/api/articles/featured/'] }],
    'strategy.contentTypes[0].routes[1] and strategy.contentTypes[0].routes[0] are the same route, GET /api/articles/featured; keep one of them.',
  ],
])('stops the boot: %s', (_description, contentTypes, problem) => {
  expect(problems(...contentTypes)).toEqual([problem]);
});

it('lists all that is wrong in one message', () => {
  expect(problems('api::a.a', 'api::article.article', 'api::article.article', 'api::b.b')).toHaveLength(3);
});

it('lets a route of a type that injects none be listed under another', () => {
  expect(
    problems(
      { contentType: 'api::article.article', injectDefaultRoutes: false },
      { contentType: 'api::category.category', routes: ['/articles'] },
    ),
  ).toEqual([]);
});
