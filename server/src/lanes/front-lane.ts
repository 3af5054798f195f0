import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { Milliseconds } from '../cache/milliseconds';
import type { MaybePromise } from '../cache/provider';
import { afterOthers, cacheStatus } from '../http/cache-status';
import { exchangeOf, type Served } from '../http/exchange';
import { isNonAscii } from '../http/finish-response';
import { fieldOf, responseHeader, watchHeaders } from '../http/response-headers';
import {
  ageCountsFrom,
  ageHeader,
  isDroppedWhenNotModified,
  isNotModified,
  lastModifiedOn,
  timeToLive,
} from '../http/stored-response';
import type { Recording } from '../observe/recording';
import { type EncodedBodies, encodedName, type EncodedName } from './encoded-bodies';
import type { OuterLane, Repetition } from './outer-lane';
import type { RequestSpellings } from './request-spelling';
import { ResponseHead } from './response-head';
import type { LaneListener } from './serve-entry';
import { ifPossible, rememberHead, type OnFault } from './undo-answer';

/** The final headers of a response, as the whole stack had made them. */
export interface Snapshot {
  /** Name, value, name, value …, without what is different in each response. */
  readonly fixed: readonly string[];
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Whether the response told its age, and its fate in `Cache-Status` after what its handler said there. */
  readonly age: boolean;
  readonly toldMaxAge: Milliseconds | undefined;
  readonly cacheStatus: boolean;
  /** The name of the body that was sent, where the stack had compressed it. */
  readonly encoded: EncodedName | undefined;
  /** What the route's own functions add to the head, where these have to see every request. */
  readonly headOfRoute: string | undefined;
}

/** Complete heads, good for all responses of one second. */
interface Heads {
  readonly full: ResponseHead;
  readonly notModified: ResponseHead;
  /** Of the body they announce. Bytes. */
  readonly length: number;
  /** Milliseconds since the epoch: not before, and not from. */
  readonly from: number;
  readonly until: number;
}

type WithSpelledNames = ServerResponse & { getRawHeaderNames(): string[] };

/** Snapshots whose heads are kept; some kilobytes each. Others make theirs anew. */
const MAX_HEADS = 2000;

export interface FrontLaneSettings {
  readonly lane: OuterLane<Snapshot>;
  readonly spellings: RequestSpellings;
  readonly bodies: EncodedBodies;
  readonly clock: Clock;
  readonly listener: LaneListener;
  /** `strapi::logger`'s line, where that middleware is configured. */
  readonly log: ((line: string) => void) | undefined;
  readonly responseTime: boolean;
  readonly onFault?: OnFault;
}

/** Different in each response: computed anew. */
export const PER_RESPONSE: ReadonlySet<string> = new Set([
  'age',
  'cache-status',
  'x-response-time',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Answers at the HTTP server's own `request` event, before Koa, what the stack has answered in the very same words
 * before: the bytes of the entry, and the headers as they had left the outermost middleware.
 */
export class FrontLane {
  readonly #settings: FrontLaneSettings;
  /** What requests that are on their way to their route will be answered with, if its functions do as before. */
  readonly #expected = new WeakMap<IncomingMessage, Repetition<Snapshot>>();
  readonly #heads = new LRUCache<Snapshot, Heads>({ max: MAX_HEADS });

  constructor(settings: FrontLaneSettings) {
    this.#settings = settings;
  }

  /**
   * The listener to put in place of `origin`, which answers all the rest, and whatever goes wrong here.
   *
   * @param isAlone whether nobody else listens to the server's requests.
   */
  listener(origin: RequestListener, isAlone: () => boolean = () => true): RequestListener {
    return (request, response) => {
      // A listener that was there for one request is gone by now; what it has begun to answer is Koa's to leave alone.
      const found = isAlone() && !response.headersSent ? this.#find(request) : undefined;
      if (found === undefined) {
        origin(request, response);
      } else if (found instanceof Promise) {
        found
          .catch(this.#failed)
          .then((repetition) => this.#answerOr(origin, request, response, repetition))
          .catch((error: unknown) => {
            this.#failed(error);
            response.destroy();
          });
      } else {
        this.#answerOr(origin, request, response, found);
      }
    };
  }

  #find(request: IncomingMessage): MaybePromise<Repetition<Snapshot> | undefined> {
    try {
      const spelling = this.#settings.spellings.of(request, request.url ?? '');
      return spelling === undefined ? undefined : this.#settings.lane.find(spelling);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #answerOr(
    origin: RequestListener,
    request: IncomingMessage,
    response: ServerResponse,
    repetition: Repetition<Snapshot> | undefined,
  ): void {
    if (repetition !== undefined && this.#tryToAnswer(request, response, repetition)) {
      this.#count(repetition);
      this.log(request, response);
      return;
    }
    origin(request, response);
  }

  /** What the route of this request is expected to answer with; `undefined` where nothing is known. */
  expected(request: IncomingMessage): Repetition<Snapshot> | undefined {
    return this.#expected.get(request);
  }

  /** The route has answered otherwise. */
  forget(ctx: Context): void {
    const { spellings, lane } = this.#settings;
    const spelling = spellings.of(ctx.req, ctx.originalUrl);
    if (spelling !== undefined) lane.forget(spelling);
  }

  /** Sends that, once the route has: `false` where it cannot be done, and the response is as it was. */
  send(ctx: Context, repetition: Repetition<Snapshot>): boolean {
    if (!this.#tryToAnswer(ctx.req, ctx.res, repetition)) return false;
    ctx.respond = false;
    this.log(ctx.req, ctx.res);
    return true;
  }

  /** `false` where the origin has to answer, on a response as it was. */
  #tryToAnswer(request: IncomingMessage, response: ServerResponse, repetition: Repetition<Snapshot>): boolean {
    const restore = rememberHead(response);
    try {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      if (this.#answer(request, response, repetition)) return true;
    } catch (error) {
      this.#failed(error);
      // What is on its way cannot be taken back.
      if (response.headersSent) {
        if (!response.writableEnded) response.destroy();
        return true;
      }
    }
    restore();
    return false;
  }

  readonly #failed = (error: unknown): undefined => {
    this.#settings.onFault?.(error);
    return undefined;
  };

  /** Remembers how the stack has answered; called when a hit of the inner lane has passed all middlewares. */
  remember(ctx: Context, served: Served, recording: Recording): void {
    const { lane, bodies, spellings } = this.#settings;
    const { entry } = served;
    if (recording.since === undefined || ctx.status !== 200 || ctx.respond === false) return;
    // As it came: whoever sets `ctx.query` writes another URL on the request.
    const spelling = spellings.of(ctx.req, ctx.originalUrl);
    const headOfRoute = served.isRepeatable() ? undefined : exchangeOf(ctx).headOfRoute;
    if (spelling === undefined || (headOfRoute === undefined && !served.isRepeatable())) return;
    const fixed: string[] = [];
    let encoded: EncodedName | undefined;
    for (const spelled of (ctx.res as WithSpelledNames).getRawHeaderNames()) {
      const name = spelled.toLowerCase();
      const value = ctx.res.getHeader(name);
      // Trailers go out with chunks alone, and these bodies have a length.
      if (name === 'set-cookie' || name === 'trailer') return;
      if (value === undefined || PER_RESPONSE.has(name)) continue;
      if (name === 'content-encoding') encoded = encodedName(entry, String(value));
      for (const single of Array.isArray(value) ? value : [value]) fixed.push(spelled, String(single));
      // Sent in another spelling together with a text than with bytes.
      if (isNonAscii(responseHeader(ctx, name))) return;
    }
    if (encoded !== undefined && bodies.body(encoded) === undefined) return;
    watchHeaders(ctx.res, (_change, name) => {
      // Somebody acts on the head as late as when it is sent, on each response.
      if (!PER_RESPONSE.has(name.toLowerCase())) lane.forget(spelling);
    });
    const snapshot: Snapshot = {
      fixed,
      // A handler's own tag is replayed like any header; questions about it are answered with `enableEtag` alone.
      etag: entry.response.etag === undefined ? undefined : responseHeader(ctx, 'ETag') || undefined,
      lastModified: lastModifiedOn(ctx, exchangeOf(ctx).answer?.lastModified),
      age: responseHeader(ctx, 'Age') !== '',
      toldMaxAge: exchangeOf(ctx).answer?.toldMaxAge,
      cacheStatus: responseHeader(ctx, 'Cache-Status') !== (fieldOf(entry.response, 'cache-status') ?? ''),
      encoded,
      headOfRoute,
    };
    // Of most headers each response has made a text of its own.
    lane.remember(spelling, served, recording, snapshot, fixed.join().length);
  }

  #answer(request: IncomingMessage, response: ServerResponse, repetition: Repetition<Snapshot>): boolean {
    const { bodies, clock } = this.#settings;
    const { verdict, entry } = repetition;
    const { extra } = verdict;
    if (extra.headOfRoute !== undefined && !this.#expected.has(request)) {
      this.#expected.set(request, repetition);
      return false;
    }
    const body = extra.encoded === undefined ? entry.response.body : bodies.body(extra.encoded);
    if (!Buffer.isBuffer(body)) return false;
    const now = clock.now();
    const heads = this.#headsOf(extra, entry, body.byteLength, now);
    const isUnmodified = isNotModified(request.headers, extra);
    (isUnmodified ? heads.notModified : heads.full).write(response);
    if (isUnmodified || request.method === 'HEAD') response.end();
    else response.end(body);
    return true;
  }

  #count({ verdict, entry }: Repetition<Snapshot>): void {
    const { clock, listener } = this.#settings;
    // The answer is sent: nothing may fail any more.
    ifPossible(() => {
      const outcome = { kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, clock.now()) } as const;
      listener.answered(outcome, verdict.route, entry);
    }, this.#failed);
  }

  /** The line of `strapi::logger` for an answer that is on its way without it. */
  log({ method = '', url = '' }: IncomingMessage, { statusCode }: ServerResponse): void {
    ifPossible(() => this.#settings.log?.(`${method} ${url} (0 ms) ${statusCode}`), this.#failed);
  }

  #headsOf(snapshot: Snapshot, entry: Entry, length: number, now: Milliseconds): Heads {
    const known = this.#heads.get(snapshot);
    if (known?.length === length && known.from <= now && now < known.until) return known;
    const made = this.#makeHeads(snapshot, entry, length, now);
    this.#heads.set(snapshot, made);
    return made;
  }

  #makeHeads(snapshot: Snapshot, entry: Entry, length: number, now: Milliseconds): Heads {
    const perSecond: string[] = [];
    if (snapshot.age) perSecond.push('Age', ageHeader(entry, now, snapshot.toldMaxAge));
    const ofHandler = fieldOf(entry.response, 'cache-status') ?? '';
    if (snapshot.cacheStatus) {
      const own = cacheStatus({ kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, now) });
      perSecond.push('Cache-Status', afterOthers(ofHandler, own));
    } else if (ofHandler !== '') perSecond.push('Cache-Status', ofHandler);
    if (this.#settings.responseTime) perSecond.push('X-Response-Time', '0ms');
    const full: string[] = [...perSecond, 'Content-Length', String(length)];
    const notModified: string[] = [...perSecond];
    const ofRoute = new Set(entry.response.headers.map(([name]) => name.toLowerCase()));
    for (let index = 0; index < snapshot.fixed.length; index += 2) {
      const name = snapshot.fixed[index] ?? '';
      const value = snapshot.fixed[index + 1] ?? '';
      full.push(name, value);
      if (!isDroppedWhenNotModified(name.toLowerCase(), ofRoute)) notModified.push(name, value);
    }
    return {
      full: new ResponseHead(200, full),
      notModified: new ResponseHead(304, notModified),
      length,
      from: now,
      // `Date`, `Age` and the time to live each change with a second of their own.
      until: Math.min(
        nextSecond(now, 0),
        nextSecond(now, ageCountsFrom(entry, snapshot.toldMaxAge)),
        nextSecond(now, entry.createdAt + entry.maxAge),
      ),
    };
  }
}

/** When the next second begins of those counted from `origin`. */
const nextSecond = (now: number, origin: number): number => now + 1000 - ((((now - origin) % 1000) + 1000) % 1000);
