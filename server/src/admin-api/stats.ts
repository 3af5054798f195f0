import type { ResolvedStrategy } from '../config/resolved-config';
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
  readonly strategy: Pick<
    ResolvedStrategy,
    | 'enableEtag'
    | 'enableXCacheHeaders'
    | 'enableDocumentServiceMiddleware'
    | 'clearRelatedCache'
    | 'keysPrefix'
    | 'maxAge'
  >;
  readonly totals: { readonly entries: number; readonly etags: number; readonly contentTypes: number };
  readonly contentTypes: readonly ContentTypeStats[];
}

/** What the cache holds. Enumerates the store, so it is not for polling. */
export const summarise = async (restCache: RestCache): Promise<Stats> => {
  const { config, provider } = restCache;
  const { enableEtag, enableXCacheHeaders, enableDocumentServiceMiddleware } = config.strategy;
  const { clearRelatedCache, keysPrefix, maxAge, contentTypes } = config.strategy;
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
      hitpass: contentType.hitpass !== false,
      keysAuthIdentity: contentType.keys.useAuth,
      routes: contentType.routes.map(({ path }) => path),
      relatedContentTypes: contentType.relatedContentTypes,
    })),
  };
};
