import type { RestCache } from '../plugin/rest-cache';
import { census } from './census';
import { shownContentTypes } from './content-types';
import { takeStock } from './store-away';

export type Stats = Awaited<ReturnType<typeof summarise>>;

/** The contents of the cache. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache) => {
  const { config } = restCache;
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
    contentTypes: shownContentTypes(restCache).map(
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
