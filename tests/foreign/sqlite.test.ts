import { onDatabase } from './on-database';

// In front, MariaDB answers, and SQLite in the quick command.
onDatabase('sqlite', ['repeatable', 'route'], 8);
