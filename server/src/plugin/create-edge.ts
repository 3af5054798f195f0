import type { Core } from '@strapi/strapi';
import type { ChangedDocument, EdgeTarget } from '../cache/edge-purge';
import type { EdgeLedger } from '../cache/provider';
import type { Tag } from '../cache/tag';
import { cachedSettings, type ResolvedConfig, type Settings } from '../config/resolved-config';
import { logLine } from '../config/warning';
import type { TableCatalog } from '../database/table-catalog';
import { namedBy } from '../dependencies/tags';
import { targetOf } from '../edge/built-in-targets';
import { behindWarning, Edge } from '../edge/edge';
import { ProcessLedger } from '../edge/process-ledger';
import { isSharedByCaches } from '../http/cache-control';

/** The edge as configured; `undefined` if the configuration names none that is purged. */
export const createEdge = (
  log: Core.Strapi['log'],
  catalog: TableCatalog,
  { strategy, edgeTargets }: ResolvedConfig,
  ledger: EdgeLedger | undefined,
  onHeadsChanged: () => void,
): Edge | undefined => {
  const { edge, keysPrefix } = strategy;
  return edge === null || edge.header === ''
    ? undefined
    : new Edge({
        ...edge,
        keysPrefix,
        targets: toldApart(edgeTargets.map(targetOf)),
        ledger: ledger ?? withoutLedger(cachedSettings(strategy)),
        documentsOf: (tags) => documentsIn(tags, catalog),
        onHeadsChanged,
        onState: (target, behind) => {
          if (behind === undefined) log.info(`[rest-cache] the edge target ${target} has caught up with its purges`);
          else log.warn(logLine(behindWarning(target, behind)));
        },
      });
};

/** Targets with names of their own, as there may be several Varnishes: the second is `varnish 2`. */
const toldApart = (targets: readonly EdgeTarget[]): EdgeTarget[] =>
  targets.map((target, place) => {
    const { length } = targets.slice(0, place).filter(({ name }) => name === target.name);
    return length === 0 ? target : { ...target, name: `${target.name} ${length + 1}` };
  });

/** Where the provider has no ledger, the issued keys are not known: every key counts as issued, unless no answer may be. */
const withoutLedger = (cached: readonly Settings[]): EdgeLedger =>
  cached.some(isSharedByCaches) ? new ProcessLedger(() => true, 0) : new ProcessLedger(() => false);

/** The documents named by tags. */
const documentsIn = (tags: readonly Tag[], catalog: TableCatalog): readonly ChangedDocument[] => {
  const found = new Map<string, ChangedDocument>();
  for (const tag of tags) {
    const { table, documentId } = namedBy(tag);
    const contentType = table === undefined ? undefined : catalog.typeOf(table);
    if (contentType !== undefined && documentId !== undefined)
      found.set(`${contentType} ${documentId}`, { contentType, documentId });
  }
  return [...found.values()];
};
