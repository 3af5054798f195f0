import { onDatabase } from './on-database';

onDatabase('postgres', ['route'], 8);
