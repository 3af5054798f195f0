import { createHash } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { z } from 'zod';
import { systemClock } from '../cache/clock';
import { explained, type ExplainedWarning, type Warning } from '../config/warning';
import { behindWarning } from '../edge/edge';
import { currentActor } from '../monitor/actor';
import type { RestCache } from '../plugin/rest-cache';
import { LONGEST_REASON, type Acknowledgement } from './acknowledgement';
import { badRequest, parseRequest, text } from './request';

export interface ReportedWarning extends ExplainedWarning {
  /** By whom; `null` while nobody has. */
  readonly acknowledged: Acknowledgement | null;
}

/** What was found out since the boot, and what the boot warned of. */
const currentWarnings = ({ edge, observability, warnings }: RestCache): readonly Warning[] => [
  ...(edge?.targets ?? []).flatMap(({ name, behind }) => (behind === undefined ? [] : [behindWarning(name, behind)])),
  ...observability.notices.all,
  ...warnings,
];

const STORE = 'strapi::core-store';

/** In Strapi's own store, a row for each warning: admins who acknowledge at once do not overwrite one another. */
const rowKey = ({ text: told }: Warning): string =>
  `plugin_rest-cache_acknowledged_${createHash('sha256').update(told).digest('hex').slice(0, 32)}`;

/** By the key of their rows. */
const acknowledgements = async (
  { db }: Core.Strapi,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Acknowledgement>> => {
  if (keys.length === 0) return new Map();
  const rows = (await db
    .query(STORE)
    .findMany({ where: { key: { $in: keys } }, orderBy: { id: 'asc' } })) as ReadonlyArray<{
    readonly key: string;
    readonly value: string;
  }>;
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as Acknowledgement]));
};

const reported = (warning: Warning, acknowledged: Acknowledgement | null): ReportedWarning => ({
  ...explained(warning),
  acknowledged,
});

/** Each current warning, and who has acknowledged it. */
export const reportWarnings = async (restCache: RestCache): Promise<readonly ReportedWarning[]> => {
  const warnings = currentWarnings(restCache);
  // Without the database no warning is hidden.
  const known = await acknowledgements(restCache.strapi, warnings.map(rowKey)).catch(() => new Map<string, never>());
  return warnings.map((warning) => reported(warning, known.get(rowKey(warning)) ?? null));
};

const body = z.strictObject({
  warning: z.string(),
  /** `null` takes an acknowledgement back. */
  reason: z.union([text(LONGEST_REASON).trim().min(1), z.null()]),
});

export type AcknowledgeRequest = z.input<typeof body>;

/** Notes that an admin knows of a warning, or does so no longer. */
export const acknowledge = async (restCache: RestCache, sent: unknown): Promise<ReportedWarning> => {
  const { strapi } = restCache;
  const form = `The body is { warning, reason }, with the warning's text and a reason of at most ${LONGEST_REASON} characters, or null`;
  const { warning: written, reason } = parseRequest(body, sent, form);
  const warning = currentWarnings(restCache).find((current) => current.text === written);
  if (warning === undefined) throw badRequest('There is no such warning, or not any more');
  const key = rowKey(warning);
  const acknowledged: Acknowledgement | null =
    reason === null ? null : { by: currentActor(strapi), at: systemClock.now(), reason };
  await strapi.db.transaction(async () => {
    await strapi.db.query(STORE).deleteMany({ where: { key } });
    if (acknowledged !== null)
      await strapi.db.query(STORE).create({ data: { key, type: 'object', value: JSON.stringify(acknowledged) } });
  });
  return reported(warning, acknowledged);
};
