import type { Hitpass, KeysConfig } from './keys-config';

/**
 * The parts of a GraphQL request that are in its key besides the operation and its variables. `useAuth` is `true` or
 * `false` here.
 */
export type GraphqlKeysConfig = Pick<KeysConfig, 'useHeaders'> & { useAuth?: boolean };

/** How answers of `@strapi/plugin-graphql` are cached. Options that it leaves out are inherited from the strategy. */
export interface GraphqlConfig {
  /**
   * How long a cached answer may be served: milliseconds, more than 0. `Cache-Control` of a resolver and cache hints with
   * a `maxAge` may shorten it.
   * @default the value of the strategy
   */
  maxAge?: number;
  /**
   * `true`: requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not; then set
   * `keys.useAuth`, too. A function decides request by request.
   * @default the value of the strategy
   */
  hitpass?: Hitpass;
  /**
   * Request headers and the caller as parts of the key; an inherited `useAuth: 'role'` means `true`. Replaces the `keys` of
   * the strategy as a whole.
   * @default the value of the strategy
   */
  keys?: GraphqlKeysConfig;
  /**
   * Declares that policies and middlewares of fields (`resolversConfig`) and plugins of Apollo Server depend on nothing
   * but the operation, its variables, the keyed headers and the caller. Hits then need not call them.
   * @default the value of the strategy
   * @see docs/graphql.md#what-is-never-cached
   */
  repeatable?: boolean;
}
