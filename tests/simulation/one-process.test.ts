import { ALWAYS, noScheduleBreaksAPromise, WITH_A_NETWORK } from './never-stale';

noScheduleBreaksAPromise([
  ['one process, store in its memory', 0.4, { store: 'memory', processes: 1 }, ALWAYS],
  ['one process, store behind a failing network', 0.15, { store: 'shared', processes: 1 }, WITH_A_NETWORK],
  // Without the observer's order this fails within ten schedules: while the observer looks at the rows that a write is
  // about to change, COMMIT or ROLLBACK could overtake the write, which would then be committed on its own and never
  // stamped. So the observer keeps the statements of a transaction in the order in which they were sent.
  ['statements of a transaction that overlap', 0.1, { store: 'memory', processes: 1, overlapping: true }, ALWAYS],
]);
