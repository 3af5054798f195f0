import path from 'node:path';
import { ROOT } from '../application/paths';

/** Where the application stands; copies of it run. */
export const FOREIGN = path.join(ROOT, 'tests', 'applications', 'foreign');
