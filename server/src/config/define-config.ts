import type { ProviderName, Unnamed } from './provider-options';
import type { RestCacheConfig } from './user-config';

/**
 * Returns the configuration unchanged. Its types let the editor check and complete it.
 *
 * @example
 * // config/plugins.ts
 * import { defineConfig } from 'strapi-plugin-response-cache';
 *
 * export default () => ({
 *   'rest-cache': {
 *     enabled: true,
 *     config: defineConfig({
 *       strategy: {
 *         enableXCacheHeaders: true,
 *         contentTypes: ['api::article.article', { contentType: 'api::category.category', maxAge: 60_000 }],
 *       },
 *     }),
 *   },
 * });
 */
export const defineConfig = <const Name extends ProviderName = Unnamed>(
  config: RestCacheConfig<Name>,
): RestCacheConfig<Name> => config;

export { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey, type EdgePurge } from '../cache/edge-purge';
export type {
  CloudflareTargetConfig,
  EdgeConfig,
  EdgeTargetConfig,
  FastlyTargetConfig,
  FunctionTargetConfig,
  VarnishTargetConfig,
  WebhookTargetConfig,
} from './edge-config';
export type { AuditConfig, StaleConfig, WarmConfig } from './background-config';
export type { GraphqlConfig } from './graphql-config';
export type { GivenProviderConfig, NamedProviderConfig, ProviderConfig, ProviderFactory } from './provider-config';
export type { LocalCacheOptions, MemoryOptions, ProviderOptionsByName, RedisOptions } from './provider-options';
export type {
  CacheControlConfig,
  ContentTypeConfig,
  ContentTypeUid,
  Hitpass,
  HitpassFunction,
  KeysConfig,
  MetricsConfig,
  RestCacheConfig,
  RouteConfig,
  RoutePath,
  SettingsConfig,
  StatusConfig,
  StrategyConfig,
} from './user-config';

// For writing a provider of your own.
export type { EpochMilliseconds } from '../cache/clock';
export type { Entry, EntryLabels, StoredResponse } from '../cache/entry';
export type { EntrySummary, SummaryQuestion } from '../cache/entry-summary';
export type { CacheKey } from '../cache/key';
export { milliseconds, type Milliseconds } from '../cache/milliseconds';
export type {
  Announcement,
  EdgeLedger,
  Guard,
  Health,
  Lookup,
  MaybePromise,
  Provider,
  ProviderEvents,
  ProviderSettings,
  SharedCounters,
  SharedLists,
} from '../cache/provider';
export { sequence, type Sequence } from '../cache/sequence';
export { EVERYTHING, type Tag } from '../cache/tag';
