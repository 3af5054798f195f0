import { defineConfig } from 'strapi-plugin-response-cache';

export default () => ({
  'rest-cache': {
    enabled: true,
    config: defineConfig({
      provider: { name: process.env.CACHE_PROVIDER ?? 'memory', options: { directory: '.cache/responses' } },
      strategy: { enableXCacheHeaders: true, enableContentApiPurge: true, contentTypes: ['api::note.note'] },
    }),
  },
});
