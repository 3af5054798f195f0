export const PLUGIN_ID = 'rest-cache';

/** The path at which the panel mounts the plugin's settings. */
export const SETTINGS_PATH = `/settings/${PLUGIN_ID}`;
