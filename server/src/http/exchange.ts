import type { Context } from 'koa';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Entry, StoredResponse } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Guard, MaybePromise } from '../cache/provider';
import type { ResolvedRoute } from '../config/resolved-config';
import type { HandedOut } from '../edge/edge';
import { EXCHANGE, type Recording } from '../observe/recording';
import type { LazyBody } from './lazy-body';
import type { ReadName } from './request-reads';
import type { ThrownAnswer } from './thrown-answer';

/** What a lane has put on a context, to be finished when the whole stack has seen it. */
export interface Answer {
  readonly response: StoredResponse;
  /** As the lane has set it; `undefined` where the header is somebody else's. */
  readonly cacheControl: string | undefined;
  readonly toldEdge: readonly string[];
  /** The max age that this tells other caches; `undefined` where it tells none. */
  readonly toldMaxAge: Milliseconds | undefined;
  /** By which clients may ask; `undefined` where they may not. */
  readonly lastModified: string | undefined;
}

export interface HitServer {
  /** Notes, before a hit, what the edge is going to be told with it. */
  handOut(entry: Entry, guardOf: () => Guard | undefined): MaybePromise<HandedOut>;
  hit(ctx: Context, entry: Entry, collapsed: boolean, handedOut: HandedOut): void;
}

/** A hit of the inner lane that an outer lane may repeat. */
export interface Served {
  readonly entry: Entry;
  readonly route: ResolvedRoute;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly server: HitServer;
  /** Whether nothing on the route has to see every request: asked again before it is remembered. */
  readonly isRepeatable: () => boolean;
}

/** A policy or middleware of a route, in words for the log. */
export interface FunctionOfRoute {
  readonly path: string;
  /** `its policy global::is-owner`. */
  readonly who: string;
  /** By the user's word. */
  readonly isRepeatable: boolean;
}

interface Pass {
  goOn<T>(next: () => Promise<T>): Promise<T>;
  settle(): void;
  readonly did: string | undefined;
}

/** What one request has come to among the functions of its route. */
export interface FunctionsPassed {
  /** The policy that runs; `undefined` once the request has gone on. */
  policy: { readonly fn: FunctionOfRoute; readonly pass: Pass } | undefined;
  /** The innermost middleware so far. */
  middleware: Pass | undefined;
  /** Response headers, as text: when the first of them began, and then when the lane had answered. */
  headers: string;
  /** Whether they have set any beside the entry's: only the front lane repeats these. */
  setHeaders: boolean;
}

/** What the plugin knows of one request and its response, from its place in front until the response is sent. */
export class Exchange {
  /** What the request has read; `undefined` where that is not recorded. */
  recording: Recording | undefined;
  /** What the application's own functions in front of the lane have read of the request, each with who read it first. */
  readsInFront: Map<ReadName, string> | undefined;
  /** What authentication strategies that are not Strapi's own have read of it. */
  readsOfStrategies: ReadonlySet<ReadName> | undefined;
  /** Parameters of the query that were there and were read in front, likewise. */
  parametersInFront: Map<string, string> | undefined;
  /** Ends what the route's own policies and middlewares are noted by. */
  endReadsOfRoute: (() => void) | undefined;
  /** Of a route whose functions are said to be repeatable. */
  functions: FunctionsPassed | undefined;
  /** Response headers, where the route has functions of its own, before the first of them runs. */
  headBeforeRoute: OutgoingHttpHeaders | undefined;
  /** What these and the lane have then made of them, in words of its own. */
  headOfRoute: string | undefined;
  /** What the route has come to, and the head it has left, where it was asked in front of the global middlewares. */
  routed: { readonly outcome: PromiseSettledResult<unknown>; readonly head: OutgoingHttpHeaders } | undefined;
  /** How often the session was asked for, by whatever runs for the request. */
  sessionUses = 0;
  /** It has come to a cached route, whatever became of it there: Strapi looks for a file where nothing is found. */
  isOfCachedRoute = false;
  stored: CacheKey | undefined;
  served: Served | undefined;
  /** Has whoever asks in the same words be let in again; to be called once the request was answered by an entry. */
  rememberCaller: (() => void) | undefined;
  answer: Answer | undefined;
  thrown: ThrownAnswer | undefined;
  /** Bytes that look like what the route itself would have left. */
  lazyBody: LazyBody | undefined;
  isSent = false;
  /** The entry whose own bytes were handed to the stack. */
  entry: Entry | undefined;

  /** The lane that has answered has failed: what it has left is nobody's. */
  takeBack(): void {
    this.answer = undefined;
    this.thrown = undefined;
    this.served = undefined;
    this.entry = undefined;
  }
}

type KnownContext = Context & { [EXCHANGE]?: Exchange };

export const exchangeOf = (ctx: Context): Exchange => ((ctx as KnownContext)[EXCHANGE] ??= new Exchange());

/** The same where there is one already: some ask on behalf of the prototype of all contexts. */
export const knownExchange = (ctx: Context): Exchange | undefined => (ctx as KnownContext)[EXCHANGE];
