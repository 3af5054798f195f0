import path from 'node:path';
import { ROOT } from '../application/paths';

/** The application's directory. Only copies of it run. */
export const FOREIGN = path.join(ROOT, 'tests', 'applications', 'foreign');
