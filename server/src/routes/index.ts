import type { Core } from '@strapi/strapi';
import { scraperStrategy } from '../admin-api/metrics';
import type { Permission } from '../plugin/permissions';

const guarded = (method: 'GET' | 'POST', path: string, handler: string, permission: Permission) => ({
  method,
  path,
  handler,
  config: {
    policies: [
      'admin::isAuthenticatedAdmin',
      { name: 'admin::hasPermissions', config: { actions: [`plugin::rest-cache.${permission}`] } },
    ],
  },
});

/** Mounted at `/rest-cache`. */
const admin = ({ strapi }: { strapi: Core.Strapi }) => ({
  type: 'admin',
  routes: [
    guarded('GET', '/config/strategy', 'config.strategy', 'cache.read-strategy'),
    guarded('GET', '/config/provider', 'config.provider', 'cache.read-provider'),
    guarded('GET', '/stats', 'stats.summary', 'cache.read-strategy'),
    guarded('GET', '/metrics', 'metrics.report', 'cache.read-strategy'),
    guarded('GET', '/routes', 'routes.report', 'cache.read-strategy'),
    guarded('GET', '/routes/held', 'routes.held', 'cache.read-strategy'),
    guarded('GET', '/activity', 'activity.list', 'cache.read-strategy'),
    guarded('GET', '/entries', 'entries.list', 'cache.read-strategy'),
    guarded('GET', '/entries/detail', 'entries.detail', 'cache.read-strategy'),
    // A key may be longer than a URL can be.
    guarded('POST', '/entries/detail', 'entries.detail', 'cache.read-strategy'),
    guarded('POST', '/explain', 'explain.request', 'cache.read-strategy'),
    guarded('GET', '/explain/callers', 'explain.callers', 'cache.read-strategy'),
    guarded('GET', '/documents', 'documents.contentTypes', 'cache.purge'),
    guarded('GET', '/documents/:uid/:documentId', 'documents.usage', 'cache.purge'),
    guarded('POST', '/purge', 'purge.byContentType', 'cache.purge'),
    guarded('POST', '/purge-preview', 'purge.preview', 'cache.purge'),
    guarded('POST', '/purge-documents', 'documents.purge', 'cache.purge'),
    guarded('POST', '/purge-entries', 'entries.purge', 'cache.purge'),
    guarded('POST', '/warnings', 'warnings.acknowledge', 'cache.purge'),
    guarded('POST', '/reset', 'purge.everything', 'cache.purge'),
    {
      method: 'GET',
      path: '/metrics/prometheus',
      handler: 'metrics.prometheus',
      config: {
        auth: { strategies: [scraperStrategy(strapi), 'admin'] },
        policies: ['plugin::rest-cache.may-read-metrics'],
      },
    },
  ],
});

/**
 * Mounted at `/api/rest-cache`. While the purge is disabled, the route exists and answers 404 to all callers, without
 * authenticating them. Without the route, Strapi would answer 405, because it serves public files under every path, and
 * it would delete the grants of the action from roles and tokens. While the purge is enabled, the route refuses callers
 * without credentials, whatever the Public role is granted: otherwise anybody could purge everything.
 */
const contentApi = ({ strapi }: { strapi: Core.Strapi }) => {
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

export default { admin, 'content-api': contentApi };
