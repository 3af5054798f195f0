/**
 * The responses of the plugin's admin routes, as the server itself declares them. Except for `LONGEST_REASON` and
 * `GRAPHQL` these are types alone, so no server code is bundled.
 */
import type { ResolvedProvider } from '../../../server/src/config/resolved-config';
import type { Explanation } from '../../../server/src/admin-api/explain';
import type { MetricsReport, ReportedPeriod } from '../../../server/src/admin-api/metrics';

export { LONGEST_REASON } from '../../../server/src/admin-api/acknowledgement';
export { GRAPHQL } from '../../../server/src/graphql/graphql-uid';
export type { ListedActivity as Activity } from '../../../server/src/admin-api/activity';
export type { Sharing } from '../../../server/src/admin-api/content-types';
export type { DocumentEntries } from '../../../server/src/admin-api/documents';
export type { EntryDetail, EntryPage, EntrySelection, ListedEntry } from '../../../server/src/admin-api/entries';
export type { ExplainBody as ExplainRequest } from '../../../server/src/admin-api/explain';
export type { Explanation } from '../../../server/src/admin-api/explain';
export type { ExplainedReason } from '../../../server/src/admin-api/explained-reason';
export type { Named, Sentence } from '../../../server/src/cache/sentence';
export type { KnownCallers } from '../../../server/src/admin-api/known-callers';
export type { MetricsReport as Metrics, ReportedPeriod as Period } from '../../../server/src/admin-api/metrics';
export type { Purged, PurgePreview } from '../../../server/src/admin-api/purge';
export type {
  HeldByRoute,
  ReportedContentType,
  ReportedRoute,
  RoutesReport as Routes,
} from '../../../server/src/admin-api/routes';
export type { RouteCounts, RouteReason } from '../../../server/src/admin-api/routes';
export type { Caller } from '../../../server/src/admin-api/simulated-caller';
export type { Stats } from '../../../server/src/admin-api/stats';
export type { AcknowledgeRequest, ReportedWarning as Warning } from '../../../server/src/admin-api/warnings';
export type { ContentTypeJson as ContentTypeStrategy } from '../../../server/src/config/resolved-config';
export type { StrategyJson as Strategy } from '../../../server/src/config/resolved-config';
export type { Actor } from '../../../server/src/monitor/actor';
export type { Period as PeriodName } from '../../../server/src/monitor/metrics-recorder';

export type Lane = NonNullable<Explanation['lane']>;
export type OutcomeCounts = ReportedPeriod['intervals'][number];
export type ProviderHealth = MetricsReport['provider'];
export type ProviderSettings = Pick<ResolvedProvider, 'name' | 'getTimeout'>;
export type Verdict = Explanation['verdict'];

/** A content type, or some documents of it. */
export interface PurgeSelection {
  readonly contentType: string;
  readonly documents?: readonly string[];
}
