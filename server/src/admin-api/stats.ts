import type { RestCache } from '../plugin/rest-cache';

export interface ContentTypeStats {
  readonly uid: string;
  readonly entries: number;
  /** Milliseconds. */
  readonly maxAge: number;
  /** A hitpass function counts as `true`: requests may bypass. */
  readonly hitpass: boolean;
  readonly keysAuthIdentity: boolean;
  readonly routes: readonly string[];
  readonly relatedContentTypes: readonly string[];
}

export interface Stats {
  readonly provider: { readonly name: string };
  readonly strategy: {
    readonly enableEtag: boolean;
    readonly enableXCacheHeaders: boolean;
    readonly enableDocumentServiceMiddleware: boolean;
    readonly clearRelatedCache: boolean;
    readonly keysPrefix: string;
    /** Milliseconds. */
    readonly maxAge: number;
  };
  readonly totals: { readonly entries: number; readonly etags: number; readonly contentTypes: number };
  readonly contentTypes: readonly ContentTypeStats[];
}

/** What the cache holds. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache): Promise<Stats> => {
  const { config, provider } = restCache;
  const { strategy } = config;
  const perContentType = new Map<string, number>();
  let entries = 0;
  let etags = 0;
  for await (const { origin, response } of provider.entries()) {
    entries += 1;
    if (response.etag !== undefined) etags += 1;
    perContentType.set(origin.contentType, (perContentType.get(origin.contentType) ?? 0) + 1);
  }
  return {
    provider: { name: config.provider.name },
    strategy: {
      enableEtag: strategy.enableEtag,
      enableXCacheHeaders: strategy.enableXCacheHeaders,
      enableDocumentServiceMiddleware: strategy.enableDocumentServiceMiddleware,
      clearRelatedCache: strategy.clearRelatedCache,
      keysPrefix: strategy.keysPrefix,
      maxAge: strategy.maxAge,
    },
    totals: { entries, etags, contentTypes: strategy.contentTypes.length },
    contentTypes: strategy.contentTypes.map(({ uid, maxAge, hitpass, keys, routes, relatedContentTypes }) => ({
      uid,
      entries: perContentType.get(uid) ?? 0,
      maxAge,
      hitpass: hitpass !== false,
      keysAuthIdentity: keys.useAuth,
      routes: routes.map(({ path }) => path),
      relatedContentTypes,
    })),
  };
};
