import { onDatabase } from './on-database';

onDatabase('sqlite', ['front', 'repeatable', 'route'], 8);
