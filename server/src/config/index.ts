/**
 * The plugin's `config` for Strapi. `default` is empty: Strapi would merge `keys` into those of a user, and lists by
 * index. `schema.ts` has the defaults. There is no `validator`, because Strapi wraps what that throws, and logs it
 * twice: `register` checks the configuration.
 */
export default { default: {} };
