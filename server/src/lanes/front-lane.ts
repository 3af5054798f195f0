import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { Milliseconds } from '../cache/milliseconds';
import type { MaybePromise } from '../cache/provider';
import { afterOthers, cacheStatus } from '../http/cache-status';
import { exchangeOf, type Served } from '../http/exchange';
import { isNonAscii } from '../http/finish-response';
import { asText, fieldOf, responseHeader, watchHeaders } from '../http/response-headers';
import {
  ageCountsFrom,
  ageHeader,
  isNotModified,
  lastModifiedOn,
  OF_THE_BODY,
  timeToLive,
} from '../http/stored-response';
import type { Recording } from '../observe/recording';
import { type EncodedBodies, encodedName, type EncodedName } from '../stack/encoded-bodies';
import type { RememberedHits, Repetition, Snapshot } from './remembered-hits';
import type { RequestFingerprints } from './request-fingerprint';
import { ResponseHead } from './response-head';
import type { LaneListener } from './serve-entry';
import { ifPossible, rememberHead, type OnFault } from './undo-answer';

/** Complete response heads, valid for one second at most. */
interface Heads {
  readonly full: ResponseHead;
  readonly notModified: ResponseHead;
  /** The length in bytes of the body that they announce. */
  readonly length: number;
  /** The heads are valid from `from` on and before `until`. Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

type WithSpelledNames = ServerResponse & { getRawHeaderNames(): string[] };

/** Maximum number of snapshots whose heads are kept, some kilobytes each. Other heads are made each time. */
const MAX_HEADS = 2000;

export interface FrontLaneSettings {
  readonly lane: RememberedHits;
  readonly fingerprints: RequestFingerprints;
  readonly bodies: EncodedBodies;
  readonly clock: Clock;
  readonly listener: LaneListener;
  /** Writes a line of `strapi::logger`; `undefined` if that middleware is not configured. */
  readonly log: ((line: string) => void) | undefined;
  readonly responseTime: boolean;
  readonly onFault?: OnFault;
}

/** Headers that differ in each response. They are computed anew, or left to Node.js. */
const PER_RESPONSE: ReadonlySet<string> = new Set([
  ...['age', 'cache-status', 'x-response-time'],
  ...['content-length', 'connection', 'keep-alive', 'transfer-encoding'],
]);

/**
 * Answers requests at the HTTP server's own `request` event, before Koa, if the stack has answered a request with the
 * same fingerprint before. Sends the bytes of the entry, and the headers as they had left the outermost middleware.
 */
export class FrontLane {
  readonly #settings: FrontLaneSettings;
  #isOpen = true;
  readonly #heads = new LRUCache<Snapshot, Heads>({ max: MAX_HEADS });

  constructor(settings: FrontLaneSettings) {
    this.#settings = settings;
  }

  /** Takes the place of Strapi's own request listener. Other code may add or replace a listener later. */
  replace(origin: RequestListener, httpServer: Server): void {
    const isAlone = (): boolean => {
      const listeners = httpServer.listeners('request');
      return listeners.length === 1 && listeners[0] === listener;
    };
    const listener = this.listener(origin, isAlone);
    httpServer.removeListener('request', origin);
    httpServer.on('request', listener);
  }

  /**
   * The listener to put in place of `origin`. Requests that the front lane does not answer, or fails to answer, are
   * passed on to `origin`.
   *
   * @param isAlone whether this listener is the only one for the server's requests. Called for each request.
   */
  listener(origin: RequestListener, isAlone: () => boolean = () => true): RequestListener {
    return (request, response) => {
      // A listener added with `once` is off the list by now, but may have begun to answer. Koa then leaves the response
      // alone.
      const found = this.#isOpen && isAlone() && !response.headersSent ? this.#find(request) : undefined;
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

  /** From now on, the stack answers every request. */
  close(): void {
    this.#isOpen = false;
    this.forgetAll();
  }

  /** Forgets all hits: every request passes the stack again before it is answered here. */
  forgetAll(): void {
    this.#settings.lane.forgetAll();
  }

  #find(request: IncomingMessage): MaybePromise<Repetition | undefined> {
    return ifPossible(() => {
      const fingerprint = this.#settings.fingerprints.of(request, request.url ?? '');
      return fingerprint === undefined ? undefined : this.#settings.lane.find(fingerprint);
    }, this.#failed);
  }

  #answerOr(
    origin: RequestListener,
    request: IncomingMessage,
    response: ServerResponse,
    repetition: Repetition | undefined,
  ): void {
    if (repetition !== undefined && this.#tryToAnswer(request, response, repetition)) {
      this.#count(repetition);
      this.#log(request, response);
      return;
    }
    origin(request, response);
  }

  /** @returns `false` if the origin has to answer. The response is then as it was. */
  #tryToAnswer(request: IncomingMessage, response: ServerResponse, repetition: Repetition): boolean {
    const restore = rememberHead(response);
    try {
      if (hasArrivedLike(response, repetition.hit.snapshot) && this.#answer(request, response, repetition)) return true;
    } catch (error) {
      this.#failed(error);
      // A response whose head was sent cannot be taken back.
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

  /** Remembers how the stack has answered; called when a hit of the route lane has passed all middlewares. */
  remember(ctx: Context, served: Served, recording: Recording): void {
    const { lane, bodies, fingerprints } = this.#settings;
    const { entry } = served;
    if (!this.#isOpen || recording.since === undefined || ctx.status !== 200 || ctx.respond === false) return;
    // The URL as the client sent it: code that sets `ctx.query` changes the request's URL.
    const fingerprint = fingerprints.of(ctx.req, ctx.originalUrl);
    if (fingerprint === undefined || !served.isRepeatable()) return;
    const fixed: string[] = [];
    const arrived: string[] = [];
    const onArrival = exchangeOf(ctx).headersOnArrival;
    let encoded: EncodedName | undefined;
    for (const fingerprint of (ctx.res as WithSpelledNames).getRawHeaderNames()) {
      const name = fingerprint.toLowerCase();
      const value = ctx.res.getHeader(name);
      // Trailers are sent only with chunked bodies, but this lane sends bodies with their length.
      if (name === 'set-cookie' || name === 'trailer') return;
      const isArrived = value !== undefined && onArrival?.get(name) === asText(value);
      if (isArrived) arrived.push(name);
      if (value === undefined || isArrived || PER_RESPONSE.has(name)) continue;
      if (name === 'content-encoding') encoded = encodedName(entry, String(value));
      for (const single of Array.isArray(value) ? value : [value]) fixed.push(fingerprint, String(single));
      // Node.js sends such a header as UTF-8 together with a string, but as Latin-1 together with bytes.
      if (isNonAscii(responseHeader(ctx, name))) return;
    }
    if (encoded !== undefined && bodies.bodies.get(encoded) === undefined) return;
    // A middleware has changed or removed what came with this response only.
    if (arrived.length !== (onArrival?.size ?? 0)) return;
    watchHeaders(ctx.res, (_change, name) => {
      // Other code changes headers only when the head is sent, on each response: the front lane cannot repeat that.
      if (!PER_RESPONSE.has(name.toLowerCase())) lane.forget(fingerprint);
    });
    const snapshot: Snapshot = {
      fixed,
      arrived,
      // A handler's own `ETag` is replayed like any header. Conditional requests are answered only with `enableEtag`.
      etag: entry.response.etag === undefined ? undefined : responseHeader(ctx, 'ETag') || undefined,
      lastModified: lastModifiedOn(ctx, exchangeOf(ctx).answer?.lastModified),
      age: responseHeader(ctx, 'Age') !== '',
      advertisedMaxAge: exchangeOf(ctx).answer?.advertisedMaxAge,
      cacheStatus: responseHeader(ctx, 'Cache-Status') !== (fieldOf(entry.response, 'cache-status') ?? ''),
      encoded,
    };
    // Most header values are strings of this response's own, so each snapshot is counted with all of them.
    lane.remember(fingerprint, served, recording, snapshot, fixed.join().length);
  }

  #answer(request: IncomingMessage, response: ServerResponse, repetition: Repetition): boolean {
    const { bodies, clock } = this.#settings;
    const { entry } = repetition;
    const { snapshot } = repetition.hit;
    const body = snapshot.encoded === undefined ? entry.response.body : bodies.bodies.get(snapshot.encoded);
    if (!Buffer.isBuffer(body)) return false;
    const now = clock.now();
    const heads = this.#headsOf(snapshot, entry, body.byteLength, now);
    const isUnmodified = isNotModified(request.headers, snapshot);
    (isUnmodified ? heads.notModified : heads.full).write(response);
    if (isUnmodified || request.method === 'HEAD') response.end();
    else response.end(body);
    return true;
  }

  #count({ hit, entry }: Repetition): void {
    const { clock, listener } = this.#settings;
    // The response was sent, so this must not throw.
    ifPossible(() => {
      const outcome = { kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, clock.now()) } as const;
      listener.answered(outcome, hit.route, entry);
    }, this.#failed);
  }

  /** Writes the line of `strapi::logger` for a response that did not pass that middleware. */
  #log({ method = '', url = '' }: IncomingMessage, { statusCode }: ServerResponse): void {
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
    if (snapshot.age) perSecond.push('Age', ageHeader(entry, now, snapshot.advertisedMaxAge));
    const ofHandler = fieldOf(entry.response, 'cache-status') ?? '';
    if (snapshot.cacheStatus) {
      const own = cacheStatus({ kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, now) });
      perSecond.push('Cache-Status', afterOthers(ofHandler, own));
    } else if (ofHandler !== '') perSecond.push('Cache-Status', ofHandler);
    if (this.#settings.responseTime) perSecond.push('X-Response-Time', '0ms');
    const full: string[] = [...perSecond, 'Content-Length', String(length)];
    const notModified: string[] = [...perSecond];
    for (let index = 0; index < snapshot.fixed.length; index += 2) {
      const name = snapshot.fixed[index] ?? '';
      const value = snapshot.fixed[index + 1] ?? '';
      full.push(name, value);
      if (!OF_THE_BODY.has(name.toLowerCase())) notModified.push(name, value);
    }
    return {
      full: new ResponseHead(200, full),
      notModified: new ResponseHead(304, notModified),
      length,
      from: now,
      // `Date`, `Age` and the time to live each change once a second, at different moments.
      until: Math.min(
        nextSecond(now, 0),
        nextSecond(now, ageCountsFrom(entry, snapshot.advertisedMaxAge)),
        nextSecond(now, entry.createdAt + entry.maxAge),
      ),
    };
  }
}

/** Whether code before Koa has set the headers that it had set on the remembered response: those stay, with new values. */
const hasArrivedLike = (response: ServerResponse, { arrived }: Snapshot): boolean => {
  const names = response.getHeaderNames();
  return names.length === arrived.length && arrived.every((name) => names.includes(name));
};

/** The end of the current second, if seconds are counted from `origin`. Milliseconds since the epoch. */
const nextSecond = (now: number, origin: number): number => now + 1000 - ((((now - origin) % 1000) + 1000) % 1000);
