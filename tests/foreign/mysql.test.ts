import { byRoleOnDatabase, onDatabase } from './on-database';

onDatabase('mysql', ['front'], 8);
byRoleOnDatabase('mysql', 'front', 15);
