import type { Core } from '@strapi/strapi';
import { said, type Sentence } from '../cache/sentence';
import { among, apolloPlugin, seesRequests } from '../graphql/apollo-plugin';
import { GraphqlEndpoint } from '../graphql/graphql-endpoint';
import { fieldKinds } from '../graphql/schema-fields';
import type { Layer, Router } from '../http/koa-router';
import type { RestCache } from './rest-cache';

/** The part of the option `apolloServer` of `@strapi/plugin-graphql` that is used here. */
interface ApolloServerConfig {
  readonly plugins?: readonly unknown[];
  readonly csrfPrevention?: boolean | { readonly requestHeaders?: readonly string[] };
  readonly persistedQueries?: unknown;
}

const APOLLO_SERVER = 'plugin::graphql.apolloServer';

/** Headers of which Apollo Server requires one of a GET (ApolloServer.js, 4.13). */
const PREFLIGHTED: readonly string[] = ['x-apollo-operation-name', 'apollo-require-preflight'];

/** The place of the cache within `@strapi/plugin-graphql`: a plugin of Apollo Server, and the step before it. */
export class GraphqlSeams {
  readonly #strapi: Core.Strapi;
  readonly #ours: object;
  #hasStarted = false;
  #endpoint: GraphqlEndpoint | undefined;

  /** Called in `register`: Apollo Server is made when plugins are bootstrapped. */
  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
    const start = (): void => void (this.#hasStarted = true);
    this.#ours = apolloPlugin(start, (ctx) => this.#endpoint?.runOf(ctx));
    const { plugins = [], ...config } = this.#apolloServer;
    strapi.config.set(APOLLO_SERVER, { ...config, plugins: among(plugins, this.#ours) });
  }

  get #apolloServer(): ApolloServerConfig {
    return this.#strapi.config.get<ApolloServerConfig>(APOLLO_SERVER, {});
  }

  /** Called once all routes are mounted. If the plugin does not look as expected, nothing is cached, and the log says why. */
  async mount(restCache: RestCache): Promise<void> {
    const { lanes, observability } = restCache;
    const why = await this.#begin(restCache).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (why === undefined) {
      this.#strapi.log.info(`[rest-cache] GraphQL answers are cached at ${lanes.endpoint?.path}`);
      return;
    }
    lanes.endpoint = undefined;
    observability.notices.warn(said('graphql-not-cached')`GraphQL answers are not cached: ${why}.`);
  }

  /** Resolves to the reason why GraphQL answers cannot be cached, if there is one. */
  async #begin(restCache: RestCache): Promise<Sentence | undefined> {
    const strapi = this.#strapi;
    const { lanes, catalog, config } = restCache;
    const { graphql: settings, cacheControl } = config.strategy;
    if (settings === null) throw new Error('strategy.graphql is false');
    const path = strapi.config.get<string>('plugin::graphql.endpoint');
    const layer = (strapi.server.router as unknown as Router).stack.find((each) => isEndpoint(each, path));
    if (layer === undefined)
      return said('graphql-endpoint')`no endpoint of @strapi/plugin-graphql is mounted at ${path}`;
    if (!this.#hasStarted)
      return said('graphql-not-started')`Apollo Server has not started with the plugin in apolloServer.plugins`;
    const { plugins = [], csrfPrevention = true, persistedQueries } = this.#apolloServer;
    if (plugins.some((each) => each !== this.#ours && seesRequests(each)) && !settings.repeatable)
      return said('graphql-plugin')`a plugin of the application in apolloServer.plugins has to see every request; write
          repeatable: true in strategy.graphql if it need not see those that are answered from the cache`;
    const required = (typeof csrfPrevention === 'object' ? csrfPrevention.requestHeaders : undefined) ?? PREFLIGHTED;
    const preflightHeaders = csrfPrevention === false ? undefined : required.map((name) => name.toLowerCase());
    lanes.endpoint = this.#endpoint = new GraphqlEndpoint({
      settings,
      layer,
      rules: { preflightHeaders, persistsQueries: persistedQueries !== false },
      kindOf: fieldKinds(strapi),
      typeOf: (table) => catalog().typeOf(table),
      sendsCacheControl: cacheControl.enabled,
      laneOf: (route, operation) => restCache.operationLane(route, operation),
    });
    const target = `${path}?query=%7B__typename%7D`;
    const headers = { 'content-type': 'application/json' };
    // Callers without credentials may be refused there: the role Public may have no permission yet.
    const { outcome, hasAskedAuthentication } = await lanes.tryRequest({ caller: undefined, target, headers });
    return outcome.kind === 'answered' && outcome.by === undefined && !hasAskedAuthentication
      ? said('graphql-unauthenticated')`its endpoint does not ask strapi.auth.authenticate before it answers`
      : undefined;
  }
}

const isEndpoint = ({ path, methods }: Layer, endpoint: string): boolean =>
  path === endpoint && methods.includes('POST') && methods.includes('GET');
