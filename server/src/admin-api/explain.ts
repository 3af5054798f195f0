import { maxHeaderSize } from 'node:http';
import { gatherApplicationFacts } from '../config/application-facts';
import { type ResolvedRoute, routesIn } from '../config/resolved-config';
import { systemClock } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import { said } from '../cache/sentence';
import { parametersIn, requestOf, type CacheKey } from '../cache/key';
import { callerIdentity, REPEATABLE_CALLERS } from '../http/caller-identity';
import { ageOf, timeToLive } from '../http/stored-response';
import type { Endpoint } from '../http/endpoint';
import type { Outcome } from '../lanes/trial-request';
import { isLeftAlone } from '../lanes/request-fingerprint';
import { functionsOf } from '../lanes/attach-lanes';
import type { Entry } from '../cache/entry';
import { listedActivity, type ListedActivity } from './activity';
import {
  laneSummary,
  type LaneSummary,
  namedContentType,
  type NamedContentType,
  sharingOf,
  type Sharing,
} from './content-types';
import { suspectsOf } from '../monitor/new-values';
import type { RestCache } from '../plugin/rest-cache';
import { answeredReason, bypassReason, type ExplainedReason } from './explained-reason';
import { isGraphql } from './graphql';
import { queryAdvice } from './query-advice';
import { askStore } from './store-away';
import { nearRoute } from '../config/route-matching';
import { simulateCaller, type SimulatedCaller } from './simulated-caller';
import { z } from 'zod';
import { describeValue } from '../config/configuration-error';
import { badRequest, encodable, parseRequest, text } from './request';

export interface Explanation {
  readonly target: string;
  /**
   * `hit`: answered from the store. `miss`: computed and stored. `refused`: computed, but probably not stored, because
   * the last response was not, the controller would throw, or the store is unavailable. `bypass`: bypasses the cache.
   * `outside`: the cache is not asked at all.
   */
  readonly verdict: 'hit' | 'miss' | 'refused' | 'bypass' | 'outside';
  readonly reason: ExplainedReason;
  /** `''` if all callers share the entry; `null` if the caller is not known. */
  readonly identity: string | null;
  /** What code has read of the caller, if that is why users of a role do not share the response; `''`: unseen. */
  readonly lookedAt: string | null;
  readonly key: string | null;
  readonly route: {
    readonly path: string;
    readonly contentType: NamedContentType;
    /** Milliseconds. */
    readonly maxAge: number;
    readonly sharing: Sharing;
  } | null;
  /** Where hits are answered, and why there; `null` where this request never gets one. */
  readonly lane: LaneSummary | null;
  readonly entry: {
    /** Milliseconds, both. `timeToLive` is negative for an `old` one. */
    readonly age: number;
    readonly timeToLive: number;
    /** Bytes of the body. */
    readonly size: number;
    readonly hits: number;
    /** Whether some of its tags come from reads of other requests, whose work the handler may have waited for. */
    readonly readElsewhere: boolean;
  } | null;
  /** For a miss: the purge or write that removed the entry; `null` if none is known. */
  readonly lastInvalidation: ListedActivity | null;
  /** For a request that was never asked for: what tells it from one that was; `null` if nothing is known. */
  readonly differs: Difference | null;
}

interface Difference {
  readonly parameters: readonly string[];
  /** Path and query of the cached response without these parameters; `null` if there is none. */
  readonly cached: string | null;
  /** What to write in the configuration so that both share a response; `null` if the parameters are Strapi's own. */
  readonly advice: string | null;
}

const NOTHING_KNOWN = {
  identity: null,
  lookedAt: null,
  key: null,
  route: null,
  lane: null,
  entry: null,
  lastInvalidation: null,
  differs: null,
} as const;

/**
 * Explains how a GET request would be answered right now: sends a trial request, which comes from no client, through
 * the application's own stack up to the route lane. The controller does not run.
 *
 * @throws an error that is answered with status 400, also if there is no such caller.
 */
export const explain = async (restCache: RestCache, body: unknown): Promise<Explanation> => {
  const { strapi, config, lanes } = restCache;
  const { target, as, headers } = explainRequest(body, lanes.endpoint);
  const caller = await simulateCaller(strapi, as);
  if (caller === undefined)
    throw badRequest(
      as.kind === 'token' ? said('no-token')`There is no such API token` : said('no-user')`There is no such user`,
    );
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value;
  // An `Authorization` header that was given for an anonymous caller is checked by Strapi's own authentication.
  const sendsOwn = !caller.sendsCredentials && sent.authorization !== undefined;
  if (caller.sendsCredentials) sent.authorization = 'Bearer *';
  const tried = await lanes.tryRequest({ caller: sendsOwn ? undefined : caller, target, headers: sent });
  const { outcome } = tried;

  const { routes } = gatherApplicationFacts(strapi);
  const cached = routesIn(config.strategy);
  const outside = (reason: ExplainedReason): Explanation => ({ ...NOTHING_KNOWN, target, verdict: 'outside', reason });
  if (outcome.kind === 'not-cached') {
    const { path } = outcome;
    if (isGraphql(strapi, tried.askedPath)) return outside({ code: 'graphql' });
    const nearest = nearRoute(tried.askedPath, path === undefined ? routes : cached) ?? null;
    return outside(
      path === undefined ? { code: 'no-route', nearest } : { code: 'route-not-cached', route: path, nearest },
    );
  }
  const isOperation = lanes.endpoint !== undefined && tried.path === lanes.endpoint.path;
  const route = isOperation
    ? lanes.endpoint?.routeOf(`${tried.path} `)
    : cached.find(({ path }) => path === tried.path);
  if (route === undefined)
    return outside(outcome.kind === 'answered' ? answeredReason(outcome, []) : { code: 'forbidden' });
  if (isUnauthorized(outcome, caller, sendsOwn))
    return { ...outside({ code: 'unauthorized' }), route: routeSummary(restCache, route) };

  const known = { ...NOTHING_KNOWN, target, route: routeSummary(restCache, route) };
  if (outcome.kind === 'forbidden' || (sendsOwn && outcome.kind === 'answered' && outcome.name === 'ForbiddenError')) {
    const identity = sendsOwn ? null : route.keys.useAuth === false ? '' : callerIdentity(caller).name;
    return { ...known, identity, verdict: 'outside', reason: { code: 'forbidden' } };
  }
  if (outcome.kind === 'answered') {
    const { policies, middlewares } = functionsOf(route.path, routes);
    const suspects = outcome.name === 'PolicyError' ? policies : [...policies, ...middlewares];
    return { ...known, verdict: 'outside', reason: answeredReason(outcome, suspects) };
  }
  const { bypass, key, shared, lookedAt = null } = outcome.decision;
  const identity = route.keys.useAuth === false ? '' : (shared?.role ?? outcome.identity).name;
  if (bypass !== undefined) return { ...known, identity, verdict: 'bypass', reason: bypassReason(bypass) };
  const state = await stateOf(restCache, route, key);
  const { throws } = outcome;
  const answered: State =
    throws === undefined || state.verdict !== 'miss'
      ? state
      : { ...state, verdict: 'refused', reason: { code: 'throws', detail: throws.detail, about: throws.about } };
  const differs =
    answered.reason.code === 'never-asked' && !isOperation ? await differenceOf(restCache, route, key) : null;
  const lane = laneOf(restCache, route, outcome, sent, answered);
  return { ...known, lane, identity, lookedAt, key, ...answered, differs };
};

const laneOf = (
  restCache: RestCache,
  route: ResolvedRoute,
  { identity }: Extract<Outcome, { kind: 'decided' }>,
  sent: Readonly<Record<string, string>>,
  { verdict }: Pick<Explanation, 'verdict'>,
): LaneSummary | null => {
  if (verdict === 'refused') return null;
  const lane = laneSummary(restCache, route);
  const mayBeRepeated = REPEATABLE_CALLERS.has(identity.kind) && !isLeftAlone(Object.keys(sent));
  return mayBeRepeated || lane === null ? lane : { mode: 'route' };
};

/** What tells a request from one whose response is cached, or else from one that was asked for. */
const differenceOf = async (restCache: RestCache, route: ResolvedRoute, key: CacheKey): Promise<Difference | null> => {
  const { provider, observability } = restCache;
  let known: Difference | null = null;
  const own = parametersIn(key);
  for (const parameters of suspectsOf(own)) {
    const other = own.without(parameters);
    const advice = queryAdvice(route, parameters);
    const { entry } = await askStore(restCache, () => provider.lookup(other));
    if (entry !== undefined) return { parameters, cached: requestOf(other), advice };
    if (observability.activity.knows(other)) known ??= { parameters, cached: null, advice };
  }
  return known;
};

/** @param sendsOwn whether Strapi's own authentication was asked, not the simulated caller. */
const isUnauthorized = (outcome: Outcome, caller: SimulatedCaller, sendsOwn: boolean): boolean =>
  sendsOwn
    ? outcome.kind === 'answered' && outcome.name === 'UnauthorizedError'
    : outcome.kind === 'forbidden' && caller.isRefused && caller.sendsCredentials;

const routeSummary = ({ strapi }: RestCache, route: ResolvedRoute): Explanation['route'] => ({
  path: route.path,
  contentType: namedContentType(strapi, route.contentType),
  maxAge: route.maxAge,
  sharing: sharingOf(route),
});

/** What there is to say of a request whose response would be looked up. */
type State = Pick<Explanation, 'verdict' | 'reason'> & Partial<Pick<Explanation, 'entry' | 'lastInvalidation'>>;

/** The entry under a key. If there is none: the reason, as far as it is remembered. */
const stateOf = async (
  restCache: RestCache,
  { stale: { whileRevalidate } }: ResolvedRoute,
  key: CacheKey,
): Promise<State> => {
  const { provider, observability } = restCache;
  let entry: Entry | undefined;
  let old: Entry | undefined;
  try {
    ({ entry } = await askStore(restCache, () => provider.lookup(key)));
    if (entry === undefined && whileRevalidate > 0)
      old = await askStore(restCache, () => provider.lookupExpired?.(key));
  } catch {
    return { verdict: 'refused', reason: { code: 'store-away', since: provider.health().since } };
  }
  const now = systemClock.now();
  const isServedOld = old !== undefined && now - old.createdAt - old.maxAge < whileRevalidate;
  const served = isServedOld ? old : entry;
  if (served !== undefined) {
    return {
      verdict: 'hit',
      reason: { code: isServedOld ? 'old' : 'stored' },
      entry: {
        age: ageOf(served, now),
        timeToLive: isServedOld ? milliseconds(served.maxAge - ageOf(served, now)) : timeToLive(served, now),
        size: served.response.body.byteLength,
        hits: observability.metrics.hitsOf(served),
        readElsewhere: served.readElsewhere === true,
      },
    };
  }
  const absence = observability.activity.absenceOf(key);
  if (absence === undefined) return { verdict: 'miss', reason: { code: 'never-asked' } };
  const { at } = absence;
  if (absence.cause === 'refused') {
    const { code: cause, detail, about } = absence.reason;
    return { verdict: 'refused', reason: { code: 'unstorable', cause, detail, about, at } };
  }
  if (!('record' in absence)) return { verdict: 'miss', reason: { code: absence.cause, at } };
  const record = observability.activity.recordOf(absence);
  const lastInvalidation = record === undefined ? null : listedActivity(restCache, record);
  return { verdict: 'miss', reason: { code: 'changed', at }, lastInvalidation };
};

const id = z.union([z.number().int(), text(100).min(1)]);

const fields = z.strictObject({
  url: text(maxHeaderSize).min(1).optional(),
  /** A GraphQL operation, in the place of `url`. */
  operation: z
    .strictObject({
      /** Has line breaks, as a rule. */
      query: encodable(100_000).min(1),
      variables: z.record(z.string(), z.unknown()).optional(),
      operationName: text(500).optional(),
    })
    .optional(),
  as: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('anonymous') }),
    z.strictObject({ kind: z.literal('user'), id }),
    z.strictObject({ kind: z.literal('token'), id }),
  ]),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected a header name'), text(4000))
    .default({}),
});

const schema = fields.refine(({ url, operation }) => (url === undefined) !== (operation === undefined), {
  path: ['url'],
  message: 'Expected a URL, or an operation in its place',
});

/** `url` may be absolute, or path and query alone. */
export type ExplainBody = z.input<typeof schema>;

const FORM = 'The body is { url or operation, as: { kind: "anonymous" } | { kind: "user" | "token", id }, headers? }';

/** @throws an error that is answered with status 400. */
export const explainRequest = (body: unknown, endpoint?: Endpoint) => {
  const { url = '', operation, as, headers } = parseRequest(schema, body, FORM);
  if (operation !== undefined) {
    if (endpoint === undefined) throw badRequest(said('no-graphql')`GraphQL answers are not cached`);
    const { query, variables = {}, operationName } = operation;
    const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    if (operationName !== undefined) parameters.set('operationName', operationName);
    const sent = { 'content-type': 'application/json', ...headers };
    return { target: `${endpoint.path}?${parameters.toString()}`, as, headers: sent };
  }
  try {
    /** With a host as people copy it from a terminal, which would be taken for a scheme: `localhost:1337/api/articles`. */
    const address = url.trim().replace(/^(?=[\w.-]+:\d+(?:[/?#]|$))/, 'http://');
    const { pathname, search } = new URL(address, 'http://localhost');
    /** Path and query. The host that they were copied with does not matter. */
    return { target: pathname + search, as, headers };
  } catch {
    throw badRequest(said('no-url')`${describeValue(url)} is not a URL`);
  }
};
