import { noScheduleBreaksAPromise, WITH_A_NETWORK } from './never-stale';

noScheduleBreaksAPromise([
  ['two processes that share a store', 0.35, { store: 'shared', processes: 2 }, WITH_A_NETWORK],
  ['four processes that share a store', 0.1, { store: 'shared', processes: 4 }, WITH_A_NETWORK],
]);
