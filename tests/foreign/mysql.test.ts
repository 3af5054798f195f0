import { onDatabase } from './on-database';

onDatabase('mysql', ['front'], 8);
