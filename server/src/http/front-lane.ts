import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { Milliseconds } from '../cache/milliseconds';
import type { Recording } from '../observe/recording';
import { cacheStatus } from './cache-status';
import type { EncodedBodies } from './encoded-bodies';
import { isNoneMatchHit } from './entity-tag';
import type { OuterLane, Repetition } from './outer-lane';
import { ageHeader, isDroppedWhenNotModified, timeToLive } from './replay';
import { requestFingerprint } from './request-fingerprint';
import { spelledHeaderNames } from './response-headers';
import type { LaneListener } from './serve-entry';
import type { Served } from './served';

/** The final headers of a response, as the whole stack had made them. */
export interface Snapshot {
  /** Name, value, name, value …, without what is different in each response. */
  readonly fixed: readonly string[];
  readonly etag: string | undefined;
  /** Whether the response told its age, and its fate in `Cache-Status`. */
  readonly age: boolean;
  readonly cacheStatus: boolean;
  /** Content coding of the body, if the stack had compressed it. */
  readonly encoding: string | undefined;
  /** Complete header lists of this second, built once. */
  built: { readonly second: number; readonly full: string[]; readonly notModified: string[] } | undefined;
}

export interface FrontLaneSettings {
  readonly lane: OuterLane<Snapshot>;
  readonly bodies: EncodedBodies;
  readonly clock: Clock;
  readonly listener: LaneListener;
  /** `strapi::logger`'s line, where that middleware is configured. */
  readonly log: ((line: string) => void) | undefined;
  /** Where `strapi::responseTime` is configured. */
  readonly responseTime: boolean;
}

/** Different in each response: computed anew. */
const PER_RESPONSE: ReadonlySet<string> = new Set(['age', 'cache-status', 'x-response-time', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding']);

/**
 * Answers at the HTTP server's own `request` event, before Koa, what the stack has answered in the very same words
 * before: the bytes of the entry, and the headers as they had left the outermost middleware.
 */
export class FrontLane {
  readonly #settings: FrontLaneSettings;

  constructor(settings: FrontLaneSettings) {
    this.#settings = settings;
  }

  /** The listener to put in place of `origin`, which answers all the rest. */
  listener(origin: RequestListener): RequestListener {
    const { lane, bodies } = this.#settings;
    return (request, response) => {
      const fingerprint = requestFingerprint(request, request.url ?? '', bodies.areConfigured);
      const found = fingerprint === undefined ? undefined : lane.find(fingerprint);
      if (found === undefined) {
        origin(request, response);
      } else if (found instanceof Promise) {
        void found.then((repetition) => this.#answerOr(origin, request, response, repetition));
      } else {
        this.#answerOr(origin, request, response, found);
      }
    };
  }

  #answerOr(origin: RequestListener, request: IncomingMessage, response: ServerResponse, repetition: Repetition<Snapshot> | undefined): void {
    if (repetition === undefined || !this.#answer(request, response, repetition)) origin(request, response);
  }

  /** Remembers how the stack has answered; called when a hit of the inner lane has passed all middlewares. */
  remember(ctx: Context, { entry, route, expiresAt }: Served, recording: Recording): void {
    const { lane, bodies } = this.#settings;
    const { since } = recording;
    if (since === undefined || ctx.status !== 200 || ctx.respond === false) return;
    const fingerprint = requestFingerprint(ctx.req, ctx.req.url ?? '', bodies.areConfigured);
    if (fingerprint === undefined) return;
    const fixed: string[] = [];
    let encoding: string | undefined;
    for (const spelled of spelledHeaderNames(ctx)) {
      const name = spelled.toLowerCase();
      const value = ctx.res.getHeader(name);
      if (name === 'set-cookie') return;
      if (value === undefined || PER_RESPONSE.has(name)) continue;
      if (name === 'content-encoding') encoding = String(value);
      for (const single of Array.isArray(value) ? value : [value]) fixed.push(spelled, String(single));
    }
    if (encoding !== undefined && bodies.encode(entry, encoding) === undefined) return;
    lane.remember(fingerprint, {
      key: entry.key,
      route,
      permission: recording.permission(),
      since,
      expiresAt,
      entryCreatedAt: entry.createdAt,
      entrySequence: entry.sequence,
      extra: {
        fixed,
        // A handler's own tag is replayed like any header; questions about it are answered with `enableEtag` alone.
        etag: entry.response.etag === undefined ? undefined : ctx.response.get('ETag') || undefined,
        age: ctx.response.get('Age') !== '',
        cacheStatus: ctx.response.get('Cache-Status') !== '',
        encoding,
        built: undefined,
      },
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, { verdict, entry }: Repetition<Snapshot>): boolean {
    const { bodies, clock, listener, log } = this.#settings;
    const { extra, route } = verdict;
    const body = extra.encoding === undefined ? entry.response.body : bodies.encode(entry, extra.encoding);
    if (body === undefined) return false;
    const now = clock.now();
    const headers = this.#headers(extra, entry, body.byteLength, now);
    const isUnmodified = extra.etag !== undefined && isNoneMatchHit(request.headers['if-none-match'], extra.etag);
    if (isUnmodified) {
      response.writeHead(304, headers.notModified);
      response.end();
    } else {
      response.writeHead(200, headers.full);
      if (request.method === 'HEAD') response.end();
      else response.end(body);
    }
    listener.answered({ kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, now) }, route, entry);
    log?.(`${request.method ?? ''} ${request.url ?? ''} (0 ms) ${isUnmodified ? 304 : 200}`);
    return true;
  }

  /** The complete header lists, the same for all responses of one second. */
  #headers(snapshot: Snapshot, entry: Entry, length: number, now: Milliseconds): NonNullable<Snapshot['built']> {
    const second = Math.floor((now - entry.createdAt) / 1000);
    if (snapshot.built?.second === second) return snapshot.built;
    const perSecond: string[] = [];
    if (snapshot.age) perSecond.push('Age', ageHeader(entry, now));
    if (snapshot.cacheStatus) {
      perSecond.push('Cache-Status', cacheStatus({ kind: 'hit', collapsed: false, timeToLive: timeToLive(entry, now) }));
    }
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
    snapshot.built = { second, full, notModified };
    return snapshot.built;
  }
}
