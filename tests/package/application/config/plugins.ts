import { defineConfig } from 'strapi-plugin-response-cache';

export default () => ({
  'rest-cache': {
    enabled: true,
    config: defineConfig({
      strategy: { enableXCacheHeaders: true, enableContentApiPurge: true, contentTypes: ['api::note.note'] },
    }),
  },
});
