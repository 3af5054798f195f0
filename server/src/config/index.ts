import { parseConfig } from './schema';

/**
 * The plugin's `config` for Strapi. `default` is empty, because Strapi must not merge defaults: see
 * `resolved-config.ts`.
 */
export default {
  default: {},
  validator(user: unknown): void {
    parseConfig(user);
  },
};
