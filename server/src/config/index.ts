import { parseConfig } from './schema';

/** The plugin's `config` as Strapi knows it. Strapi merges no default in: see `defaults.ts`. */
export default {
  default: {},
  validator(user: unknown): void {
    parseConfig(user);
  },
};
