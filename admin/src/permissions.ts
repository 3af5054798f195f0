const permission = (uid: string) => [{ action: `plugin::rest-cache.${uid}`, subject: null }];

/** What the plugin's views are gated by; the same names as on the server. */
export const READ_STRATEGY = permission('cache.read-strategy');
export const READ_PROVIDER = permission('cache.read-provider');
export const PURGE = permission('cache.purge');
