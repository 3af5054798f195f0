import type { Sentence } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { systemClock } from '../cache/clock';
import type { CacheKey } from '../cache/key';
import type { Provider } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import { restPrefixOf } from '../config/application-facts';
import type { ResolvedConfig } from '../config/resolved-config';
import type { WarningCode } from '../config/warning';
import { pathTag } from '../dependencies/tags';
import { NOT_TO_BE_KEPT } from '../http/cache-control';
import { notStored } from '../http/cache-status';
import { exchangeOf } from '../http/exchange';
import { finishResponse, keepFromOtherCaches, weakenCompressed } from '../http/finish-response';
import { canonicalPath, routedPath } from '../http/request-key';
import { isSafeMethod } from '../http/request-message';
import { responseHeader, watchHeaders } from '../http/response-headers';
import { endAllReads } from '../http/unkeyed-reads';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { ReadsElsewhere } from '../observe/reads-elsewhere';
import { Recording, recordRequest } from '../observe/recording';
import { routeOf } from '../handlers/chosen-route';
import { isStrapisOwnAction } from '../handlers/strapis-handlers';
import { type Choice, NOT_LISTENING } from './choose';
import type { Endpoint } from '../http/endpoint';
import type { FrontLane } from './front-lane';
import type { LaneListener } from './serve-entry';
import { ifPossible, orAsItWas, type OnFault } from './undo-answer';

/** What the lanes have to know about the plugin. */
export interface ServedCache {
  readonly config: ResolvedConfig;
  readonly provider: Provider;
  readonly sink: InvalidationSink;
  readonly listener: LaneListener;
  readonly observability: {
    readonly notices: Readonly<Record<'warn' | 'error', (said: Sentence<WarningCode>) => void>>;
  };
  readonly obstacles: { add(reason: string): void };
  readonly unobservable: string | undefined;
}

/** What the observer goes by. Never changed, only replaced. */
export interface Chosen {
  readonly restCache: ServedCache;
  readonly choice: Choice;
  /** The front lane, if it is open. It is given each hit that has passed the whole stack. */
  readonly front: FrontLane | undefined;
}

/** The outermost middleware: records what a request reads, and finishes its response after all others. */
export class RequestObserver {
  readonly readsElsewhere = new ReadsElsewhere(systemClock, () => this.#knownSequence());
  /** `undefined` until the content types are ready, and where nothing is cached. */
  chosen: Chosen | undefined;
  endpoint: Endpoint | undefined;
  readonly #strapi: Core.Strapi;
  readonly #onEarlyRequest: () => void;
  readonly #onFault: OnFault;

  /** @param onEarlyRequest called before a request for which no lane was chosen yet, although content types are ready. */
  constructor(strapi: Core.Strapi, onEarlyRequest: () => void, onFault: OnFault) {
    this.#strapi = strapi;
    this.#onEarlyRequest = onEarlyRequest;
    this.#onFault = onFault;
  }

  readonly middleware = (ctx: Context, next: Next): Promise<unknown> => {
    if (this.chosen?.choice === NOT_LISTENING) this.#onEarlyRequest();
    if (this.endpoint?.takes(ctx) === true) exchangeOf(ctx).endpoint = this.endpoint;
    else if (this.#isNeverCached(ctx)) {
      const recording = new Recording({ since: this.#knownSequence(), namesTablesOnly: true });
      return this.#during(recording, ctx, next);
    }
    return this.#record(ctx, next);
  };

  #during(recording: Recording, ctx: Context, next: Next): Promise<unknown> {
    exchangeOf(ctx).recording = recording;
    return this.readsElsewhere.during(recording, () => recordRequest(ctx, recording, next));
  }

  /** Whether a request is certainly not for a cached route. Then only the tables that it reads are recorded. */
  #isNeverCached({ method, path }: Context): boolean {
    const choice = this.chosen?.choice;
    if (choice?.showsTarget !== true || !isSafeMethod(method)) return false;
    return !choice.targets.some((pattern) => pattern.test(path));
  }

  async #record(ctx: Context, next: Next): Promise<void> {
    const { endpoint } = exchangeOf(ctx);
    const names = ctx.res.getHeaderNames();
    if (names.length > 0)
      exchangeOf(ctx).headersOnArrival = new Map(names.map((name) => [name, responseHeader(ctx, name)]));
    // The sequence number is noted before anything is read, so what is decided from here on holds until anything that
    // it was decided from is stamped.
    const recording = new Recording({
      isWriteRequest: this.#isWriteRequest(ctx),
      since: this.#knownSequence(),
      namesTablesOnly: !isSafeMethod(ctx.method) && endpoint === undefined,
    });
    try {
      await this.#during(recording, ctx, next);
    } finally {
      endAllReads(ctx);
    }
    if (!isSafeMethod(ctx.method)) await this.#endAnswersAt(ctx);
    const withdrawn = ifPossible(() => this.#keepCookiesOutOfCaches(ctx), this.#onFault);
    if (withdrawn !== undefined) await withdrawn;
    orAsItWas(ctx, () => finishResponse(ctx), this.#onFault);
    ifPossible(() => this.#forbidKeeping(ctx), this.#onFault);
    ifPossible(() => weakenCompressed(ctx), this.#onFault);
    ifPossible(() => this.#rememberInFront(ctx), this.#onFault);
  }

  #rememberInFront(ctx: Context): void {
    const { served, recording } = exchangeOf(ctx);
    if (served !== undefined && recording !== undefined) this.chosen?.front?.remember(ctx, served, recording);
  }

  /** The sequence number, as far as this process knows it without asking the store. */
  #knownSequence(): Sequence | undefined {
    try {
      return this.chosen?.restCache.provider.knownSequence();
    } catch {
      return undefined;
    }
  }

  /**
   * Called after a request with an unsafe method. If it has succeeded, invalidates the entries at its URL for which
   * nothing was read (RFC 9111, section 4.4): nothing else shows that they have changed. This is not done for Strapi's
   * own handlers: they change only the database, and its tags are stamped anyway.
   */
  async #endAnswersAt(ctx: Context): Promise<void> {
    if (ctx.status < 200 || ctx.status >= 400 || isStrapisOwnAction(this.#strapi, routeOf(ctx)?.handler)) return;
    const path = routedPath(ctx);
    const patterns = this.chosen?.choice.targets.filter((pattern) => pattern.test(path)) ?? [];
    if (patterns.length === 0) return;
    try {
      await this.chosen?.restCache.sink.invalidate(patterns.map((pattern) => pathTag(canonicalPath(path, pattern))));
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Keeps a response with a cookie out of all caches, even if the cookie is set only when the head is sent. */
  #keepCookiesOutOfCaches(ctx: Context): Promise<void> | undefined {
    const key = exchangeOf(ctx).stored;
    const isKept = key !== undefined || this.#sendsCacheControl;
    if (responseHeader(ctx, 'Set-Cookie') !== '') {
      keepFromOtherCaches(ctx);
      if (key === undefined) return undefined;
      const status = responseHeader(ctx, 'Cache-Status');
      if (status !== '' && !ctx.headerSent) ctx.set('Cache-Status', notStored(status, 'Set-Cookie'));
      return this.#withdraw(key);
    }
    if (isKept && !ctx.headerSent) {
      watchHeaders(ctx.res, (_change, name) => {
        if (name.toLowerCase() !== 'set-cookie') return;
        keepFromOtherCaches(ctx);
        if (key !== undefined) void this.#withdraw(key);
      });
    }
    return undefined;
  }

  get #sendsCacheControl(): boolean {
    return this.chosen?.restCache.config.strategy.cacheControl.enabled === true;
  }

  /**
   * Keeps the edge from storing a response of a cached route that has no entry (bypassed, refused, failed): no purge
   * names such a response. Without an edge, other caches treat it as they would without the plugin.
   */
  #forbidKeeping(ctx: Context): void {
    const isBehindEdge = (this.chosen?.restCache.config.strategy.edge ?? null) !== null;
    if (isBehindEdge && exchangeOf(ctx).isOfCachedRoute && responseHeader(ctx, 'Cache-Control') === '')
      ctx.set('Cache-Control', NOT_TO_BE_KEPT);
  }

  async #withdraw(key: CacheKey): Promise<void> {
    try {
      await this.chosen?.restCache.provider.delete(key);
    } catch (error) {
      this.#strapi.log.debug(`[rest-cache] ${String(error)}`);
    }
  }

  /** Whether a request may change content. Requests of the admin panel count only with `enableAdminCTBMiddleware`. */
  #isWriteRequest(ctx: Context): boolean {
    const { method, path } = ctx;
    if (isSafeMethod(method)) return false;
    // The router ignores the case of what is no parameter.
    return (
      exchangeOf(ctx).endpoint !== undefined ||
      path.toLowerCase().startsWith(`${restPrefixOf(this.#strapi)}/`.toLowerCase()) ||
      this.chosen?.restCache.config.strategy.enableAdminCTBMiddleware === true
    );
  }
}
