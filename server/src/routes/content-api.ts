import type { Core } from '@strapi/strapi';

/**
 * Mounted at `/api/rest-cache`. While it is disabled the route answers 404 to everybody, before authentication: a route
 * that is not there would be answered 405, because Strapi serves public files under every path, and Strapi would delete
 * what roles and tokens were granted. Enabled, it refuses callers without credentials, whatever the Public role is
 * granted: anybody could purge it all at will.
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
