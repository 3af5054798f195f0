import type { Permission } from '../permissions';

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
export default {
  type: 'admin',
  routes: [
    guarded('GET', '/config/strategy', 'config.strategy', 'cache.read-strategy'),
    guarded('GET', '/config/provider', 'config.provider', 'cache.read-provider'),
    guarded('GET', '/stats', 'stats.summary', 'cache.read-strategy'),
    guarded('GET', '/entries', 'entries.list', 'cache.read-strategy'),
    guarded('POST', '/purge', 'purge.byContentType', 'cache.purge'),
    guarded('POST', '/reset', 'purge.everything', 'cache.purge'),
  ],
};
