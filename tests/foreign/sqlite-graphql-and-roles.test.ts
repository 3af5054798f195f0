import { byRoleOnDatabase, graphqlOnDatabase } from './on-database';

/** In a file of its own, so that it runs beside sqlite.test.ts. */
graphqlOnDatabase('sqlite', ['repeatable'], 15);
byRoleOnDatabase('sqlite', 'front', 15);
