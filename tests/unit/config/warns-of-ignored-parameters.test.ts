import { expect, it } from 'vitest';

import { application, warningsOf } from './application';

const facts = application();
const described = {
  ...facts,
  contentTypes: {
    ...facts.contentTypes,
    'api::category.category': {
      kind: 'collectionType',
      attributes: {},
      options: { draftAndPublish: true },
      pluginOptions: { i18n: { localized: true } },
    },
  },
};

const warning = (paths: string, ignored: string): string =>
  `${paths}: keys.useQueryParams leaves out parameters that Strapi's controllers obey (${ignored}), so they have no ` +
  'effect on requests that may be cached. Add those your clients send, or set useQueryParams: true.';

const keyed = (contentType: string, useQueryParams: unknown): object => ({
  contentTypes: [{ contentType, keys: { useQueryParams } }],
});
const article = (useQueryParams: unknown): object => keyed('api::article.article', useQueryParams);

const COMPLETE = ['fields', 'filters', 'populate', '_q', 'sort', 'pagination'];

it.each<[description: string, strategy: object, expected: string[]]>([
  ['no list', article(true), []],
  ['a complete list', article(COMPLETE), []],
  ['a complete list, and more', article([...COMPLETE, 'status', 'locale', 'preview']), []],
  [
    'a list that one route needs more of than the other',
    article(['pagination', 'populate', 'fields', 'filters', '_q']),
    [warning('GET /api/articles', 'sort')],
  ],
  [
    'a list that lacks what both need',
    article(COMPLETE.slice(1)),
    [warning('GET /api/articles, GET /api/articles/:id', 'fields')],
  ],
  [
    'drafts and locales',
    keyed('api::category.category', COMPLETE),
    [warning('GET /api/categories, GET /api/categories/:id', 'status, publicationFilter, hasPublishedVersion, locale')],
  ],
  [
    'a single type',
    keyed('api::homepage.homepage', false),
    [warning('GET /api/homepage', 'fields, filters, populate, _q')],
  ],
  [
    'a list of the strategy',
    { keys: { useQueryParams: COMPLETE.slice(0, 4) }, contentTypes: ['api::article.article', 'api::writer.editor'] },
    [warning('GET /api/articles, GET /api/editors', 'sort, pagination')],
  ],
  [
    'pages of a plugin’s type',
    keyed('plugin::upload.file', COMPLETE),
    [warning('GET /api/upload/files', 'page, pageSize, start, limit')],
  ],
  [
    'the name of a part of pagination, and of one filter',
    keyed('api::homepage.homepage', ['fields', 'filter', 'populate', '_q', 'page']),
    [`${warning('GET /api/homepage', 'filters')} Did you mean "filters" by "filter"?`],
  ],
  [
    'parts of pagination',
    article([...COMPLETE.slice(0, 5), 'page', 'pageSize']),
    [
      `${warning('GET /api/articles', 'pagination')} "page" is not one of them: pagination[page] has the name ` +
        '"pagination". "pageSize" is not one of them: pagination[pageSize] has the name "pagination".',
    ],
  ],
  [
    'handlers that are not Strapi’s',
    {
      contentTypes: [
        {
          contentType: 'api::article.article',
          injectDefaultRoutes: false,
          keys: { useQueryParams: ['page'] },
          routes: ['/api/articles/featured', '/api/sitemap.xml'],
        },
      ],
    },
    [],
  ],
])('warns of parameters that core routes would obey: %s', (_description, strategy, expected) => {
  expect(warningsOf(strategy, described)).toEqual(expected);
});
