const action = (uid: string, displayName: string) => ({
  section: 'plugins',
  subCategory: 'cache',
  pluginName: 'rest-cache',
  uid,
  displayName,
});

/** Granted to admins under Settings → Roles, as `plugin::rest-cache.<uid>`. */
export const PERMISSION_ACTIONS = [
  action('cache.read-strategy', 'Read the strategy and what is cached'),
  action('cache.read-provider', 'Read the provider'),
  action('cache.purge', 'Purge the cache'),
];

export type Permission = 'cache.read-strategy' | 'cache.read-provider' | 'cache.purge';
