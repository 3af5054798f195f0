import { createHash } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../cache/clock';
import { said } from '../cache/sentence';
import { explained, type ExplainedWarning, type Warning } from '../config/warning';
import { behindWarning } from '../edge/edge';
import { currentActor } from '../monitor/actor';
import type { RestCache } from '../plugin/rest-cache';
import { LONGEST_REASON, type Acknowledgement } from './acknowledgement';
import { badRequest, parseRequest, text } from './request';

export interface ReportedWarning extends ExplainedWarning {
  /** `null` if nobody has acknowledged the warning. */
  readonly acknowledged: Acknowledgement | null;
}

/** The warnings found since the boot, then those of the boot itself. */
const currentWarnings = ({ edge, observability, warnings }: RestCache): readonly Warning[] => [
  ...(edge?.targets ?? []).flatMap(({ name, behind }) => (behind === undefined ? [] : [behindWarning(name, behind)])),
  ...observability.notices.all,
  ...warnings,
];

/**
 * Where a warning's acknowledgement is kept in Strapi's own store. Each warning has a row of its own, so that admins
 * who acknowledge warnings at the same time do not overwrite each other's.
 */
const noteOf = ({ strapi }: RestCache, { text }: Warning) => {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return strapi.store({ type: 'plugin', name: 'rest-cache', key: `acknowledged_${digest}` });
};

const reported = (warning: Warning, acknowledged: Acknowledgement | null): ReportedWarning => ({
  ...explained(warning),
  acknowledged,
});

/** Each current warning, and who has acknowledged it. */
export const reportWarnings = (restCache: RestCache): Promise<readonly ReportedWarning[]> =>
  Promise.all(
    currentWarnings(restCache).map(async (warning) => {
      // If the database cannot be read, the warning counts as not acknowledged.
      const noted: unknown = await noteOf(restCache, warning)
        .get()
        .catch(() => null);
      return reported(warning, noted as Acknowledgement | null);
    }),
  );

const body = z.strictObject({
  warning: z.string(),
  /** `null` undoes an acknowledgement. */
  reason: z.union([text(LONGEST_REASON).trim().min(1), z.null()]),
});

export type AcknowledgeRequest = z.input<typeof body>;

/**
 * Acknowledges a warning on behalf of the current admin, or undoes its acknowledgement.
 *
 * @throws an error that is answered with status 400.
 */
export const acknowledge = async (restCache: RestCache, sent: unknown): Promise<ReportedWarning> => {
  const { strapi } = restCache;
  const form = `The body is { warning, reason }, with the warning's text and a reason of at most ${LONGEST_REASON} characters, or null`;
  const { warning: written, reason } = parseRequest(body, sent, form);
  const warning = currentWarnings(restCache).find((current) => current.text === written);
  if (warning === undefined) throw badRequest(said('no-warning')`There is no such warning, or not any more`);
  const acknowledged: Acknowledgement | null =
    reason === null ? null : { by: currentActor(strapi), at: systemClock.now(), reason };
  const note = noteOf(restCache, warning);
  await (acknowledged === null ? note.delete() : note.set({ value: acknowledged }));
  return reported(warning, acknowledged);
};
