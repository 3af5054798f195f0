import type { RestCacheConfig } from './user-config';

/**
 * Returns the configuration as it is; lets the editor check and complete it.
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
export const defineConfig = (config: RestCacheConfig): RestCacheConfig => config;

export type {
  CacheControlConfig,
  ContentTypeConfig,
  Hitpass,
  HitpassFunction,
  KeysConfig,
  ProviderConfig,
  ProviderFactory,
  RestCacheConfig,
  RouteConfig,
  StrategyConfig,
} from './user-config';
export type {
  Announcement,
  Guard,
  Health,
  Lookup,
  MaybePromise,
  Provider,
  ProviderEvents,
  ProviderSettings,
} from '../cache/provider';
// What providers of one's own are written with.
export type { Entry, EntryLabels, StoredResponse } from '../cache/entry';
export type { CacheKey } from '../cache/key';
export { sequence, type Sequence } from '../cache/sequence';
export { EVERYTHING, type Tag } from '../cache/tag';
