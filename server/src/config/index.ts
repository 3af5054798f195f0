import { parseConfig } from './schema';

/** The plugin's `config` as Strapi knows it. Strapi merges no default in: see `resolved-config.ts`. */
export default {
  default: {},
  validator(user: unknown): void {
    parseConfig(user);
  },
};
