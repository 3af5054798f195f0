import { adminApi } from '@strapi/strapi/admin';
import { documentRoute } from '../pages/links';
import type {
  AcknowledgeRequest,
  Activity,
  DocumentEntries,
  EntryDetail,
  EntryPage,
  EntrySelection,
  ExplainRequest,
  Explanation,
  KnownCallers,
  Metrics,
  HeldByRoute,
  ProviderSettings,
  Purged,
  PurgePreview,
  PurgeSelection,
  Routes,
  Stats,
  Strategy,
  Warning,
} from './responses';

/** The tag of every query whose result a purge changes. */
const HELD = 'RestCacheHeld';

const WARNINGS = 'RestCacheWarnings';

/** The panel's own client does not encode query parameters, and keys contain `?` and `&`. */
const withQuery = (path: string, parameters: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(parameters).toString()}`;

/**
 * The plugin's admin routes, as endpoints of the panel's own query library (RTK Query). They share its cache,
 * deduplication and session handling.
 */
const cacheApi = adminApi.enhanceEndpoints({ addTagTypes: [HELD, WARNINGS] }).injectEndpoints({
  endpoints: (builder) => ({
    restCacheMetrics: builder.query<Metrics, void>({
      query: () => '/rest-cache/metrics',
      providesTags: [HELD, WARNINGS],
    }),
    restCacheStats: builder.query<Stats, void>({
      query: () => '/rest-cache/stats',
      providesTags: [HELD],
      keepUnusedDataFor: 0,
    }),
    restCacheRoutes: builder.query<Routes, void>({ query: () => '/rest-cache/routes' }),
    restCacheRoutesHeld: builder.query<HeldByRoute, void>({
      query: () => '/rest-cache/routes/held',
      providesTags: [HELD],
      keepUnusedDataFor: 0,
    }),
    restCacheEntries: builder.query<EntryPage, Record<string, string>>({
      query: (parameters) => withQuery('/rest-cache/entries', parameters),
      providesTags: [HELD],
      keepUnusedDataFor: 0,
    }),
    restCacheEntry: builder.query<EntryDetail, string>({
      query: (key) => ({ url: '/rest-cache/entries/detail', method: 'POST', data: { key } }),
      keepUnusedDataFor: 0,
    }),
    restCacheActivity: builder.query<{ readonly results: readonly Activity[] }, void>({
      query: () => '/rest-cache/activity',
      providesTags: [HELD],
    }),
    restCacheStrategy: builder.query<Strategy, void>({ query: () => '/rest-cache/config/strategy' }),
    restCacheProvider: builder.query<ProviderSettings, void>({ query: () => '/rest-cache/config/provider' }),
    restCacheCallers: builder.query<KnownCallers, { readonly search: string; readonly user?: string }>({
      query: (parameters) => withQuery('/rest-cache/explain/callers', parameters),
    }),
    restCacheExplain: builder.mutation<Explanation, ExplainRequest>({
      query: (data) => ({ url: '/rest-cache/explain', method: 'POST', data }),
    }),
    restCachePurgeable: builder.query<{ readonly contentTypes: readonly string[] }, void>({
      query: () => '/rest-cache/documents',
      keepUnusedDataFor: 3600,
    }),
    restCacheDocument: builder.query<DocumentEntries, { readonly uid: string; readonly documentId: string }>({
      query: documentRoute,
      providesTags: [HELD],
      keepUnusedDataFor: 0,
    }),
    restCachePurgePreview: builder.query<PurgePreview, PurgeSelection>({
      query: (data) => ({ url: '/rest-cache/purge-preview', method: 'POST', data }),
      providesTags: [HELD],
      keepUnusedDataFor: 0,
    }),
    restCachePurge: builder.mutation<Purged, { readonly contentType: string }>({
      query: (data) => ({ url: '/rest-cache/purge', method: 'POST', data }),
      invalidatesTags: [HELD],
    }),
    restCachePurgeEntries: builder.mutation<Purged, EntrySelection>({
      query: (data) => ({ url: '/rest-cache/purge-entries', method: 'POST', data }),
      invalidatesTags: [HELD],
    }),
    restCachePurgeDocuments: builder.mutation<Purged, Required<PurgeSelection>>({
      query: (data) => ({ url: '/rest-cache/purge-documents', method: 'POST', data }),
      invalidatesTags: [HELD],
    }),
    restCacheAcknowledge: builder.mutation<Warning, AcknowledgeRequest>({
      query: (data) => ({ url: '/rest-cache/warnings', method: 'POST', data }),
      invalidatesTags: [WARNINGS],
    }),
    restCacheReset: builder.mutation<Purged, void>({
      query: () => ({ url: '/rest-cache/reset', method: 'POST', data: {} }),
      invalidatesTags: [HELD],
    }),
  }),
});

export const {
  useRestCacheMetricsQuery: useMetricsQuery,
  useRestCacheStatsQuery: useStatsQuery,
  useRestCacheRoutesQuery: useRoutesQuery,
  useRestCacheRoutesHeldQuery: useRoutesHeldQuery,
  useRestCacheEntriesQuery: useEntriesQuery,
  useRestCacheEntryQuery: useEntryQuery,
  useRestCacheActivityQuery: useActivityQuery,
  useRestCacheStrategyQuery: useStrategyQuery,
  useRestCacheProviderQuery: useProviderQuery,
  useRestCacheCallersQuery: useCallersQuery,
  useRestCacheExplainMutation: useExplainMutation,
  useRestCachePurgeableQuery: usePurgeableQuery,
  useRestCacheDocumentQuery: useDocumentQuery,
  useRestCachePurgePreviewQuery: usePurgePreviewQuery,
  useRestCachePurgeMutation: usePurgeMutation,
  useRestCachePurgeEntriesMutation: usePurgeEntriesMutation,
  useRestCachePurgeDocumentsMutation: usePurgeDocumentsMutation,
  useRestCacheAcknowledgeMutation: useAcknowledgeMutation,
  useRestCacheResetMutation: useResetMutation,
} = cacheApi;
