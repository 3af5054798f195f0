import type { Core } from '@strapi/strapi';

/**
 * Mounted at `/api/rest-cache`. While the purge is disabled, the route exists and answers 404 to all callers, without
 * authenticating them. Without the route, Strapi would answer 405, because it serves public files under every path, and
 * it would delete the grants of the action from roles and tokens. While the purge is enabled, the route refuses callers
 * without credentials, whatever the Public role is granted: otherwise anybody could purge everything.
 */
export default ({ strapi }: { strapi: Core.Strapi }) => {
  const enabled = strapi.config.get<boolean>('plugin::rest-cache.strategy.enableContentApiPurge', false);
  return {
    type: 'content-api',
    routes: [
      {
        method: 'POST',
        path: '/purge',
        handler: 'purge.contentApi',
        config: enabled ? { policies: ['plugin::rest-cache.has-credentials'] } : { auth: false },
      },
    ],
  };
};
