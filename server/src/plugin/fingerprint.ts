import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import type { Knex } from 'knex';
import packageJson from '../../../package.json';
import { isPlainObject } from '../cache/plain-object';
import type { ResolvedConfig } from '../config/resolved-config';

/** Names of the migrations that have run, as Strapi notes them. */
const migrations = (strapi: Core.Strapi): Promise<unknown> =>
  Promise.all(['strapi_migrations', 'strapi_migrations_internal'].map((table) => noted(strapi, table, 'name')));

/**
 * A digest of everything that shapes the entries: the versions of the plugin and of Strapi, the application's code and
 * packages, its content types and components, its database, the schema and the migrations that have run, and the
 * configuration, that of other plugins included. A release that changes any of these never reads the entries of an older
 * one. The order in which things were loaded or listed does not matter.
 */
export const fingerprint = async (strapi: Core.Strapi, { strategy }: ResolvedConfig): Promise<string> => {
  const { app, dist } = strapi.dirs;
  const plugins = enabledPlugins(strapi);
  const models = { ...strapi.contentTypes, ...strapi.components } as Readonly<Record<string, Model>>;
  return digest([
    packageJson.version,
    strategy,
    // Strapi's version and the application's own package.json.
    strapi.config.get('info'),
    ['api', 'server.url'].map((name) => strapi.config.get<unknown>(name)),
    Object.fromEntries(plugins.map(({ name }) => [name, dataIn(strapi.config.get(`plugin::${name}`, {}))])),
    await applicationCode({
      root: app.root,
      src: dist.src,
      config: dist.config,
      plugins: plugins.flatMap(({ pathToPlugin = [] }) => pathToPlugin),
    }),
    databaseAddress(strapi),
    // Included beside the database schema, which does not show, for example, that an attribute is private.
    Object.values(models).map(({ uid, attributes, options, pluginOptions }) => ({
      uid,
      attributes,
      options,
      pluginOptions,
    })),
    strapi.db.schema.schema,
    await migrations(strapi),
  ]);
};

interface EnabledPlugin {
  readonly name: string;
  readonly pathToPlugin?: string;
}

/** The other plugins. The configuration of this one is resolved, with what is a function in it. */
const enabledPlugins = ({ config }: Core.Strapi): readonly EnabledPlugin[] =>
  Object.entries(config.get<Record<string, Omit<EnabledPlugin, 'name'>>>('enabledPlugins', {}))
    .filter(([name]) => name !== 'rest-cache')
    .map(([name, { pathToPlugin }]) => ({ name, pathToPlugin }));

/** What options hold as data, and functions. Objects of classes and what refers to itself are left out. */
const dataIn = (value: unknown, within: readonly unknown[] = []): unknown => {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (!(Array.isArray(value) || isPlainObject(value)) || within.includes(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dataIn(each, [...within, value])]));
};

/** Where the database is, without credentials: another one of the same schema holds other rows. */
const databaseAddress = ({ config }: Core.Strapi): unknown => {
  const { client, connection } = Object(config.get('database.connection', {})) as Knex.Config;
  const { host, port, socketPath, filename, database, schema, connectionString } = Object(connection) as Address;
  const url = typeof connection === 'string' ? connection : connectionString;
  const { hostname, port: portOfUrl, pathname } = url !== undefined && URL.canParse(url) ? new URL(url) : NO_URL;
  return { client, host, port, socketPath, filename, database, schema, hostname, portOfUrl, pathname };
};

type Address = Readonly<
  Record<'host' | 'port' | 'socketPath' | 'filename' | 'database' | 'schema' | 'connectionString', string | undefined>
>;

const NO_URL: Partial<URL> = {};

/** The parts of a content type or component that shape responses. */
interface Model {
  readonly uid: string;
  readonly attributes: object;
  readonly options?: object;
  readonly pluginOptions?: object;
}

/** A digest of the migrations that have run and of the schema to which the database was synchronised. */
export const databaseState = async (strapi: Core.Strapi): Promise<string> =>
  digest([await migrations(strapi), await noted(strapi, 'strapi_database_schema', 'hash')]);

const noted = async (strapi: Core.Strapi, table: string, column: string): Promise<unknown> => {
  if (!(await strapi.db.getSchemaConnection().hasTable(table))) return [];
  const rows = await strapi.db.getConnection(table).select<Array<Record<string, unknown>>>(column);
  return rows.map((row) => row[column]);
};

const digest = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 12);

/**
 * JSON in which neither the order of keys nor that of a list's items matters. A function is its source text: options in
 * `config/plugins` may be functions, and that file differs between processes of one release.
 */
export const canonical = (value: unknown): string => {
  if (typeof value === 'function') return canonical(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .sort()
    .join()}}`;
};

/** Extensions of files that Node loads. */
const CODE: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs', '.json']);

/** Packages, whose versions count, and what the documentation plugin writes at run time. */
const NOT_CODE = /(?:^|[\\/])(?:node_modules|documentation)[\\/]/;

/** Configuration files that may differ between the processes of one release, and shape no response: left out. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['admin', 'database', 'logger', 'plugins', 'server']);

/** They determine the versions of the application's packages. Where the application runs, there may be none. */
const LOCK_FILES: readonly string[] = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'];

interface Folders {
  readonly root: string;
  /** The folder of the code that runs: the compiled one, if there is one. */
  readonly src: string;
  readonly config: string;
  /** The folders of plugins. Those of the application's own are not always within `src`, and have no version. */
  readonly plugins: readonly string[];
}

/**
 * A digest of the application's own code and of its lock files, because another release may answer differently. Files
 * that cannot be read, as in an application that is bundled into one file, are left out.
 */
export const applicationCode = async ({ root, src, config, plugins }: Folders): Promise<string> => {
  const hash = createHash('sha256');
  const add = async (folder: string, names: readonly string[]): Promise<void> => {
    for (const name of [...names].sort()) {
      const text = await readFile(path.join(folder, name)).catch(() => undefined);
      if (text !== undefined) hash.update(`${name}\0${text.byteLength}\0`).update(text);
    }
  };
  await add(src, await codeIn(src));
  await add(
    config,
    (await codeIn(config)).filter((name) => !OF_ONE_PROCESS.has(path.parse(name).name)),
  );
  await add(root, LOCK_FILES);
  const own = plugins.filter((folder) => !folder.split(path.sep).includes('node_modules'));
  for (const folder of own.sort()) await add(folder, await codeIn(folder));
  return hash.digest('base64url');
};

const codeIn = async (folder: string): Promise<string[]> => {
  const inside = await readdir(folder, { recursive: true }).catch(() => []);
  return inside.filter((name) => CODE.has(path.extname(name)) && !NOT_CODE.test(name));
};
