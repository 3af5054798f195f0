import { GRAPHQL } from '../graphql/graphql-uid';
import type { Endpoint } from '../lanes/endpoint';
import type { RestCache } from '../plugin/rest-cache';
import { census } from './census';
import { takeStock } from './store-away';

export type Stats = Awaited<ReturnType<typeof summarise>>;

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
  const held = await takeStock(restCache, census());
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
    totals: { entries: held.entries, etags: held.etags, contentTypes: contentTypes.length },
    /** The entries of GraphQL have an element of their own, so that the numbers add up. */
    contentTypes: [...contentTypes, ...graphqlOf(lanes.endpoint)].map(
      ({ uid, maxAge: kept, hitpass, keys, routes, relatedContentTypes }) => ({
        uid,
        entries: held.contentTypes.get(uid) ?? 0,
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
