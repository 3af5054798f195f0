import type { Core } from '@strapi/strapi';

/** Decides from Koa's context whether a request bypasses the cache: `true` if it does. */
export type HitpassFunction = (ctx: Parameters<Core.MiddlewareHandler>[0]) => boolean | Promise<boolean>;

/**
 * `true` (default): requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not.
 * A function decides request by request.
 */
export type Hitpass = boolean | HitpassFunction;

/** The parts of a request that tell it apart from others to the same path. */
export interface KeysConfig {
  /**
   * `true`: all query parameters are part of the key; a list: only these; `false`: none. The handler does not see the
   * others.
   * @default true
   * @see docs/public-site.md#name-the-query-parameters-that-matter
   */
  useQueryParams?: boolean | readonly string[];
  /**
   * Request headers that are part of the key. Case does not matter.
   * @default []
   */
  useHeaders?: readonly string[];
  /**
   * Request headers that your code reads, but that do not change the response; `'*'`: all, `'remote-address'`: the
   * caller's address.
   * @default []
   * @see docs/your-own-code.md#request-headers
   */
  ignoreHeaders?: readonly string[];
  /**
   * `true`: one cached response per caller. `'role'`: users of a role share one, unless code has read who is asking.
   * @default false
   * @see docs/signed-in-users.md#one-cached-response-per-role
   */
  useAuth?: boolean | 'role';
}
