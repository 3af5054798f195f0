import { onDatabase } from './on-database';

onDatabase('sqlite', ['front', 'inner'], 8);
