import type { Context, Next } from 'koa';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Reason } from '../cache/response-cache';
import type { Tag } from '../cache/tag';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Identity } from './caller-identity';
import type { Seen } from './handler-watch';
import type { Recording } from '../observe/recording';

/** One path at which operations are answered that a request's body may name (GraphQL), and not only its URL. */
export interface Endpoint {
  readonly path: string;
  /** The route under which what is counted under a name is shown. */
  routeOf(name: string): ResolvedRoute;
  /** Whether a request is for the endpoint. Asked before anything is read for the request. */
  takes(ctx: Context): boolean;
  /** Called once the caller is authenticated. `next` answers the request. */
  answer(ctx: Context, next: Next): Promise<unknown>;
}

/** What the lane has to know of an endpoint's operation that it knows of a route by itself. */
export interface OperationRules {
  /** Why a request is not for the cache, if it is known before it is answered. */
  bypass(ctx: Context): Reason<'operation'> | undefined;
  keyOf(ctx: Context, identity: Identity): CacheKey;
  /** Whether this process knows that the operation's stored answers may be served. */
  mayServe(): boolean;
  /** Called when the handler has answered. */
  judge(ctx: Context, seen: Seen, recording: Recording | undefined): Judged;
}

/** What an endpoint makes of a handler that was watched. */
export interface Judged extends Pick<Seen, 'headers'> {
  /** `undefined` if nothing that only the endpoint knows keeps the answer from being stored. */
  readonly unstorable: Reason | undefined;
  /** Whether the handler may have waited for work that another request has begun. */
  readonly sharesWork: boolean;
  /** An upper bound; `Infinity` if there is none. */
  readonly maxAge: Milliseconds;
  /** Tags besides those of what was read. */
  readonly tags: readonly Tag[];
}
