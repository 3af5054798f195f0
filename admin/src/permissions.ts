const permission = (uid: string) => [{ action: `plugin::rest-cache.${uid}`, subject: null }];

/** The permissions that the plugin's views require. Their names are the same on the server. */
export const READ_STRATEGY = permission('cache.read-strategy');
export const READ_PROVIDER = permission('cache.read-provider');
export const PURGE = permission('cache.purge');
