import type { Application } from './start-application';

/** The plugin's service for users' code. */
export interface CacheStore {
  readonly ready: boolean;
  init(): Promise<void>;
  keys(): Promise<string[]>;
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, maxAge: number): Promise<void>;
  del(key: string): Promise<boolean>;
  delMany(keys: readonly string[]): Promise<void>;
  reset(): Promise<void>;
  clearByUid(uid: string, params?: object, wildcard?: boolean): Promise<void>;
  clearByRegexp(patterns: readonly RegExp[]): Promise<void>;
  invalidate(request: object): Promise<void>;
}

export const cacheStore = ({ strapi }: Pick<Application, 'strapi'>): CacheStore =>
  strapi.plugin('rest-cache').service<CacheStore>('cacheStore');
