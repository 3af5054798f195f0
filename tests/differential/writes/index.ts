import type { Kind } from '../world';
import { componentWrites } from './components';
import { contentManagerWrites } from './content-manager';
import { documentWrites } from './documents';
import { mediaWrites } from './media';
import { queryWrites } from './query-engine';
import { rawWrites } from './raw-sql';
import { relationWrites } from './relations';
import { transactionWrites } from './transactions';
import { settingsWrites, unrelatedWrites } from './unrelated';
import { userWrites } from './users';

/** Every kind of write. The driver goes through all of them repeatedly, in a different order each time. */
export const allWrites: readonly Kind[] = [
  ...documentWrites,
  ...relationWrites,
  ...componentWrites,
  ...mediaWrites,
  ...userWrites,
  ...queryWrites,
  ...rawWrites,
  ...transactionWrites,
  ...contentManagerWrites,
  ...unrelatedWrites,
  ...settingsWrites,
];
