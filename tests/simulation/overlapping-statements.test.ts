import { it } from 'vitest';
import type { Installation } from './plan';
import { explain, runSchedules, SCHEDULES, summary } from './run-schedules';

const OVERLAPPING: Installation = { store: 'memory', processes: 1, overlapping: true };

/**
 * Without the observer's order this fails within ten schedules: while the observer looks at the rows that a write is
 * about to change, COMMIT or ROLLBACK could overtake the write, which would then be committed on its own and never
 * stamped. So the observer keeps the statements of a transaction in the order in which they were sent.
 */
it('no schedule breaks a promise: statements of a transaction that overlap', async () => {
  const outcome = await runSchedules(OVERLAPPING, { schedules: Math.ceil(SCHEDULES * 0.1), shrink: true });
  if (outcome.details.failed) throw new Error(await explain(outcome));
  console.info(summary('overlapping statements', outcome));
});
