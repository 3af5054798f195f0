import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { CacheKey } from '../cache/key';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Provider } from '../cache/provider';
import { RecentKeys } from '../cache/recent-keys';
import type { OnExpired } from '../cache/response-cache';
import type { ResolvedStale } from '../config/resolved-config';
import { directivesOf } from '../http/field-values';
import { DIRECTIVE_FIELDS } from '../http/handlers-freshness';
import { fieldOf, type RouteHeaders } from '../http/response-headers';
import { type Asked, LONGEST, type OwnRequests } from './own-requests';

/** How long a failure is remembered, so that not every visitor asks what has just failed. */
const FAILURE_REMEMBERED = milliseconds(10_000);

/** Headers of a request that would make its answer a part of a response, or none, or concern its connection or body. */
const NOT_SENT_AGAIN =
  /^(?:if-.*|range|expect|connection|keep-alive|te|trailer|upgrade|content-(?:encoding|length|range)|transfer-encoding)$/;

export interface RevalidationSettings {
  readonly own: Pick<OwnRequests, 'send'>;
  readonly provider: Pick<Provider, 'delete'>;
  readonly clock: Clock;
}

/**
 * Decides whether a response that is merely old may be served, and computes it anew. One computation runs per key; it
 * is a request of its own, so that a handler that fails or hangs has touched no visitor's response.
 */
export class Revalidation {
  readonly #settings: RevalidationSettings;
  readonly #underWay = new Map<CacheKey, Promise<boolean>>();
  readonly #failed: RecentKeys;

  constructor(settings: RevalidationSettings) {
    this.#settings = settings;
    this.#failed = new RecentKeys(settings.clock, FAILURE_REMEMBERED);
  }

  /** @param headers those of the visitor's request, with which the response is computed. */
  rule(target: string, headers: IncomingHttpHeaders, stale: ResolvedStale): OnExpired {
    const { whileRevalidate, ifError, timeout } = stale;
    return ({ key, createdAt, maxAge }) => {
      const past = this.#settings.clock.now() - createdAt - maxAge;
      if (past >= Math.max(whileRevalidate, ifError)) return false;
      if (this.#failed.has(key)) return true;
      const computing = this.#compute(key, target, headers);
      if (past < whileRevalidate) return true;
      if (timeout === 0) return computing;
      return withDeadline(computing, milliseconds(Math.min(timeout, LONGEST))).catch(() => {
        this.#failed.add(key);
        return true;
      });
    };
  }

  /** Resolves to whether that has failed, so that the old response may be served. */
  #compute(key: CacheKey, target: string, headers: IncomingHttpHeaders): Promise<boolean> {
    let computing = this.#underWay.get(key);
    if (computing === undefined) {
      computing = this.#ask(key, { target, headers: headersToSend(headers) }).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, computing);
    }
    return computing;
  }

  async #ask(key: CacheKey, asked: Asked): Promise<boolean> {
    const { own, provider } = this.#settings;
    const { reason, hasFailed = false } = await own.send(asked, 'revalidate');
    if (hasFailed) this.#failed.add(key);
    else this.#failed.delete(key);
    // Responses under this key are no longer stored.
    if (reason !== undefined && reason.isPassing !== true)
      void (async () => provider.delete(key))().catch(() => undefined);
    return hasFailed;
  }
}

/** The headers with which a visitor's request is sent once more. */
export const headersToSend = (headers: IncomingHttpHeaders): Asked['headers'] =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !NOT_SENT_AGAIN.test(name))
      .map(([name, value]) => [name, String(value)]),
  );

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
