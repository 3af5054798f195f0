import type { Inquiry } from '../cache/inventory';
import { GRAPHQL } from '../graphql/graphql-uid';
import type { Endpoint } from '../lanes/endpoint';
import type { RestCache } from '../plugin/rest-cache';
import { takeStock } from './store-away';

export type Stats = Awaited<ReturnType<typeof summarise>>;

const HELD: Inquiry<{
  readonly entries: number;
  readonly etags: number;
  readonly perContentType: ReadonlyMap<string, number>;
}> = {
  name: 'stats',
  begin: () => {
    const perContentType = new Map<string, number>();
    const answer = { entries: 0, etags: 0, perContentType };
    return {
      answer,
      add: ({ labels: { contentType }, hasEtag }) => {
        answer.entries += 1;
        if (hasEtag) answer.etags += 1;
        perContentType.set(contentType, (perContentType.get(contentType) ?? 0) + 1);
      },
    };
  },
};

/** GraphQL as a content type with one route, if its answers are cached. */
const graphqlOf = (endpoint: Endpoint | undefined) => {
  if (endpoint === undefined) return [];
  const route = endpoint.routeOf(endpoint.path);
  return [{ ...route, uid: GRAPHQL, routes: [route], relatedContentTypes: [] as readonly string[] }];
};

/** The contents of the cache. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache) => {
  const { config, lanes } = restCache;
  const { enableEtag, enableXCacheHeaders, enableDocumentServiceMiddleware } = config.strategy;
  const { clearRelatedCache, keysPrefix, maxAge, contentTypes } = config.strategy;
  const { entries, etags, perContentType } = await takeStock(restCache, HELD);
  return {
    provider: { name: config.provider.name },
    strategy: {
      enableEtag,
      enableXCacheHeaders,
      enableDocumentServiceMiddleware,
      clearRelatedCache,
      keysPrefix,
      maxAge,
    },
    totals: { entries, etags, contentTypes: contentTypes.length },
    /** The entries of GraphQL have an element of their own, so that the numbers add up. */
    contentTypes: [...contentTypes, ...graphqlOf(lanes.endpoint)].map(
      ({ uid, maxAge: kept, hitpass, keys, routes, relatedContentTypes }) => ({
        uid,
        entries: perContentType.get(uid) ?? 0,
        maxAge: kept,
        /** A hitpass function counts as `true`: requests may bypass. */
        hitpass: hitpass !== false,
        keysAuthIdentity: keys.useAuth !== false,
        routes: routes.map(({ path }) => path),
        relatedContentTypes,
      }),
    ),
  };
};
