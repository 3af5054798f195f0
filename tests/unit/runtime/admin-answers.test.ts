import { expectTypeOf, it } from 'vitest';
import type * as panel from '../../../admin/src/api/responses';
import type { ProviderSettings } from '../../../admin/src/api/responses';
import type { StrategyJson } from '../../../server/src/config/strategy-to-json';
import type { ListedActivity } from '../../../server/src/runtime/activity-list';
import type { DocumentEntries } from '../../../server/src/runtime/document-entries';
import type { EntryDetail } from '../../../server/src/runtime/entry-detail';
import type { EntryPage } from '../../../server/src/runtime/entry-list';
import type { Explanation } from '../../../server/src/runtime/explain';
import type { KnownCallers } from '../../../server/src/runtime/known-callers';
import type { MetricsReport } from '../../../server/src/runtime/metrics-report';
import type { ResolvedProvider } from '../../../server/src/config/resolved-config';
import type { Stats } from '../../../server/src/runtime/stats-summary';

it('are what the panel takes them for (checked by the type checker)', () => {
  expectTypeOf<MetricsReport>().toExtend<panel.Metrics>();
  expectTypeOf<Stats>().toExtend<panel.Stats>();
  expectTypeOf<EntryPage>().toExtend<panel.EntryPage>();
  expectTypeOf<EntryDetail>().toExtend<panel.EntryDetail>();
  expectTypeOf<ListedActivity>().toExtend<panel.Activity>();
  expectTypeOf<Explanation>().toExtend<panel.Explanation>();
  expectTypeOf<KnownCallers>().toExtend<panel.KnownCallers>();
  expectTypeOf<DocumentEntries>().toExtend<panel.DocumentEntries>();
  expectTypeOf<StrategyJson>().toExtend<panel.Strategy>();
  expectTypeOf<ResolvedProvider>().toExtend<ProviderSettings>();
});
