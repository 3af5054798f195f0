/** An application with global middlewares of its own, and one without: the second may answer in front of Koa. */
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
