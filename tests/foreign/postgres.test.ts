import { byRoleOnDatabase, onDatabase } from './on-database';

onDatabase('postgres', ['route'], 8);
byRoleOnDatabase('postgres', 'route', 15);
