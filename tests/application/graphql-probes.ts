/** Root fields of the application's own, which do what keeps an answer from being stored. Compiled files of an application. */
export const graphqlProbes: Readonly<Record<string, string>> = {
  'src/policies/counted.js': `
module.exports = () => { globalThis[Symbol.for('rest-cache-graphql-calls')].guarded += 1; return true; };`,
  'src/extensions/graphql/strapi-server.js': `
const articles = (strapi) => strapi.db.query('api::article.article').count();
const calls = { count: 0, mutate: 0, guarded: 0 };
globalThis[Symbol.for('rest-cache-graphql-calls')] = calls;
const open = (config = {}) => ({ auth: false, ...config });
const guard = { policies: ['global::counted'] };
const around = { middlewares: [(next, ...args) => { calls.guarded += 1; return next(...args); }] };
module.exports = (plugin) => {
  const { bootstrap } = plugin;
  plugin.bootstrap = (context) => {
    const { strapi } = context;
    strapi.plugin('graphql').service('extension').use({
      typeDefs: \`
        extend type Query {
          probeCount: Int
          probePlain: Int
          probeTenant: String
          probeAllHeaders: Int
          probeCookie: Int
          probeWrites: Int
          probeControl(value: String!): Int
          probeHint(maxAge: Int, scope: String): Int
          probeFails: Int!
          probePolicy: Int
          probeMiddleware: Int
          probeStatus: Int
          probeAgain: Int
        }
        extend type Mutation { probeMutate: Int }
        extend type Article { probeTitle: String }
      \`,
      resolvers: {
        Query: {
          probeCount: () => { calls.count += 1; return articles(strapi); },
          probePlain: () => 7,
          probeTenant: async (_p, _a, { koaContext }) => { await articles(strapi); return koaContext.request.headers['x-tenant'] ?? 'none'; },
          probeAllHeaders: async (_p, _a, { koaContext }) => { await articles(strapi); return Object.keys(koaContext.headers).length; },
          probeCookie: (_p, _a, { koaContext }) => { koaContext.set('Set-Cookie', 'a=b'); return articles(strapi); },
          probeWrites: async () => {
            const tag = await strapi.db.query('api::tag.tag').findOne({ where: {} });
            await strapi.db.query('api::tag.tag').update({ where: { id: tag.id }, data: { name: tag.name } });
            return articles(strapi);
          },
          probeControl: (_p, { value }, { koaContext }) => { koaContext.set('Cache-Control', value); return articles(strapi); },
          probeHint: (_p, hint, _c, info) => { info.cacheControl.setCacheHint(JSON.parse(JSON.stringify(hint))); return articles(strapi); },
          probeFails: async () => { await articles(strapi); return null; },
          probePolicy: () => articles(strapi),
          probeMiddleware: () => articles(strapi),
          probeStatus: (_p, _a, { koaContext }) => { koaContext.status = 203; return articles(strapi); },
          probeAgain: async (_p, _a, { koaContext }) => {
            await strapi.get('auth').authenticate(koaContext, () => Promise.resolve());
            return articles(strapi);
          },
        },
        Mutation: { probeMutate: () => { calls.mutate += 1; return articles(strapi); } },
        Article: { probeTitle: ({ title }) => title },
      },
      resolversConfig: {
        'Query.probeCount': open(), 'Query.probePlain': open(), 'Query.probeTenant': open(), 'Query.probeAllHeaders': open(),
        'Query.probeCookie': open(), 'Query.probeWrites': open(), 'Query.probeControl': open(), 'Query.probeHint': open(),
        'Query.probeFails': open(), 'Query.probePolicy': open(guard), 'Query.probeMiddleware': open(around),
        'Query.probeStatus': open(), 'Query.probeAgain': open(), 'Mutation.probeMutate': open(),
      },
    });
    return bootstrap(context);
  };
  return plugin;
};`,
};

export interface GraphqlCalls {
  readonly count: number;
  readonly mutate: number;
  readonly guarded: number;
}

/** How often resolvers, policies and middlewares of the application booted last were called. */
export const graphqlCalls = (): GraphqlCalls =>
  ({
    ...(globalThis as unknown as Record<symbol, GraphqlCalls>)[Symbol.for('rest-cache-graphql-calls')],
  }) as GraphqlCalls;
