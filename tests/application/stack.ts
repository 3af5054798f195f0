/** Strapi's own global middlewares, as in a new application. */
export const STACK: readonly string[] = [
  ...['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy', 'strapi::query'],
  ...['strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'],
];

/**
 * `config/middlewares.js` of an application that has global middlewares of its own.
 *
 * @param before the middleware of Strapi in front of which they stand. Default: they stand behind all of Strapi's.
 */
export const middlewares = (own: readonly unknown[], before?: string): Readonly<Record<string, string>> => {
  const names: unknown[] = [...STACK];
  names.splice(before === undefined ? names.length : STACK.indexOf(before), 0, ...own);
  return { 'config/middlewares.js': `module.exports = ${JSON.stringify(names)};` };
};
