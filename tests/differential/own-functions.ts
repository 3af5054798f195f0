/**
 * Policies and middlewares that the playground's routes do not have, of the kinds that applications have. Some are
 * really `repeatable`. One is not: it makes its query from what it reads in the database. Compiled, as
 * `startApplication` takes them.
 */

const FUNCTIONS: Readonly<Record<string, string>> = {
  'src/policies/lets-in.js': `module.exports = ({ state }) => state !== undefined;`,
  'src/middlewares/populate.js': `module.exports = () => (ctx, next) => { ctx.query.populate ??= '*'; return next(); };`,
  'src/middlewares/page.js': `module.exports = () => async (ctx, next) => {
    ctx.query = { ...ctx.query, pagination: ctx.query.pagination ?? { pageSize: 4 } };
    await next();
    ctx.set('X-Items', String(ctx.body?.data?.length));
  };`,
  'src/middlewares/read.js': `module.exports = (_config, { strapi }) => async (ctx, next) => {
    const editors = await strapi.db.query('api::writer.editor').count();
    ctx.query = { ...ctx.query, pagination: { pageSize: 2 + (editors % 3) } };
    return next();
  };`,
};

const CORE_ROUTES: ReadonlyArray<readonly [api: string, type: string, config: object]> = [
  [
    'article',
    'article',
    {
      find: { middlewares: ['global::page'] },
      findOne: { middlewares: ['global::populate'], policies: ['global::lets-in'] },
    },
  ],
  ['author', 'author', { find: { middlewares: ['global::populate'] } }],
  ['category', 'category', { find: { middlewares: ['global::read'] } }],
  ['homepage', 'homepage', { find: { middlewares: ['global::populate'] } }],
  ['order', 'order', { find: { policies: ['global::lets-in'] } }],
  ['tag', 'tag', { find: { middlewares: ['global::populate', 'global::page'], policies: ['global::lets-in'] } }],
  ['writer', 'editor', { find: { policies: ['global::lets-in'] } }],
];

export const ownFunctions: Readonly<Record<string, string>> = {
  ...FUNCTIONS,
  ...Object.fromEntries(
    CORE_ROUTES.map(([api, type, config]) => [
      `src/api/${api}/routes/${type}.js`,
      `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${api}.${type}', ${JSON.stringify({ config })});`,
    ]),
  ),
};
