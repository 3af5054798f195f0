import { createHash } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import packageJson from '../../../package.json';
import type { ResolvedConfig } from '../config/resolved-config';
import { strategyToJson } from '../config/strategy-to-json';

/** Tables in which Strapi notes the migrations it has run. */
const MIGRATION_TABLES = ['strapi_migrations', 'strapi_migrations_internal'];

/**
 * Names everything that shaped the entries: the plugin's version, the schema, the cache configuration and the
 * migrations that have run. A release that changes any of these never reads an older one's entries.
 */
export const fingerprint = async (strapi: Core.Strapi, { strategy }: ResolvedConfig): Promise<string> => {
  const migrations: unknown[] = [];
  for (const table of MIGRATION_TABLES) {
    if (await strapi.db.getSchemaConnection().hasTable(table)) {
      migrations.push(await strapi.db.getConnection(table).select('name').orderBy('id'));
    }
  }
  const shape = [packageJson.version, strategyToJson(strategy), strapi.db.schema.schema, migrations];
  return createHash('sha256').update(JSON.stringify(shape)).digest('base64url').slice(0, 12);
};
