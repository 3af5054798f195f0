import { expect, it } from 'vitest';
import type { Installation } from './plan';
import { explain, runSchedules, SCHEDULES, summary } from './run-schedules';
import type { Event } from './tally';

const ALWAYS: readonly Event[] = [
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

const WITH_A_NETWORK: readonly Event[] = [...ALWAYS, 'store failures', 'crashes'];

it.each<[string, number, Installation, readonly Event[]]>([
  ['one process, store in its memory', 0.4, { store: 'memory', processes: 1 }, ALWAYS],
  ['one process, store behind a failing network', 0.15, { store: 'shared', processes: 1 }, WITH_A_NETWORK],
  ['two processes that share a store', 0.35, { store: 'shared', processes: 2 }, WITH_A_NETWORK],
  ['four processes that share a store', 0.1, { store: 'shared', processes: 4 }, WITH_A_NETWORK],
])('no schedule breaks a promise: %s', { timeout: TIMEOUT }, async (title, share, installation, events) => {
  const outcome = await runSchedules(installation, { schedules: Math.ceil(SCHEDULES * share), shrink: true });
  if (outcome.details.failed) throw new Error(await explain(outcome));
  console.info(summary(title, outcome));
  for (const event of events) expect(outcome.tally.of(event), event).toBeGreaterThan(0);
});
