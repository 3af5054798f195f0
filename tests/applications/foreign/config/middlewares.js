/** With BOX_GLOBALS the application has global middlewares of its own. Without it, the front lane may answer. */
const own = ['global::site', { name: 'global::branding', config: { header: 'X-Box-Office' } }];

module.exports = ({ env }) => [
  'strapi::logger',
  'strapi::errors',
  'strapi::security',
  'strapi::cors',
  'strapi::poweredBy',
  ...(env.bool('BOX_GLOBALS', false) ? own : []),
  'strapi::query',
  'strapi::body',
  'strapi::session',
  'strapi::favicon',
  'strapi::public',
];
