import { LRUCache } from 'lru-cache';
import type { Clock, EpochMilliseconds } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import { type CacheKey, keysAtMost } from '../cache/key';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { OnExpired, Reason } from '../cache/response-cache';
import type { ResolvedStale } from '../config/resolved-config';
import { directivesOf } from '../http/field-values';
import { DIRECTIVE_FIELDS } from '../http/handlers-freshness';
import { fieldOf, type RouteHeaders } from '../http/response-headers';
import type { Headers, OwnOutcome, Send } from './own-requests';

/** How long a failure is remembered, so that not every visitor asks what has just failed. */
const FAILURE_REMEMBERED = milliseconds(10_000);

/** Maximum number of keys whose failure is remembered. */
const MAX_FAILURES = 10_000;

/** Headers of a request that would make its answer a part of a response, or none, or concern its connection or body. */
const NOT_SENT_AGAIN = /^(?:if-.*|range|expect|connection|keep-alive|te|trailer|upgrade|content-.*|transfer-encoding)$/;

type Decision = 'serve' | 'compute' | 'again';

export interface RevalidationSettings {
  readonly send: Send;
  readonly clock: Clock;
  /** Called with a key whose responses are no longer stored. */
  readonly drop: (key: CacheKey) => void;
}

/**
 * Decides whether a response that is merely old may be served, and computes it anew. One computation runs per key; it
 * is a request of its own, so that a handler that fails or hangs has touched no visitor's response.
 */
export class Revalidation {
  readonly #settings: RevalidationSettings;
  readonly #underWay = new Map<CacheKey, Promise<Decision>>();
  readonly #failedUntil = new LRUCache<CacheKey, EpochMilliseconds>(keysAtMost(MAX_FAILURES));

  constructor(settings: RevalidationSettings) {
    this.#settings = settings;
  }

  /** @param request gives the target and the headers of the visitor's request, with which the response is computed. */
  rule(request: () => { readonly target: string; readonly headers: Headers }, stale: ResolvedStale): OnExpired {
    return ({ key, createdAt, maxAge }) => {
      const now = this.#settings.clock.now();
      const past = now - createdAt - maxAge;
      const hasFailed = (this.#failedUntil.get(key) ?? 0) > now;
      if (past < stale.whileRevalidate) {
        if (!hasFailed) void this.#compute(key, request);
        return 'serve';
      }
      if (past >= stale.ifError) return 'compute';
      return hasFailed ? 'serve' : this.#inTime(key, this.#compute(key, request), stale.timeout);
    };
  }

  #compute(key: CacheKey, request: () => { readonly target: string; readonly headers: Headers }): Promise<Decision> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const { target, headers } = request();
    const computing = this.#settings
      .send(target, headers, 'revalidate', key)
      .then((outcome) => this.#decide(key, outcome))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, computing);
    return computing;
  }

  #decide(key: CacheKey, outcome: OwnOutcome): Decision {
    if (outcome.kind === 'failed') {
      this.#failed(key);
      return 'serve';
    }
    this.#failedUntil.delete(key);
    if (outcome.kind === 'stored' || outcome.kind === 'hit') return 'again';
    if (outcome.kind === 'uncached' && !isPassing(outcome.reason)) this.#settings.drop(key);
    return 'compute';
  }

  #inTime(key: CacheKey, computing: Promise<Decision>, timeout: Milliseconds): Promise<Decision> {
    if (timeout === 0) return computing;
    return withDeadline(computing, timeout).catch(() => {
      this.#failed(key);
      return 'serve';
    });
  }

  #failed(key: CacheKey): void {
    this.#failedUntil.set(key, milliseconds(this.#settings.clock.now() + FAILURE_REMEMBERED));
  }
}

const PASSING: ReadonlySet<string> = new Set(['stopping', 'store-away', 'changed', 'other-key']);

/** Whether a reason says nothing about the next response. */
const isPassing = ({ code, isPassing = false }: Reason): boolean => isPassing || PASSING.has(code);

/** The headers with which a visitor's request is sent once more. */
export const headersToSend = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_SENT_AGAIN.test(name)) sent[name] = String(value);
  return sent;
};

/** Directives that forbid to serve a response that is older than its maxAge (RFC 9111, sections 5.2.2 and 4.2.4). */
const FORBIDDING: ReadonlySet<string> = new Set(['must-revalidate', 'proxy-revalidate', 'no-cache', 's-maxage']);

/**
 * How long a response is kept beyond its maxAge; `undefined` if it is not.
 *
 * @param usable how long what it holds can be used at all, in milliseconds from now.
 */
export const keptBeyond = (
  produced: Pick<RouteHeaders, 'headers'>,
  { whileRevalidate, ifError }: ResolvedStale,
  maxAge: Milliseconds,
  usable: number,
): Milliseconds | undefined => {
  const longest = Math.min(Math.max(whileRevalidate, ifError), usable - maxAge);
  if (!(longest > 0)) return undefined;
  const directives = DIRECTIVE_FIELDS.flatMap((name) => directivesOf(fieldOf(produced, name) ?? ''));
  return directives.some(([name]) => FORBIDDING.has(name)) ? undefined : milliseconds(longest);
};
