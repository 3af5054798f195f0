import { byRoleOnDatabase, graphqlOnDatabase, onDatabase } from './on-database';

onDatabase('sqlite', ['front', 'repeatable', 'route'], 8);
graphqlOnDatabase('sqlite', ['repeatable'], 15);
byRoleOnDatabase('sqlite', 'front', 15);
