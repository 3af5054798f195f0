import { byRoleOnDatabase, graphqlOnDatabase, onDatabase } from './on-database';

onDatabase('postgres', ['route'], 8);
graphqlOnDatabase('postgres', ['route'], 15);
byRoleOnDatabase('postgres', 'route', 15);
