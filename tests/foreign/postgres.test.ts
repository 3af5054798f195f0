import { onDatabase } from './on-database';

onDatabase('postgres', ['router'], 8);
