/**
 * The plugin's `config` for Strapi. `default` is empty, because Strapi must not merge defaults: see
 * `resolved-config.ts`. There is no `validator`, because Strapi wraps what that throws, and logs it twice: `register`
 * checks the configuration.
 */
export default { default: {} };
