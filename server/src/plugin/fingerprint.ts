import { createHash } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import packageJson from '../../../package.json';
import { type ResolvedConfig, strategyToJson } from '../config/resolved-config';
import { applicationCode } from './application-code';

/** Tables in which Strapi notes the migrations that it has run, each with the column that identifies a migration. */
const MIGRATIONS = [
  ['strapi_migrations', 'name'],
  ['strapi_migrations_internal', 'name'],
] as const;

/** Where Strapi notes the schema to which it has last synchronised the database. */
const SCHEMA = ['strapi_database_schema', 'hash'] as const;

/**
 * A digest of everything that shapes the entries: the versions of the plugin and of Strapi, the application's code and
 * packages, its content types and components, its database schema and the migrations that have run, and the
 * configuration. A release that changes any of these never reads the entries of an older one. The order in which things
 * were loaded or listed does not matter.
 */
export const fingerprint = async (strapi: Core.Strapi, { strategy }: ResolvedConfig): Promise<string> => {
  const { app, dist } = strapi.dirs;
  const models = { ...strapi.contentTypes, ...strapi.components } as Readonly<Record<string, Model>>;
  return digest([
    packageJson.version,
    strategyToJson(strategy),
    // Strapi's version and the application's own package.json.
    strapi.config.get('info'),
    ['api', 'server.url'].map((name) => strapi.config.get<unknown>(name)),
    await applicationCode({ root: app.root, src: dist.src, config: dist.config }),
    // Included beside the database schema, which does not show, for example, that an attribute is private.
    Object.values(models).map(({ uid, attributes, options, pluginOptions }) => ({
      uid,
      attributes,
      options,
      pluginOptions,
    })),
    strapi.db.schema.schema,
    await Promise.all(MIGRATIONS.map((source) => noted(strapi, source))),
  ]);
};

/** The parts of a content type or component that shape responses. */
interface Model {
  readonly uid: string;
  readonly attributes: object;
  readonly options?: object;
  readonly pluginOptions?: object;
}

/** A digest of the migrations that have run and of the schema to which the database was synchronised. */
export const databaseState = async (strapi: Core.Strapi): Promise<string> =>
  digest(await Promise.all([...MIGRATIONS, SCHEMA].map((source) => noted(strapi, source))));

const noted = async (strapi: Core.Strapi, [table, column]: readonly [string, string]): Promise<unknown> => {
  if (!(await strapi.db.getSchemaConnection().hasTable(table))) return [];
  const rows = await strapi.db.getConnection(table).select<Array<Record<string, unknown>>>(column);
  return rows.map((row) => row[column]);
};

const digest = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 12);

/** JSON in which neither the order of keys nor that of a list's items matters. */
export const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .sort()
    .join()}}`;
};
