import type { Context, Next } from 'koa';
import type { Entry, StoredResponse } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Reason } from '../cache/response-cache';
import type { ResolvedRoute } from '../config/resolved-config';
import { EXCHANGE, type Recording } from '../observe/recording';
import type { Identity } from './caller-identity';
import type { LazyBody } from './lazy-body';
import type { ReadName } from './request-reads';
import type { ThrownAnswer } from './thrown-answer';

/** What a lane has put on a context. `finishResponse` completes it after all middlewares have run. */
export interface Answer {
  readonly response: StoredResponse;
  /** The `Cache-Control` value that the lane has set; `undefined` if it has not set the header. */
  readonly cacheControl: string | undefined;
  /** Names of the response headers that are meant for the edge. */
  readonly edgeHeaders: readonly string[];
  /** The max age that other caches are given with the response; `undefined` if they are given none. */
  readonly advertisedMaxAge: Milliseconds | undefined;
  /** The date that `If-Modified-Since` is compared with; `undefined` if that header is not answered. */
  readonly lastModified: string | undefined;
}

/** A hit of the route lane that the front lane may repeat. */
export interface Served {
  readonly entry: Entry;
  readonly route: ResolvedRoute;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Whether nothing on the route has to see every request. Called again before a hit is remembered: it may change. */
  readonly isRepeatable: () => boolean;
}

/** A user of whom is watched what is read (`caller-reads.ts`). */
export interface CallerWatch {
  /** What the context holds in the place of their row. */
  readonly shown: object;
  /** All users who may share what does not depend on who is asking. */
  readonly role: Identity;
  /** What was read first that users of one role may differ in, such as `ctx.state.user.id`. */
  lookedAt: string | undefined;
}

/** What the plugin knows about one request and its response, from the outermost middleware until it is sent. */
export class Exchange {
  /** What the request has read from the database; `undefined` if that is not recorded. */
  recording: Recording | undefined;
  /** The response headers that other code had set before Koa, by lower-case name; `undefined` if there were none. */
  headersOnArrival: ReadonlyMap<string, string> | undefined;
  /** What functions in front of the lane have read of the request, each with the one that read it first, in words. */
  readsInFront: Map<ReadName, string> | undefined;
  /** Stops noting what the policy or middleware of the route reads that has begun last. */
  endReadsOfRoute: (() => void) | undefined;
  /** What authentication strategies other than Strapi's own have read of the request. */
  readsOfStrategies: ReadonlySet<ReadName> | undefined;
  /** Where users of a role share answers: the watch of what is read of the user, if that is possible. */
  callerWatch: CallerWatch | undefined;
  /**
   * Whether the request has come to a cached route, whatever was answered there. Noted, because the route on the
   * context is another one later if Strapi goes on to look for a public file.
   */
  isOfCachedRoute = false;
  /** The endpoint that it is for, whatever its method (`http/endpoint.ts`). */
  endpoint: { answer(ctx: Context, next: Next): Promise<unknown> } | undefined;
  /** The watch of an endpoint's handler, which may have read, and may set headers, for its own purposes. */
  watch: { forgetReads(): void; hasSet(name: string): boolean } | undefined;
  /** Why the response must not be stored: the handler has seen parameters that were to be hidden from it. */
  notHidden: Reason | undefined;
  stored: CacheKey | undefined;
  /** Whether other requests neither waited for its computation nor it for theirs, because none could be shared lately. */
  isComputedAlone = false;
  served: Served | undefined;
  /** Remembers the caller (`lanes/repeat-authentication.ts`). To be called once an entry has answered. */
  rememberCaller: (() => void) | undefined;
  answer: Answer | undefined;
  thrown: ThrownAnswer | undefined;
  /** The stored bytes as the body, which look to middlewares like what the route itself would have left. */
  lazyBody: LazyBody | undefined;
  /** On a hit, the entry whose bytes were put on the response. */
  entry: Entry | undefined;

  /** Discards what a lane has left here, after the lane has failed. */
  takeBack(): void {
    this.answer = undefined;
    this.thrown = undefined;
    this.served = undefined;
    this.entry = undefined;
  }
}

type KnownContext = Context & { [EXCHANGE]?: Exchange };

export const exchangeOf = (ctx: Context): Exchange => ((ctx as KnownContext)[EXCHANGE] ??= new Exchange());
