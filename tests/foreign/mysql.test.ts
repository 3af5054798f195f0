import { byRoleOnDatabase, graphqlOnDatabase, onDatabase } from './on-database';

onDatabase('mysql', ['front'], 8);
graphqlOnDatabase('mysql', ['front'], 15);
byRoleOnDatabase('mysql', 'front', 15);
