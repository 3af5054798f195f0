import { byRoleOnDatabase, graphqlOnDatabase, onDatabase } from './on-database';

// In front, MariaDB answers, and SQLite in the quick command.
onDatabase('sqlite', ['repeatable', 'route'], 8);
graphqlOnDatabase('sqlite', ['repeatable'], 15);
byRoleOnDatabase('sqlite', 'front', 15);
