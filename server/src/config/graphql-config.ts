import type { Hitpass, KeysConfig } from './keys-config';

/** The parts of a GraphQL request that are in its key besides the operation and its variables. */
export type GraphqlKeysConfig = Pick<KeysConfig, 'useHeaders'> & { useAuth?: boolean };

/** How answers of `@strapi/plugin-graphql` are cached. Options that it leaves out are inherited from the strategy. */
export interface GraphqlConfig {
  /**
   * How long a cached answer may be served: milliseconds, more than 0.
   * @default that of the strategy
   */
  maxAge?: number;
  /**
   * Which requests bypass the cache, as on content types.
   * @default that of the strategy
   */
  hitpass?: Hitpass;
  /**
   * Request headers and the caller as parts of the key; an inherited `useAuth: 'role'` means `true`.
   * @default that of the strategy
   */
  keys?: GraphqlKeysConfig;
  /**
   * Declares that hits need not call policies and middlewares of fields, nor plugins of Apollo Server.
   * @default that of the strategy
   * @see docs/graphql.md#what-is-never-cached
   */
  repeatable?: boolean;
}
