import type { Inquiry } from '../cache/inventory';
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

/** The contents of the cache. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache) => {
  const { config } = restCache;
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
    contentTypes: contentTypes.map((contentType) => ({
      uid: contentType.uid,
      entries: perContentType.get(contentType.uid) ?? 0,
      maxAge: contentType.maxAge,
      /** A hitpass function counts as `true`: requests may bypass. */
      hitpass: contentType.hitpass !== false,
      keysAuthIdentity: contentType.keys.useAuth !== false,
      routes: contentType.routes.map(({ path }) => path),
      relatedContentTypes: contentType.relatedContentTypes,
    })),
  };
};
