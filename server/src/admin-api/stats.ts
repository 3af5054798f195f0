import type { RestCache } from '../plugin/rest-cache';
import { storedEntries } from './store-away';

export type Stats = Awaited<ReturnType<typeof summarise>>;

/** What the cache holds. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache) => {
  const { config } = restCache;
  const { enableEtag, enableXCacheHeaders, enableDocumentServiceMiddleware } = config.strategy;
  const { clearRelatedCache, keysPrefix, maxAge, contentTypes } = config.strategy;
  const perContentType = new Map<string, number>();
  let entries = 0;
  let etags = 0;
  for await (const { labels, response } of storedEntries(restCache)) {
    entries += 1;
    if (response.etag !== undefined) etags += 1;
    perContentType.set(labels.contentType, (perContentType.get(labels.contentType) ?? 0) + 1);
  }
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
    contentTypes: contentTypes.map((contentType) => ({
      uid: contentType.uid,
      entries: perContentType.get(contentType.uid) ?? 0,
      maxAge: contentType.maxAge,
      /** A hitpass function counts as `true`: requests may bypass. */
      hitpass: contentType.hitpass !== false,
      keysAuthIdentity: contentType.keys.useAuth,
      routes: contentType.routes.map(({ path }) => path),
      relatedContentTypes: contentType.relatedContentTypes,
    })),
  };
};
