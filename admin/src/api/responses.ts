/** What the plugin's admin routes answer, as the server itself declares it. But for limits, types alone: no code is bundled. */
import type { ContentTypeJson, ResolvedProvider, StrategyJson } from '../../../server/src/config/resolved-config';
import type { ListedActivity } from '../../../server/src/admin-api/activity';
import type { Explanation, Reason } from '../../../server/src/admin-api/explain';
import type { Caller } from '../../../server/src/admin-api/simulated-caller';
import type { MetricsReport, ReportedContentType, ReportedPeriod } from '../../../server/src/admin-api/metrics';
import type { Period as RecordedPeriodName } from '../../../server/src/monitor/metrics-recorder';

export { LONGEST_REASON } from '../../../server/src/admin-api/acknowledgement';
export type { Actor } from '../../../server/src/monitor/actor';
export type { DocumentEntries } from '../../../server/src/admin-api/documents';
export type { EntryDetail, EntryPage, EntrySelection, ListedEntry } from '../../../server/src/admin-api/entries';
export type { Explanation } from '../../../server/src/admin-api/explain';
export type { ExplainBody as ExplainRequest, KnownCallers } from '../../../server/src/admin-api/explain';
export type { Caller };
export type { Purged } from '../../../server/src/admin-api/purge';
export type { PurgePreview } from '../../../server/src/admin-api/purge-preview';
export type {
  HeldByRoute,
  ReportedRoute,
  RouteCounts,
  RouteReason,
  RoutesReport as Routes,
} from '../../../server/src/admin-api/routes';
export type { Sharing } from '../../../server/src/admin-api/content-types';
export type { Stats } from '../../../server/src/admin-api/stats';
export type { AcknowledgeRequest, ReportedWarning as Warning } from '../../../server/src/admin-api/warnings';

export type Activity = ListedActivity;
export type ContentTypeMetrics = ReportedContentType;
export type ContentTypeStrategy = ContentTypeJson;
export type ExplainReason = Reason;
export type Lane = NonNullable<Explanation['lane']>;
export type Metrics = MetricsReport;
export type OutcomeCounts = ReportedPeriod['intervals'][number];
export type Period = ReportedPeriod;
export type PeriodName = RecordedPeriodName;
export type ProviderHealth = MetricsReport['provider'];
export type ProviderSettings = Pick<ResolvedProvider, 'name' | 'getTimeout'>;
export type Strategy = StrategyJson;
export type Verdict = Explanation['verdict'];
