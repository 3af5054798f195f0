import { type ResolvedRoute, routesIn } from '../config/resolved-config';
import type { Endpoint } from '../http/endpoint';
import { addTallies, byRoute, requestCounts, type Tally } from '../monitor/metrics';
import { eachPeriod } from '../monitor/metrics-recorder';
import { reasonOf } from '../monitor/reason-counts';
import type { RestCache } from '../plugin/rest-cache';
import { census } from './census';
import {
  contentTypeSharing,
  laneSummary,
  namedContentType,
  sharingOf,
  shownContentTypes,
  writtenContentType,
} from './content-types';
import { contentTypePurge } from './purge';
import { queryAdvice } from './query-advice';
import { takeStock } from './store-away';

export type RoutesReport = Awaited<ReturnType<typeof reportRoutes>>;
export type ReportedRoute = RoutesReport['routes'][number];
export type ReportedContentType = RoutesReport['contentTypes'][number];
export type RouteCounts = ReportedRoute['counts']['hour'];
export type RouteReason = RouteCounts['reasons'][number];

/** How each cached route's requests were answered, and why. Made from counters alone: never enumerates the store. */
export const reportRoutes = async (restCache: RestCache) => {
  const { strapi, config, lanes, observability } = restCache;
  const { recorder } = observability;
  const recorded = await recorder.read();
  const sums = eachPeriod((period) => byRoute(addTallies(recorded[period].intervals)));
  const operations = lanes.endpoint === undefined ? [] : operationsIn(lanes.endpoint, Object.values(sums));
  return {
    scopes: eachPeriod((period) => recorded[period].scope),
    contentTypes: shownContentTypes(restCache).map((contentType) => ({
      ...namedContentType(strapi, contentType.uid),
      sharing: contentTypeSharing(contentType),
      /** Other types whose changes invalidate this type's responses. */
      shownContentTypes: contentType.shownContentTypes.map((uid) => namedContentType(strapi, uid)),
    })),
    routes: [...routesIn(config.strategy), ...operations].map((route) => ({
      path: route.path,
      contentType: namedContentType(strapi, route.contentType),
      sharing: sharingOf(route),
      /** What code has read of the caller, if that is why users of a role do not share some answers; `''`: unseen. */
      lookedAt: lanes.callerPages.ofRoutes.get(route.path) ?? null,
      maxAge: route.maxAge,
      lane: laneSummary(restCache, route),
      /** Whether a response of it also depends on what other requests have read, because it may share their work. */
      readsElsewhere: lanes.routesThatShare.has(route.path),
      counts: eachPeriod((period) => routeCounts(restCache, route, sums[period].get(route.path))),
    })),
  };
};

/** GraphQL's operations that were counted, by this process or another. */
const operationsIn = (
  endpoint: Endpoint,
  sums: ReadonlyArray<ReadonlyMap<string, Tally>>,
): readonly ResolvedRoute[] => {
  const paths = new Set(sums.flatMap((sum) => [...sum.keys()]));
  return [...paths].filter((path) => path.startsWith(`${endpoint.path} `)).map((path) => endpoint.routeOf(path));
};

const routeCounts = (restCache: RestCache, route: ResolvedRoute, tally: Tally = {}) => ({
  ...requestCounts([tally]),
  /** Why requests missed (`fill`), responses were not stored, and requests bypassed the cache; most frequent first. */
  reasons: summedAlike(
    Object.entries(tally).flatMap(([name, count]) => reportedReason(restCache, route, name, count) ?? []),
  ).sort((one, other) => other.count - one.count),
});

/** One reason for all that read alike: those of a content type's table and of its join tables do. */
export const summedAlike = (reasons: readonly Reported[]): Reported[] => {
  const sums = new Map<string, Reported>();
  for (const reason of reasons) {
    const { kind, code, detail, about, count, latest } = reason;
    const alike = JSON.stringify([kind, code, detail, about]);
    const sum = sums.get(alike);
    sums.set(alike, sum === undefined ? reason : { ...sum, count: sum.count + count, latest: sum.latest ?? latest });
  }
  return [...sums.values()];
};

type Reported = NonNullable<ReturnType<typeof reportedReason>>;

const reportedReason = (restCache: RestCache, route: ResolvedRoute, name: string, count: number) => {
  const reason = reasonOf(name);
  if (reason === undefined) return undefined;
  const { kind, code } = reason;
  const uid = code === 'write' ? writtenContentType(restCache, reason.detail) : undefined;
  const detail = uid === undefined ? reason.detail : namedContentType(restCache.strapi, uid).displayName;
  /** The latest request with this reason, as an example for Explain; `null` if only other instances have seen one. */
  const latest = restCache.observability.metrics.exampleOf(route.path, name) ?? null;
  /** What to write so that requests do not miss for this reason. */
  const advice = code === 'new-value' ? queryAdvice(route, detail.split(', ')) : null;
  return { kind, code, detail, about: reason.about ?? null, count, latest, advice };
};

export type HeldByRoute = Awaited<ReturnType<typeof heldByRoute>>;

/**
 * The store's contents by route, and how many entries a purge of each content type would remove. Enumerates the store,
 * so it is not for polling.
 */
export const heldByRoute = async (restCache: RestCache) => {
  const uids = restCache.shownUids;
  const purges = await Promise.all(uids.map((uid) => contentTypePurge(restCache, uid)));
  const { routes, carriers } = await takeStock(restCache, census(purges.map(({ tags }) => tags)));
  return {
    routes: [...routes].map(([path, sums]) => ({ path, ...sums })),
    contentTypes: uids.map((uid, index) => ({ uid, purges: carriers[index]?.entries ?? 0 })),
  };
};
