import type { ApplicationFacts, RouteFacts, SchemaFacts } from '../../../server/src/config/application-facts';
import { ConfigurationError } from '../../../server/src/config/configuration-error';
import { resolveConfig } from '../../../server/src/config/resolve';

type Owner = { apiName: string } | { pluginName: string };

/** A GET route as `gatherApplicationFacts` finds it. */
export const get = (path: string, handler: unknown, owner: Owner): RouteFacts => ({
  path,
  handler,
  ...owner,
  config: {},
  target: { method: 'GET', path, handler, config: {} },
});

const collection = (attributes: SchemaFacts['attributes'] = {}): SchemaFacts => ({
  kind: 'collectionType',
  attributes,
});

/** A small application: articles, categories, a writer API with two types, a homepage, users and files. */
export const application = (changes: Partial<ApplicationFacts> = {}): ApplicationFacts => ({
  contentTypes: {
    'api::article.article': collection(),
    'api::category.category': collection(),
    'api::writer.editor': collection(),
    'api::homepage.homepage': { kind: 'singleType', attributes: {} },
    'plugin::upload.file': collection(),
    'plugin::users-permissions.user': collection(),
    'admin::user': collection(),
  },
  components: {},
  routes: [
    get('/api/articles/featured', 'article.featured', { apiName: 'article' }),
    get('/api/articles/slug/:slug+', 'article.bySlug', { apiName: 'article' }),
    get('/api/articles', 'api::article.article.find', { apiName: 'article' }),
    get('/api/articles/:id', 'api::article.article.findOne', { apiName: 'article' }),
    get('/api/categories', 'category.find', { apiName: 'category' }),
    get('/api/categories/:id', 'category.findOne', { apiName: 'category' }),
    get('/api/categories/:id(\\d+)/tree', 'category.tree', { apiName: 'category' }),
    get('/api/editors', 'api::writer.editor.find', { apiName: 'writer' }),
    get('/api/editors/:id', 'api::writer.editor.findOne', { apiName: 'writer' }),
    get('/api/homepage', 'api::homepage.homepage.find', { apiName: 'homepage' }),
    get('/api/sitemap.xml', () => undefined, { apiName: 'sitemap' }),
    get('/api/upload/files', 'content-api.find', { pluginName: 'upload' }),
    get('/api/upload/files/page', 'content-api.findPage', { pluginName: 'upload' }),
    get('/api/upload/files/:id', 'content-api.findOne', { pluginName: 'upload' }),
    get('/api/users/count', 'user.count', { pluginName: 'users-permissions' }),
    get('/api/users', 'user.find', { pluginName: 'users-permissions' }),
    get('/api/users/me', 'user.me', { pluginName: 'users-permissions' }),
    get('/api/users/:id', 'user.findOne', { pluginName: 'users-permissions' }),
  ],
  restPrefix: '/api',
  ...changes,
});

/** The warnings about a strategy. */
export const warningsOf = (strategy: object, facts = application()): readonly string[] =>
  resolveConfig({ strategy }, facts).warnings.map(({ text }) => text);

/** The problems that stop the boot; none if there are none. */
export const problemsOf = (read: () => unknown): readonly string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
};
