/**
 * What the plugin's admin routes answer. Durations are milliseconds, sizes bytes, points in time milliseconds since the
 * epoch. tests/unit/runtime/admin-answers.test.ts keeps these in step with the server.
 */

export interface NamedContentType {
  readonly uid: string;
  readonly displayName: string;
}

export type Sharing = 'shared' | 'keyed' | 'public';

export type PeriodName = 'hour' | 'day';

export interface OutcomeCounts {
  readonly hit: number;
  readonly miss: number;
  readonly hitpass: number;
}

export interface RequestCounts extends OutcomeCounts {
  readonly store: number;
  readonly saved: number;
}

export interface Period {
  readonly scope: 'process' | 'instances';
  readonly step: number;
  readonly from: number;
  readonly totals: RequestCounts & { readonly evict: number };
  readonly intervals: readonly OutcomeCounts[];
}

export interface Usage {
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number | null;
}

export interface ProviderHealth {
  readonly name: string;
  readonly state: 'up' | 'down';
  readonly since: number;
  readonly reason: string | null;
}

export interface ContentTypeMetrics extends NamedContentType {
  readonly sharing: Sharing;
  readonly maxAge: number;
  readonly routes: ReadonlyArray<{ readonly path: string; readonly maxAge: number; readonly sharing: Sharing }>;
  readonly relatedContentTypes: readonly NamedContentType[];
  readonly counts: Readonly<Record<PeriodName, RequestCounts>>;
}

export interface Metrics {
  readonly now: number;
  readonly startedAt: number;
  readonly periods: Readonly<Record<PeriodName, Period>>;
  readonly usage: Usage | null;
  readonly provider: ProviderHealth;
  readonly contentTypes: readonly ContentTypeMetrics[];
  readonly warnings: readonly string[];
}

/** The part of `GET /rest-cache/stats` that only enumeration can tell. */
export interface Stats {
  readonly totals: { readonly entries: number };
  readonly contentTypes: ReadonlyArray<{ readonly uid: string; readonly entries: number }>;
}

export interface ListedEntry {
  readonly key: string;
  readonly contentType: string;
  readonly route: string;
  readonly identity: string;
  readonly age: number;
  readonly timeToLive: number;
  readonly size: number;
  readonly hits: number;
}

export interface EntryPage {
  readonly results: readonly ListedEntry[];
  readonly pagination: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

export interface Dependency {
  readonly table: string;
  readonly contentType: NamedContentType | null;
  readonly tags: number;
}

export interface EntryDetail extends ListedEntry {
  readonly contentTypeName: string;
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  readonly maxAge: number;
  readonly cost: number;
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly etag: string | null;
  readonly bodySize: number;
  readonly dependencies: readonly Dependency[];
  readonly tags: readonly string[];
  readonly tagCount: number;
  readonly lastInvalidation: Activity | null;
}

export interface Actor {
  readonly kind: 'admin' | 'api-token' | 'user' | 'visitor' | 'application' | 'other-instance';
  readonly id?: string | number;
  readonly name?: string;
}

export type ActivitySubject =
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'content-type';
      readonly contentType: NamedContentType;
      readonly params: Readonly<Record<string, string | number>> | null;
    }
  | {
      readonly kind: 'documents';
      readonly contentType: NamedContentType;
      readonly documentIds: readonly string[];
      readonly count: number;
    }
  | { readonly kind: 'entry'; readonly key: string }
  | { readonly kind: 'tables'; readonly contentTypes: readonly NamedContentType[]; readonly tables: readonly string[] };

export interface Activity {
  readonly id: number;
  readonly at: number;
  readonly kind: 'purge' | 'write';
  readonly actor: Actor;
  readonly subject: ActivitySubject;
  readonly entries: number | null;
}

export type Caller = { readonly kind: 'anonymous' } | { readonly kind: 'user' | 'token'; readonly id: string | number };

export interface ExplainRequest {
  readonly url: string;
  readonly as: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ExplainReason =
  | { readonly code: 'stored' }
  | { readonly code: 'no-route'; readonly nearest: string | null }
  | { readonly code: 'route-not-cached'; readonly route: string; readonly nearest: string | null }
  | { readonly code: 'forbidden' }
  | { readonly code: 'hitpass'; readonly detail: string }
  | { readonly code: 'request-cache-control'; readonly detail: string }
  | { readonly code: 'unstorable'; readonly detail: string; readonly at: number }
  | { readonly code: 'changed' | 'expired' | 'evicted'; readonly at: number }
  | { readonly code: 'never-asked' }
  | { readonly code: 'store-away'; readonly since: number };

export type Verdict = 'hit' | 'miss' | 'refused' | 'bypass' | 'outside';

export interface Explanation {
  readonly target: string;
  readonly verdict: Verdict;
  readonly reason: ExplainReason;
  readonly identity: string | null;
  readonly key: string | null;
  readonly route: {
    readonly path: string;
    readonly contentType: NamedContentType;
    readonly maxAge: number;
    readonly sharing: Sharing;
  } | null;
  readonly lane: { readonly mode: 'front' | 'router' | 'inner'; readonly reason: string } | null;
  readonly entry: {
    readonly age: number;
    readonly timeToLive: number;
    readonly size: number;
    readonly hits: number;
  } | null;
  readonly lastInvalidation: Activity | null;
}

export interface KnownCallers {
  readonly users: ReadonlyArray<{ readonly id: string | number; readonly name: string }>;
  readonly tokens: ReadonlyArray<{ readonly id: string | number; readonly name: string; readonly type: string }>;
}

export interface DocumentEntries {
  readonly responses: number;
  readonly oldestAge: number | null;
  readonly purges: number;
}

/** `null`: the store could not be asked. */
export interface Purged {
  readonly entries: number | null;
}

export interface ResolvedKeys {
  readonly useQueryParams: boolean | readonly string[];
  readonly useHeaders: readonly string[];
  readonly useAuth: boolean;
}

export interface RouteStrategy {
  readonly path: string;
  readonly maxAge: number;
  readonly hitpass: boolean | 'function';
  readonly keys: ResolvedKeys;
}

export interface ContentTypeStrategy {
  readonly uid: string;
  readonly maxAge: number;
  readonly hitpass: boolean | 'function';
  readonly keys: ResolvedKeys;
  readonly routes: readonly RouteStrategy[];
  readonly relatedContentTypes: readonly string[];
}

export interface Strategy {
  readonly debug: boolean;
  readonly enableEtag: boolean;
  readonly enableXCacheHeaders: boolean;
  readonly enableContentApiPurge: boolean;
  readonly enableDocumentServiceMiddleware: boolean;
  readonly clearRelatedCache: boolean;
  readonly enableAdminCTBMiddleware: boolean;
  readonly resetOnStartup: boolean;
  readonly honorRequestCacheControl: boolean;
  readonly maxAge: number;
  readonly keysPrefix: string;
  readonly hitpass: boolean | 'function';
  readonly keys: ResolvedKeys;
  readonly precision: 'table' | 'document';
  readonly lane: 'auto' | 'front' | 'router' | 'inner';
  readonly contentTypes: readonly ContentTypeStrategy[];
}

export interface ProviderSettings {
  readonly name: string;
  readonly getTimeout: number;
}
