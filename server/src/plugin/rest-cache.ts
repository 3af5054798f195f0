import { said } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { systemClock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import { Inventory } from '../cache/inventory';
import type { Entry } from '../cache/entry';
import { type CacheKey, requestOf } from '../cache/key';
import type { Provider } from '../cache/provider';
import { ResponseCache } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import { messageOf } from '../cache/without-addresses';
import { type ResolvedConfig, type ResolvedRoute, routesIn } from '../config/resolved-config';
import type { Warning } from '../config/warning';
import { narrowestTag } from '../dependencies/tags';
import type { DescriptionKeeper } from '../database/description-keeper';
import { TableCatalog } from '../database/table-catalog';
import type { Identity } from '../http/caller-identity';
import { GRAPHQL } from '../graphql/graphql-uid';
import { APOLLOS_OWN } from '../graphql/run';
import type { OperationRules } from '../http/endpoint';
import { createRouteLane, type RouteLaneSettings } from '../lanes/route-lane';
import type { LaneListener } from '../lanes/serve-entry';
import type { LaneConfig } from '../lanes/attach-lanes';
import type { Lanes } from '../lanes/lanes';
import type { PurgeSubject } from '../monitor/activity-record';
import { isDebugged, logEverything } from '../monitor/diagnostics';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { Observability } from '../monitor/observability';
import { type Edge, purgingTheEdge } from '../edge/edge';
import { auditingHits, type Background, createBackground } from './background';
import { createEdge } from './create-edge';
import { createProvider } from './create-provider';
import { atEndOfDatabase } from './ending';
import { catalogOf, observeDatabase, ownTables } from './observe-database';
import type { Obstacles } from './obstacles';

/** A purge that an admin, an API caller or code of the application has asked for. */
export interface Purge {
  /** The subject of the purge, as the activity log shows it. */
  readonly subject: PurgeSubject;
  readonly tags: readonly Tag[];
}

type OfAllLanes = 'strapi' | 'strategy' | 'cache' | 'edge' | 'listener' | 'lanes' | 'onSharedIdentity';

/** Everything the plugin is made of in one running application. */
export class RestCache {
  #stopDebugLog: (() => void) | undefined;
  /** The warnings of the boot. */
  warnings: readonly Warning[] = [];
  /** Questions of the panel and the services about all entries. */
  readonly inventory: Inventory;
  readonly background: Background;
  /** Called by the lanes for each request that they have answered. */
  readonly listener: LaneListener;

  private constructor(
    readonly strapi: Core.Strapi,
    readonly config: ResolvedConfig,
    readonly provider: Provider,
    readonly cache: ResponseCache,
    /** The present knowledge of the database's tables. */
    readonly catalog: () => TableCatalog,
    readonly observability: Observability,
    /** The lanes of this application, with the choice of the front lane and its reason. */
    readonly lanes: Lanes,
    readonly obstacles: Obstacles,
    /** The caches in front of the application; `undefined` if none are purged. */
    readonly edge: Edge | undefined,
    /** Announces and stamps the tags of writes, and purges the edge. */
    readonly sink: InvalidationSink,
  ) {
    this.inventory = new Inventory(provider);
    this.background = createBackground(this, (entry) => this.#purgeEntry(entry));
    const { laneListener } = observability;
    const { auditor } = this.background;
    this.listener = auditor === undefined ? laneListener : auditingHits(laneListener, auditor);
  }

  /** Why nothing is cached, if Strapi or knex does not look as expected; `undefined` otherwise. */
  get unobservable(): string | undefined {
    return this.obstacles.first;
  }

  /**
   * Builds the plugin for an application whose content types and database are ready, and begins to observe its
   * database. If Strapi or knex does not look as expected, nothing will be cached.
   *
   * @throws ConfigurationError when the configured provider cannot be loaded.
   */
  static async create(
    strapi: Core.Strapi,
    config: ResolvedConfig,
    lanes: Lanes,
    obstacles: Obstacles,
  ): Promise<RestCache> {
    const { strategy } = config;
    const warmLater = (tags: readonly Tag[]): void => findRunning(strapi)?.background.warmer?.purged(tags);
    const catalog = obstacles.attempt(
      "Strapi's schema",
      () => catalogOf(strapi),
      () => new TableCatalog({ tables: [] }),
    );
    let description: Pick<DescriptionKeeper, 'catalog' | 'doubt'> = { catalog, doubt: () => undefined };
    const observability = new Observability(strapi, systemClock, (tags) => {
      // As a process does that has migrated the database.
      if (tags.includes(EVERYTHING)) description.doubt();
      warmLater(tags);
    });
    const onStoreError = (error: unknown): void => void strapi.log.debug(`[rest-cache] ${messageOf(error)}`);
    const provider = await createProvider(strapi, config, obstacles, observability.providerEvents, onStoreError);
    const cache = new ResponseCache({
      provider,
      clock: systemClock,
      getTimeout: config.provider.getTimeout,
      onStoreError,
    });
    const edge = createEdge(strapi.log, catalog, config, provider.edge, () => lanes.forgetRememberedHits());
    const purging = purgingTheEdge(observability.watch(provider), edge);
    const warming: InvalidationSink = {
      ...purging,
      invalidate: async (tags, announcement) => {
        const stamped = await purging.invalidate(tags, announcement);
        warmLater(tags);
        return stamped;
      },
    };
    const sink = strategy.warm === null ? purging : warming;
    const { readsElsewhere } = lanes;
    description = await obstacles.attempt(
      "Strapi's database",
      () => observeDatabase({ strapi, strategy, provider, observability, sink, catalog, readsElsewhere }),
      () => description,
    );
    const catalogNow = (): TableCatalog => description.catalog;
    obstacles.attempt("The end of Strapi's database", () =>
      atEndOfDatabase(strapi, {
        before: () => lanes.own.close(),
        after: async () => {
          await edge?.close();
          await provider.close();
        },
      }),
    );
    const parts = [provider, cache, catalogNow, observability, lanes, obstacles, edge, sink] as const;
    const restCache = new RestCache(strapi, config, ...parts);
    if (strategy.debug || isDebugged(process.env.DEBUG))
      restCache.#stopDebugLog = logEverything((line) => strapi.log.info(line));
    return restCache;
  }

  /**
   * The middleware for one cached route.
   *
   * @throws Error when no such route is cached.
   */
  innerLane({ path }: LaneConfig): (ctx: Context, next: Next) => Promise<unknown> {
    const { strategy } = this.config;
    const { known, revalidation } = this.background;
    const route = routesIn(strategy).find((candidate) => candidate.path === path);
    if (route === undefined) throw new Error(`rest-cache: ${path} is not a cached route`);
    const tables = strategy.clearRelatedCache ? undefined : ownTables(this.strapi, route.contentType);
    const lane = this.#lane({ route, ownTables: tables, known, revalidation });
    return (ctx, next) => this.lanes.functions.aroundLane(ctx, () => lane(ctx, next));
  }

  /** The middleware for one operation of GraphQL. */
  operationLane(route: ResolvedRoute, operation: OperationRules): (ctx: Context, next: Next) => Promise<unknown> {
    return this.#lane({ route, operation, ownTables: undefined, impliedCacheControl: APOLLOS_OWN });
  }

  #lane(own: Omit<RouteLaneSettings, OfAllLanes>): (ctx: Context, next: Next) => Promise<unknown> {
    const { strapi, config, cache, edge, listener, lanes } = this;
    const { strategy } = config;
    const onSharedIdentity = this.#noteSharedIdentity;
    return createRouteLane({ ...own, strapi, strategy, cache, edge, listener, lanes, onSharedIdentity });
  }

  readonly #noteSharedIdentity = ({ name }: Identity): void =>
    this.observability.notices.warn(said('shared-strategy')`all callers authenticated by the strategy
      "${name.replace('strategy:', '')}" share one response, because keys.useAuth cannot tell them apart. Leave hitpass:
      true on these routes, or add the header that identifies the caller to keys.useHeaders.`);

  get cachedUids(): string[] {
    return this.config.strategy.contentTypes.map(({ uid }) => uid);
  }

  /** The uids under which routes are shown, each of which can be purged as a whole. */
  get shownUids(): string[] {
    return this.config.strategy.graphql === null ? this.cachedUids : [...this.cachedUids, GRAPHQL];
  }

  /** The content types whose purge reaches entries: with GraphQL, an entry may show any of the content API's. */
  get documentUids(): string[] {
    if (this.config.strategy.graphql === null) return this.cachedUids;
    const shown = Object.keys(this.strapi.contentTypes).filter((uid) => /^(?:api|plugin)::/.test(uid));
    return [...new Set([...this.cachedUids, ...shown])];
  }

  /** @param counted how many entries that concerns, if it is known. */
  async purge({ subject, tags }: Purge, counted?: number): Promise<void> {
    try {
      this.observability.purged(subject, tags, await this.provider.invalidate(tags), counted);
    } finally {
      await this.hasPurged(tags, tags);
    }
  }

  /** Called after tags were stamped by hand, or entries deleted one by one. */
  async hasPurged(names: ReadonlyArray<Tag | CacheKey>, atEdge: readonly Tag[]): Promise<void> {
    this.inventory.changed();
    if (atEdge.length > 0) await this.edge?.purge(atEdge);
    this.background.warmer?.purged(names);
  }

  async #purgeEntry({ key, labels }: Entry): Promise<void> {
    await this.cache.delete(key);
    this.observability.purged({ kind: 'entry', url: requestOf(key) }, [], undefined, 1, [key]);
    await this.hasPurged([key], [narrowestTag(labels)]);
  }

  /** Purges everything. Resolves to how many entries were held; to `undefined` if the store could not be asked. */
  async reset(): Promise<number | undefined> {
    const held = await (async () => this.provider.usage())().catch(() => undefined);
    await this.provider.clear();
    await this.purge({ subject: { kind: 'everything' }, tags: [EVERYTHING] }, held?.entries);
    return held?.entries;
  }

  /**
   * Called when the application stops: nothing is answered from the store any more, invalidations still reach it. What is
   * being computed is not waited for: visitors still come, but plugins that were destroyed before refuse them.
   */
  async retire(): Promise<void> {
    this.#stopDebugLog?.();
    void this.lanes.own.close();
    await this.background.warmer?.close();
    await withDeadline(this.observability.close(), this.config.provider.getTimeout).catch(() => undefined);
    this.provider.retire?.();
  }
}

const running = new WeakMap<Core.Strapi, RestCache>();

/** Makes the plugin of this application known to its controllers, services and middlewares. */
export const setRunning = (strapi: Core.Strapi, restCache: RestCache): void => {
  running.set(strapi, restCache);
};

/** The plugin of this application; `undefined` before its content types are ready. */
export const findRunning = (strapi: Core.Strapi): RestCache | undefined => running.get(strapi);

/** @throws Error before the application's content types are ready. */
export const getRunning = (strapi: Core.Strapi): RestCache => {
  const restCache = running.get(strapi);
  if (restCache === undefined) throw new Error('rest-cache is not ready: Strapi has not loaded its content types yet');
  return restCache;
};
