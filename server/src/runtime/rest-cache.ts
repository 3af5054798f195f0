import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { contentTypeTag, paramsTag } from '../cache/bookkeeping-tags';
import { systemClock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { ResponseCache } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { ResolvedConfig } from '../config/resolved-config';
import { createInnerLane } from '../http/inner-lane';
import type { LaneConfig } from '../middlewares/cache';
import { observeKnex } from '../observe/knex-seam';
import { currentRecording } from '../observe/recording';
import { SqlObserver } from '../observe/sql-observer';
import { createStatementMemo } from '../observe/statement-memo';
import type { Dialect } from '../observe/tokens';
import { TableCatalog, type DatabaseSchema } from '../observe/table-catalog';
import type { Provider } from '../providers/contract';
import { createProvider } from './create-provider';
import { fingerprint } from './fingerprint';
import { Metrics } from './metrics';
import type { Lanes } from './lanes';
import { ownTables } from './own-tables';

/** Everything the plugin is made of in one running application. */
export class RestCache {
  private constructor(
    readonly strapi: Core.Strapi,
    readonly config: ResolvedConfig,
    readonly provider: Provider,
    readonly cache: ResponseCache,
    readonly catalog: TableCatalog,
    readonly metrics: Metrics,
    /** The outer lane and why it is the one. */
    readonly lanes: Lanes,
  ) {}

  /**
   * Builds the plugin for an application whose content types and database are ready, and begins to observe its
   * database.
   *
   * @throws UnobservableDatabase when the database cannot be observed.
   */
  static async create(strapi: Core.Strapi, config: ResolvedConfig, lanes: Lanes): Promise<RestCache> {
    const { strategy } = config;
    const metrics = new Metrics(systemClock);
    const provider = await createProvider(
      config.provider,
      {
        keysPrefix: strategy.keysPrefix,
        getTimeout: config.provider.getTimeout,
        fingerprint: await fingerprint(strapi, config),
        events: {
          evict: (keys) => metrics.evicted(keys.length),
          state: ({ state, reason }) => {
            if (state === 'down') strapi.log.warn(`[rest-cache] the store is unavailable, answering from Strapi: ${reason ?? ''}`);
            else strapi.log.info('[rest-cache] the store is available again');
          },
        },
      },
      strapi.dirs.app.root,
    );
    const cache = new ResponseCache({
      provider,
      clock: systemClock,
      getTimeout: config.provider.getTimeout,
      onStoreError: (error) => strapi.log.debug(`[rest-cache] ${String(error)}`),
    });
    const catalog = new TableCatalog(strapi.db.schema.schema as unknown as DatabaseSchema);
    const observer = new SqlObserver({
      sink: provider,
      catalog,
      precision: strategy.precision,
      classify: createStatementMemo(strapi.db.dialect.client as Dialect),
      currentRecording,
      writeRequestsOnly: !strategy.enableDocumentServiceMiddleware,
    });
    observeKnex(strapi.db.connection, observer, strapi.db.getSchemaName());
    return new RestCache(strapi, config, provider, cache, catalog, metrics, lanes);
  }

  /**
   * The middleware for one cached route.
   *
   * @throws Error when no such route is cached.
   */
  innerLane({ path, surrounded, guarded }: LaneConfig): (ctx: Context, next: Next) => Promise<void> {
    const { strapi, config, cache, metrics } = this;
    const route = config.strategy.contentTypes.flatMap(({ routes }) => routes).find((candidate) => candidate.path === path);
    if (route === undefined) throw new Error(`rest-cache: ${path} is not a cached route`);
    return createInnerLane({
      route,
      strategy: config.strategy,
      cache,
      clock: systemClock,
      listener: metrics,
      restoreBody: surrounded,
      repeatable: !surrounded && !guarded && typeof route.hitpass !== 'function',
      ownTables: config.strategy.clearRelatedCache ? undefined : ownTables(strapi, route.contentType),
      onHitpassError: (error) =>
        strapi.log.error(`[rest-cache] the hitpass function of ${route.path} failed, bypassing: ${String(error)}`),
    });
  }

  isCached(uid: string): boolean {
    return this.config.strategy.contentTypes.some((contentType) => contentType.uid === uid);
  }

  /** Removes a content type's entries, narrowed to those whose route parameters include `params`. */
  async purge(uid: string, params: Readonly<Record<string, string | number>> | undefined): Promise<void> {
    const narrowed = params !== undefined && Object.keys(params).length > 0;
    await this.invalidate([narrowed ? paramsTag(uid, params) : contentTypeTag(uid)]);
  }

  async invalidate(tags: readonly Tag[]): Promise<void> {
    await this.provider.invalidate(tags);
  }

  async reset(): Promise<void> {
    await this.provider.invalidate([EVERYTHING]);
    await this.provider.clear();
  }

  async entries(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const entry of this.provider.entries()) entries.push(entry);
    return entries;
  }

  async keys(): Promise<CacheKey[]> {
    return (await this.entries()).map(({ key }) => key);
  }

  async close(): Promise<void> {
    await this.provider.close();
  }
}
