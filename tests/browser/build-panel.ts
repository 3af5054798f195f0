import { mkdirSync } from 'node:fs';
import { WORK } from '../application/paths';
import preparePanel from './prepare-panel';

/** What the tests of the panel need, before they run. */
mkdirSync(WORK, { recursive: true });
preparePanel();
