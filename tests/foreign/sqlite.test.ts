import { byRoleOnDatabase, onDatabase } from './on-database';

onDatabase('sqlite', ['front', 'repeatable', 'route'], 8);
byRoleOnDatabase('sqlite', 'front', 15);
