import type { Core } from '@strapi/strapi';

/** The properties of an attribute that show which content types it leads to. */
export interface AttributeFacts {
  readonly type: string;
  /** For a relation: the uid of its target; missing if it may point at any type. */
  readonly target?: string;
  /** For a component: its uid. */
  readonly component?: string;
  /** For a dynamic zone: its components' uids. */
  readonly components?: readonly string[];
  readonly private?: boolean;
}

export interface SchemaFacts {
  /** `singleType` or `collectionType`; components have none. */
  readonly kind?: string;
  readonly info?: { readonly singularName?: string; readonly pluralName?: string; readonly displayName?: string };
  readonly options?: { readonly draftAndPublish?: boolean };
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } };
  readonly attributes: Readonly<Record<string, AttributeFacts>>;
}

/** A route object that Strapi has yet to compose. Changes to its `config` change the route. */
export interface LiveRoute {
  method: string;
  path: string;
  handler: unknown;
  config?: Record<string, unknown>;
}

/** A GET route of the content API. */
export interface RouteFacts {
  /** Full path pattern as it will be mounted, with all prefixes. */
  readonly path: string;
  /** `article.find`, `api::article.article.find`, or code. */
  readonly handler: unknown;
  /** The API or the plugin it belongs to. */
  readonly apiName?: string;
  readonly pluginName?: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly target: LiveRoute;
}

/** The facts about the application that resolving the configuration needs. */
export interface ApplicationFacts {
  /** By uid. */
  readonly contentTypes: Readonly<Record<string, SchemaFacts>>;
  /** By uid. */
  readonly components: Readonly<Record<string, SchemaFacts>>;
  /** In the order in which the router tries them: the first that matches a URL answers it. */
  readonly routes: readonly RouteFacts[];
  /** `api.rest.prefix`: `/api` unless configured. */
  readonly restPrefix: string;
  /** Whether `@strapi/plugin-graphql` is installed and enabled. */
  readonly isGraphqlInstalled?: boolean;
  /** Whether `strapi develop` runs it: content types may be deleted while the configuration still names them. */
  readonly isBeingDeveloped?: boolean;
}

interface LiveRouter {
  type?: string;
  prefix?: string;
  routes?: readonly LiveRoute[];
}

type Owner = { readonly apiName: string } | { readonly pluginName: string };

/** How @koa/router joins a prefix and a path. */
const join = (prefix: string | undefined, path: string): string => {
  if (!prefix) return path;
  return path === '/' ? prefix : prefix + path;
};

const hasOwnPrefix = (route: LiveRoute): boolean => route.config != null && Object.hasOwn(route.config, 'prefix');

/** The router's routes in the order in which Strapi mounts them: those with a prefix of their own are mounted first. */
const inMountOrder = (routes: readonly LiveRoute[]): readonly LiveRoute[] => [
  ...routes.filter(hasOwnPrefix),
  ...routes.filter((route) => !hasOwnPrefix(route)),
];

/**
 * A router's GET routes. A route with `config.prefix` is mounted without the router's prefix, and also without its own:
 * Strapi ignores the value (@strapi/core, services/server/routing.js).
 */
const routesOf = (router: LiveRouter, prefix: string, restPrefix: string, owner: Owner): RouteFacts[] =>
  inMountOrder(router.routes ?? [])
    .filter((route) => route.method === 'GET')
    .map((route) => {
      const path = route.path.trim();
      return {
        path: join(restPrefix, hasOwnPrefix(route) ? path : join(prefix, path)),
        handler: route.handler,
        ...owner,
        config: route.config ?? {},
        target: route,
      };
    });

const isRouter = (router: unknown): router is LiveRouter =>
  typeof router === 'object' && router !== null && !Array.isArray(router);

const isFactory = (written: unknown): written is (application: { strapi: Core.Strapi }) => unknown =>
  typeof written === 'function';

/**
 * The routers of an API or a plugin. Routers that are written as functions are called and replaced by their results, as
 * Strapi would do a moment later: so Strapi composes the same route objects that are returned here.
 */
const instantiateRouters = (owner: { routes: unknown }, strapi: Core.Strapi): LiveRouter[] => {
  const written = owner.routes;
  // A plugin's list of routes is mounted as admin routes, an API's empty list is the default.
  if (!isRouter(written)) return [];
  const routers = Object.fromEntries(
    Object.entries(written).map(([name, router]: [string, unknown]) => [
      name,
      isFactory(router) ? router({ strapi }) : router,
    ]),
  );
  owner.routes = routers;
  return Object.values(routers).filter(isRouter);
};

/** Every GET route of the content API that is declared in an API or a plugin, in the order in which it is mounted. */
const gatherRoutes = (strapi: Core.Strapi, restPrefix: string): RouteFacts[] => {
  const ofApis = Object.entries(strapi.apis).flatMap(([apiName, api]) =>
    instantiateRouters(api, strapi).flatMap((router) => routesOf(router, router.prefix ?? '', restPrefix, { apiName })),
  );
  const ofPlugins = Object.entries(strapi.plugins).flatMap(([pluginName, plugin]) =>
    instantiateRouters(plugin, strapi)
      .filter((router) => router.type === 'content-api')
      .flatMap((router) => routesOf(router, router.prefix ?? `/${pluginName}`, restPrefix, { pluginName })),
  );
  return [...ofApis, ...ofPlugins];
};

/** The prefix of all paths of the content API. */
export const restPrefixOf = ({ config }: Pick<Core.Strapi, 'config'>): string => config.get('api.rest.prefix', '/api');

/**
 * Gathers what has to be known to resolve the configuration. While Strapi boots, it must be called in the hook
 * `strapi::content-types.afterSync`: content types are final by then, and routes are not composed yet. Routes that code
 * passes to `strapi.server.routes()` are not found.
 */
export const gatherApplicationFacts = (strapi: Core.Strapi): ApplicationFacts => {
  const restPrefix = restPrefixOf(strapi);
  return {
    contentTypes: strapi.contentTypes as unknown as ApplicationFacts['contentTypes'],
    components: strapi.components as unknown as ApplicationFacts['components'],
    routes: gatherRoutes(strapi, restPrefix),
    restPrefix,
    isGraphqlInstalled: strapi.plugins.graphql !== undefined,
    isBeingDeveloped: strapi.config.get('autoReload', false),
  };
};

/** The upload plugin's controller is not named after its content type. */
const CONTROLLERS: Readonly<Record<string, string>> = { 'plugin::upload.file': 'plugin::upload.content-api' };

/** A route's handler with its namespace: `article.find` in the API `article` becomes `api::article.article.find`. */
export const actionOf = ({
  handler,
  apiName,
  pluginName,
}: Pick<RouteFacts, 'handler' | 'apiName' | 'pluginName'>): string | undefined => {
  if (typeof handler !== 'string') return undefined;
  const action = handler.trim();
  if (action.includes('::')) return action;
  return apiName === undefined ? `plugin::${pluginName}.${action}` : `api::${apiName}.${action}`;
};

/** The actions with which core controllers read a content type. */
export const readActions = (uid: string, application: ApplicationFacts): ReadonlySet<string> => {
  const controller = CONTROLLERS[uid] ?? uid;
  const isSingleType = application.contentTypes[uid]?.kind === 'singleType';
  return new Set(isSingleType ? [`${controller}.find`] : [`${controller}.find`, `${controller}.findOne`]);
};

/** A content type's default routes, whose handlers are its {@link readActions}, in mount order. */
export const defaultRoutesOf = (uid: string, application: ApplicationFacts): readonly RouteFacts[] => {
  const actions = readActions(uid, application);
  return application.routes.filter((route) => actions.has(actionOf(route) ?? ''));
};
