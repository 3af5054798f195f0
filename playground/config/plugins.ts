import type { Core } from '@strapi/strapi';
import { defineConfig } from 'strapi-plugin-response-cache';

type Env = Core.Config.Shared.ConfigParams['env'];

const minute = 60_000;

const provider = (env: Env) => {
  const name = env('CACHE_PROVIDER', 'memory');
  return name === 'redis' ? { name, options: { connection: env('REDIS_URL', 'redis://127.0.0.1:6379') } } : { name };
};

export default ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Plugin => ({
  'users-permissions': {
    config: { jwtSecret: env('JWT_SECRET') },
  },

  graphql: {
    config: { defaultLimit: 25, maxLimit: 100, depthLimit: 15 },
  },

  'rest-cache': {
    enabled: env.bool('REST_CACHE', true),
    config: defineConfig({
      provider: provider(env),
      strategy: {
        enableXCacheHeaders: true,
        enableEtag: true,
        enableContentApiPurge: true,
        graphql: true,
        contentTypes: [
          {
            contentType: 'api::article.article',
            routes: [
              '/api/articles/by-slug/:slug',
              '/api/reports/editorial',
              '/api/sitemap.xml',
              '/api/export/articles',
              // Listed on purpose: a response with a Set-Cookie is never stored, and this route always sends one.
              '/api/visits',
            ],
          },
          {
            contentType: 'api::category.category',
            routes: ['/api/reports/categories', '/api/brochure.pdf'],
          },
          {
            contentType: 'api::author.author',
            routes: ['/api/reports/top-authors'],
          },
          'api::tag.tag',
          'api::homepage.homepage',
          'api::writer.editor',
          {
            contentType: 'api::order.order',
            hitpass: false,
            keys: { useAuth: true },
            maxAge: 10 * minute,
          },
          {
            contentType: 'plugin::upload.file',
            routes: ['/api/upload/files'],
          },
          {
            contentType: 'plugin::users-permissions.user',
            hitpass: false,
            keys: { useAuth: true },
            routes: ['/api/users/me'],
          },
        ],
      },
    }),
  },
});
