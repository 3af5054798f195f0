import { onDatabase } from './on-database';

onDatabase('sqlite', ['front', 'repeatable', 'inner'], 8);
