import { said } from '../cache/sentence';
import cluster from 'node:cluster';
import type { Core } from '@strapi/strapi';
import { EVERYTHING } from '../cache/tag';
import { gatherApplicationFacts, type RouteFacts } from '../config/application-facts';
import { resolveConfig } from '../config/resolve';
import type { ResolvedConfig } from '../config/resolved-config';
import { parseConfig } from '../config/schema';
import { logLine } from '../config/warning';
import { attachLanes } from '../lanes/attach-lanes';
import { Lanes } from '../lanes/lanes';
import { BootWatch } from '../observe/boot-watch';
import { purgingTheEdge } from '../edge/edge';
import { createStatementMemo } from '../sql/statement-memo';
import type { Dialect } from '../sql/tokens';
import { withCommunityNames } from './community-names';
import {
  nothingNamedWarnings,
  otherCacheWarnings,
  providerWarnings,
  publicPurgeWarnings,
  severalProcessesWarnings,
  staleWarnings,
} from './boot-warnings';
import { atSuddenEnd } from './ending';
import { GraphqlSeams } from './graphql';
import { Obstacles, stampUnobservedWrites } from './obstacles';
import { PERMISSION_ACTIONS } from './permissions';
import { findRunning, RestCache, setRunning } from './rest-cache';
import { watchSignedUrls } from './signed-urls';

const READY = 'strapi::content-types.afterSync';

/** Parts of Strapi that its own types do not describe. */
interface Hook {
  register(handler: () => Promise<void>): unknown;
}
interface PermissionService {
  readonly actionProvider: { registerMany(actions: typeof PERMISSION_ACTIONS): Promise<unknown> };
}

/**
 * Makes the plugin part of an application in three steps. When Strapi registers plugins, it takes its place in front of
 * all middlewares. When content types and database are ready, but before the routes are composed, its parts are built.
 * When Strapi bootstraps plugins, it begins to answer requests.
 */
export class Boot {
  static readonly #boots = new WeakMap<Core.Strapi, Boot>();
  readonly #strapi: Core.Strapi;
  readonly #obstacles = new Obstacles();
  readonly #lanes: Lanes;
  readonly #graphql: GraphqlSeams | undefined;
  readonly #watch: BootWatch | undefined;

  /**
   * Called in `register`.
   *
   * @throws ConfigurationError
   */
  static begin(strapi: Core.Strapi): void {
    const { strategy } = parseConfig(strapi.config.get('plugin::rest-cache'));
    Boot.#boots.set(strapi, new Boot(strapi, strategy.graphql !== undefined));
  }

  /** Called in `bootstrap`. */
  static async finish(strapi: Core.Strapi): Promise<void> {
    const boot = Boot.#boots.get(strapi);
    if (boot !== undefined) await boot.#finish();
  }

  private constructor(strapi: Core.Strapi, cachesGraphql: boolean) {
    this.#strapi = strapi;
    this.#lanes = new Lanes(strapi);
    this.#obstacles.attempt("Strapi's server", () => this.#lanes.attach());
    if (cachesGraphql && strapi.plugins.graphql !== undefined) this.#graphql = new GraphqlSeams(strapi);
    this.#watch = this.#obstacles.attempt(
      "Strapi's database connection",
      () => new BootWatch(strapi.db.connection, createStatementMemo(strapi.db.dialect.client as Dialect)),
    );
    this.#obstacles.attempt(`Strapi's hook ${READY}`, () =>
      (strapi.hook(READY) as Hook).register(async () => void (await this.#build())),
    );
  }

  async #finish(): Promise<void> {
    const strapi = this.#strapi;
    let restCache = findRunning(strapi);
    if (restCache === undefined) {
      this.#obstacles.add(`Strapi has not called the hook ${READY}`);
      restCache = await this.#build();
    }
    const { config, provider, observability } = restCache;
    await this.#obstacles.attempt("Strapi's permission service", () =>
      (strapi.service('admin::permission') as PermissionService).actionProvider.registerMany(PERMISSION_ACTIONS),
    );
    // Not done earlier, because applications replace the upload provider in their `register`.
    this.#obstacles.attempt("Strapi's upload provider", () => watchSignedUrls(strapi));
    restCache.warnings = [
      ...config.warnings,
      ...(this.#obstacles.first === undefined ? nothingNamedWarnings(config.strategy) : []),
      ...providerWarnings(config.provider),
      ...staleWarnings(config.strategy, provider),
      ...otherCacheWarnings(strapi),
      ...severalProcessesWarnings(config.provider, {
        env: process.env,
        isWorker: cluster.isWorker,
        isReloaded: strapi.config.get('autoReload', false),
      }),
      ...(await this.#obstacles.attempt(
        "Strapi's table of permissions",
        () => publicPurgeWarnings(strapi, config.strategy),
        () => [],
      )),
    ];
    const running = restCache;
    for (const each of restCache.warnings) strapi.log.warn(logLine(each));
    this.#lanes.connect(restCache, () => {
      void this.#graphql?.mount(running);
      if (this.#obstacles.first === undefined) this.#lanes.own.outside(() => void running.background.warmer?.begin());
    });
    for (const reason of this.#obstacles.all)
      observability.notices.error(said('unobservable')`nothing is cached, every request goes to Strapi: ${reason}.`);
    if (this.#obstacles.first !== undefined && provider.name !== 'memory')
      observability.notices.error(said(
        'writes-unannounced',
      )`other instances on the same store cannot see the writes of this
        one: they drop all cached responses after each of its requests that may write, and may serve stale responses
        after its other writes (jobs, handlers of GET).`);
    if (config.strategy.resetOnStartup) await restCache.reset();
    await restCache.edge?.start();
  }

  async #build(): Promise<RestCache> {
    const strapi = this.#strapi;
    const obstacles = this.#obstacles;
    const { config, routes } = this.#readConfiguration();
    const create = (): Promise<RestCache> => RestCache.create(strapi, config, this.#lanes, obstacles);
    const restCache = await (this.#watch === undefined ? create() : this.#watch.asking(create));
    const { provider } = restCache;
    // Puts the strategy where other code expects that of @strapi-community/plugin-rest-cache.
    const contentTypes = config.strategy.contentTypes.map((contentType) => withCommunityNames(strapi, contentType));
    strapi.config.set('plugin::rest-cache.strategy', { ...config.strategy, contentTypes });
    const mayHaveWritten = obstacles.attempt("knex' connection pool", async () => this.#watch?.end());
    // Entries of other instances may show what the database held before these writes.
    if ((await mayHaveWritten) === true) await provider.invalidate([EVERYTHING]);
    obstacles.attempt("The end of Strapi's database", () =>
      atSuddenEnd(strapi, () => {
        // What cannot be observed may have been written.
        if (obstacles.first === undefined) provider.leave?.();
      }),
    );
    setRunning(strapi, restCache);
    obstacles.attempt("Strapi's list of routes", () =>
      attachLanes(routes, obstacles.first === undefined ? config.strategy : { contentTypes: [] }),
    );
    if (obstacles.first !== undefined)
      await obstacles.attempt("Strapi's server", () =>
        stampUnobservedWrites(strapi, purgingTheEdge(provider, restCache.edge)),
      );
    return restCache;
  }

  /** The configuration; it caches nothing if Strapi's content types and routes cannot be read. */
  #readConfiguration(): { readonly config: ResolvedConfig; readonly routes: readonly RouteFacts[] } {
    const written: unknown = this.#strapi.config.get('plugin::rest-cache');
    return this.#obstacles.attempt(
      "Strapi's list of content types and routes",
      () => {
        const facts = gatherApplicationFacts(this.#strapi);
        return { config: resolveConfig(written, facts), routes: facts.routes };
      },
      () => {
        const { strategy, ...rest } = written as { readonly strategy?: object };
        const nothing = { contentTypes: {}, components: {}, routes: [], restPrefix: '' };
        return { config: resolveConfig({ ...rest, strategy: { ...strategy, contentTypes: [] } }, nothing), routes: [] };
      },
    );
  }
}
