import type { Core } from '@strapi/strapi';
import type { ChangedDocument } from '../cache/edge-purge';
import type { EdgeLedger } from '../cache/provider';
import type { Tag } from '../cache/tag';
import type { ResolvedConfig } from '../config/resolved-config';
import { logLine } from '../config/warning';
import { documentOf } from '../dependencies/dependency-tags';
import { targetOf } from '../edge/built-in-targets';
import { behindWarning, Edge } from '../edge/edge';
import { ProcessLedger } from '../edge/process-ledger';

/** The edge as configured; `undefined` if the configuration names none that is purged. */
export const createEdge = (
  strapi: Core.Strapi,
  { strategy: { edge, keysPrefix }, edgeTargets }: ResolvedConfig,
  ledger: EdgeLedger | undefined,
  onHeadsChanged: () => void,
): Edge | undefined =>
  edge === null || edge.header === ''
    ? undefined
    : new Edge({
        header: edge.header,
        maxHeaderBytes: edge.maxHeaderBytes,
        timeout: edge.timeout,
        keysPrefix,
        targets: edgeTargets.map(targetOf),
        // Without a ledger of the provider, it is not known what was handed out: every key counts as handed out.
        ledger: ledger ?? new ProcessLedger(() => true, 0),
        documentsOf: documentsIn(strapi),
        onHeadsChanged,
        onState: (target, behind) => {
          if (behind === undefined)
            strapi.log.info(`[rest-cache] the edge target ${target} has caught up with its purges`);
          else strapi.log.warn(logLine(behindWarning(target, behind)));
        },
      });

/** Returns a function that finds the documents named by tags. */
const documentsIn = ({ db }: Core.Strapi): ((tags: readonly Tag[]) => readonly ChangedDocument[]) => {
  const types = new Map([...db.metadata.values()].map(({ uid, tableName }) => [tableName.toLowerCase(), uid]));
  return (tags) => {
    const found = new Map<string, ChangedDocument>();
    for (const tag of tags) {
      const { table = '', documentId = '' } = documentOf(tag) ?? {};
      const contentType = types.get(table);
      if (contentType !== undefined) found.set(`${contentType} ${documentId}`, { contentType, documentId });
    }
    return [...found.values()];
  };
};
