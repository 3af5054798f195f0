import { ALWAYS, noScheduleBreaksAPromise, WITH_A_NETWORK } from './never-stale';

noScheduleBreaksAPromise([
  ['one process, store in its memory', 0.4, { store: 'memory', processes: 1 }, ALWAYS],
  ['one process, store behind a failing network', 0.15, { store: 'shared', processes: 1 }, WITH_A_NETWORK],
]);
