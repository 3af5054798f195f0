import type { Inquiry } from '../cache/inventory';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Endpoint } from '../lanes/endpoint';
import { addTallies, byRoute, requestCounts, type Tally } from '../monitor/metrics';
import { eachPeriod } from '../monitor/metrics-recorder';
import { reasonOf } from '../monitor/reason-counts';
import type { RestCache } from '../plugin/rest-cache';
import { laneSummary, namedContentType, sharingOf } from './content-types';
import { takeStock } from './store-away';

export type RoutesReport = Awaited<ReturnType<typeof reportRoutes>>;
export type ReportedRoute = RoutesReport['routes'][number];
export type RouteCounts = ReportedRoute['counts']['hour'];
export type RouteReason = RouteCounts['reasons'][number];

/** How each cached route's requests were answered, and why. Made from counters alone: never enumerates the store. */
export const reportRoutes = async (restCache: RestCache) => {
  const { strapi, config, lanes, observability } = restCache;
  const { recorder } = observability;
  const recorded = await recorder.readEach();
  const sums = eachPeriod((period) => byRoute(addTallies(recorded[period].intervals)));
  const routes = config.strategy.contentTypes.flatMap((contentType) => contentType.routes);
  const operations = lanes.endpoint === undefined ? [] : operationsIn(lanes.endpoint, Object.values(sums));
  return {
    scopes: eachPeriod((period) => recorded[period].scope),
    routes: [...routes, ...operations].map((route) => ({
      path: route.path,
      contentType: namedContentType(strapi, route.contentType),
      sharing: sharingOf(route),
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

const routeCounts = ({ observability }: RestCache, { path }: ResolvedRoute, tally: Tally = {}) => ({
  ...requestCounts([tally]),
  /** Why responses were not stored and requests bypassed the cache; the most frequent reason first. */
  reasons: Object.entries(tally)
    .flatMap(([name, count]) => {
      const reason = reasonOf(name);
      if (reason === undefined) return [];
      /** The latest request with this reason, as an example for Explain; `null` if only other instances have seen one. */
      const latest = observability.metrics.exampleOf(path, name) ?? null;
      return [{ ...reason, count, latest }];
    })
    .sort((one, other) => other.count - one.count),
});

export type HeldByRoute = Awaited<ReturnType<typeof heldByRoute>>;

const HELD: Inquiry<ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>> = {
  name: 'routes',
  begin: () => {
    const answer = new Map<string, { entries: number; bytes: number }>();
    return {
      answer,
      add: ({ labels: { route }, size }) => {
        const { entries, bytes } = answer.get(route) ?? { entries: 0, bytes: 0 };
        answer.set(route, { entries: entries + 1, bytes: bytes + size });
      },
    };
  },
};

/** The store's contents by route. Enumerates the store, so it is not for polling. */
export const heldByRoute = async (restCache: RestCache) => {
  const held = await takeStock(restCache, HELD);
  return { routes: [...held].map(([path, sums]) => ({ path, ...sums })) };
};
