import type { Milliseconds } from '../cache/milliseconds';
import type { Hitpass } from './user-config';

export interface ResolvedKeys {
  readonly useQueryParams: boolean | readonly string[];
  /** Lower case. */
  readonly useHeaders: readonly string[];
  readonly useAuth: boolean;
}

export interface ResolvedRoute {
  /** Uid of the content type under which it is configured. */
  readonly contentType: string;
  readonly method: 'GET';
  /** Full path pattern as mounted, API prefix included. */
  readonly path: string;
  readonly maxAge: Milliseconds;
  readonly hitpass: Hitpass;
  readonly keys: ResolvedKeys;
  readonly paramNames: readonly string[] | undefined;
}

export interface ResolvedContentType {
  readonly uid: string;
  readonly maxAge: Milliseconds;
  readonly hitpass: Hitpass;
  readonly keys: ResolvedKeys;
  readonly routes: readonly ResolvedRoute[];
  /** Uids whose changes reach this type's responses through relations, components, dynamic zones or media. */
  readonly relatedContentTypes: readonly string[];
}

export interface ResolvedCacheControl {
  readonly enabled: boolean;
  readonly maxAge: 'config' | 'none' | Milliseconds;
  readonly scope: 'private' | 'public';
  readonly staleWhileRevalidate: Milliseconds | null;
}

export interface ResolvedStrategy {
  readonly debug: boolean;
  readonly enableEtag: boolean;
  readonly enableXCacheHeaders: boolean;
  readonly enableContentApiPurge: boolean;
  readonly enableDocumentServiceMiddleware: boolean;
  readonly clearRelatedCache: boolean;
  readonly enableAdminCTBMiddleware: boolean;
  readonly resetOnStartup: boolean;
  readonly honorRequestCacheControl: boolean;
  readonly maxAge: Milliseconds;
  readonly keysPrefix: string;
  readonly hitpass: Hitpass;
  readonly keys: ResolvedKeys;
  readonly cacheControl: ResolvedCacheControl;
  readonly precision: 'table' | 'document';
  readonly lane: 'auto' | 'front' | 'router' | 'inner';
  readonly contentTypes: readonly ResolvedContentType[];
}

export interface ResolvedProvider {
  readonly name: string;
  readonly getTimeout: Milliseconds;
  /** As the user wrote them. May hold credentials: never logged, never returned by a route. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ResolvedConfig {
  readonly provider: ResolvedProvider;
  readonly strategy: ResolvedStrategy;
  /** One sentence each: what boots but surely disappoints. Logged once, shown in the admin panel. */
  readonly warnings: readonly string[];
}
