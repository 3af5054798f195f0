import type { RestCacheConfig, StrategyConfig } from '../../server/src/config/user-config';
import { probePaths, VIEWED } from './probe-api';

/** Callers with credentials have entries of their own. A request with a new value of this header never finds one. */
export const NONCE = 'x-uncached';

const perUser = { hitpass: false, keys: { useAuth: true, useHeaders: [NONCE] } } as const;

/**
 * How hits are answered: by the front lane, by the route lane, or on routes with policies and middlewares of their own,
 * without and with the option `repeatable`.
 */
export type Way = 'front' | 'route' | 'own-functions' | 'repeatable';

/**
 * Everything that the playground serves is cached. Requests with a cookie bypass the cache (the default `hitpass`).
 * That is how uncached answers are requested: from the same process, on the same database, through the same code.
 */
export const configuration = (way: Way, overrides: StrategyConfig = {}): RestCacheConfig => ({
  provider: { options: { maxSize: 100_000 } },
  strategy: {
    enableXCacheHeaders: true,
    lane: way === 'route' ? 'route' : 'front',
    repeatable: way === 'repeatable',
    maxAge: 24 * 60 * 60 * 1000,
    statuses: [404],
    ...overrides,
    contentTypes: [
      {
        contentType: 'api::article.article',
        routes: ['/api/articles/by-slug/:slug', '/api/reports/editorial', '/api/sitemap.xml', ...probePaths, VIEWED],
      },
      { contentType: 'api::category.category', routes: ['/api/reports/categories', '/api/brochure.pdf'] },
      { contentType: 'api::author.author', routes: ['/api/reports/top-authors'] },
      'api::tag.tag',
      'api::homepage.homepage',
      'api::writer.editor',
      { contentType: 'api::order.order', ...perUser },
      { contentType: 'plugin::upload.file', routes: ['/api/upload/files', '/api/upload/files/:id'] },
      {
        contentType: 'plugin::users-permissions.user',
        ...perUser,
        routes: ['/api/users', '/api/users/:id', '/api/users/me'],
      },
    ],
  },
});
