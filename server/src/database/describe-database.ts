import type { Ask, DatabaseDescription } from './database-description';
import { describeMysql } from './describe-mysql';
import { describePostgres } from './describe-postgres';
import { describeSqlite } from './describe-sqlite';
import type { Dialect } from '../sql/tokens';

/** @param schema the one Strapi is configured to use, if any. */
export const describeDatabase = (
  dialect: Dialect,
  ask: Ask,
  schema: string | undefined,
): Promise<DatabaseDescription> => {
  switch (dialect) {
    case 'postgres':
      return describePostgres(ask, schema);
    case 'mysql':
      return describeMysql(ask);
    case 'sqlite':
      return describeSqlite(ask);
  }
};
