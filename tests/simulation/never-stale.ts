import { expect, it } from 'vitest';
import type { Installation } from './plan';
import { explain, runSchedules, SCHEDULES, summary } from './run-schedules';
import type { Event } from './tally';

export const ALWAYS: readonly Event[] = [
  'hits',
  'collapsed',
  'stored',
  'dead on arrival',
  'evicted',
  'acknowledged writers',
  'rollbacks',
  'purges',
];
/** Milliseconds: ten times what the schedules take on an idle machine. */
const TIMEOUT = Math.max(300_000, SCHEDULES * 3);

export const WITH_A_NETWORK: readonly Event[] = [...ALWAYS, 'store failures', 'crashes'];

type Case = readonly [title: string, share: number, installation: Installation, events: readonly Event[]];

/** Each case tries its share of the schedules. The events must have occurred in them. */
export const noScheduleBreaksAPromise = (cases: readonly Case[]): void => {
  it.each(cases)(
    'no schedule breaks a promise: %s',
    { timeout: TIMEOUT },
    async (title, share, installation, events) => {
      const outcome = await runSchedules(installation, { schedules: Math.ceil(SCHEDULES * share), shrink: true });
      if (outcome.details.failed) throw new Error(await explain(outcome));
      console.info(summary(title, outcome));
      for (const event of events) expect(outcome.tally.of(event), event).toBeGreaterThan(0);
    },
  );
};
