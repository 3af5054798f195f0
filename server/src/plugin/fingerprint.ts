import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import packageJson from '../../../package.json';
import { type ResolvedConfig, strategyToJson } from '../config/resolved-config';

/** Names of the migrations that have run, as Strapi notes them. */
const migrations = (strapi: Core.Strapi): Promise<unknown> =>
  Promise.all(['strapi_migrations', 'strapi_migrations_internal'].map((table) => noted(strapi, table, 'name')));

/**
 * A digest of everything that shapes the entries: the versions of the plugin and of Strapi, the application's code and
 * packages, its content types and components, its database schema and the migrations that have run, and the
 * configuration. A release that changes any of these never reads the entries of an older one, nor does an application
 * with another database. The order in which things
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
    graphqlOptions(strapi),
    databaseAddress(strapi),
    await applicationCode({ root: app.root, src: dist.src, config: dist.config }),
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

/** Options of `@strapi/plugin-graphql` that shape its answers, such as `maxLimit`; not `apolloServer`, which is code. */
const graphqlOptions = (strapi: Core.Strapi): unknown =>
  Object.entries(strapi.config.get<object>('plugin::graphql', {})).filter(
    ([, value]) => typeof value !== 'object' && typeof value !== 'function',
  );

/**
 * Which database it is, without credentials: those who run the same code with several databases may forget to give each
 * its own `keysPrefix`, and must not see the content of another.
 */
const databaseAddress = (strapi: Core.Strapi): unknown => {
  const written = Object(strapi.config.get('database.connection.connection', {})) as Record<string, unknown>;
  const { connectionString: text, host, port, socketPath, database, schema, filename } = written;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  return [url && [url.host, url.pathname], { host, port, socketPath, database, schema, filename }];
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
  digest([await migrations(strapi), await noted(strapi, 'strapi_database_schema', 'hash')]);

const noted = async (strapi: Core.Strapi, table: string, column: string): Promise<unknown> => {
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

/** Extensions of files that Node runs. Other files may be written at run time, as the documentation plugin does. */
const CODE: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs']);

/** Configuration files that may differ between the processes of one release, and shape no response: left out. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['admin', 'database', 'logger', 'plugins', 'server']);

/** They determine the versions of the application's packages. Where the application runs, there may be none. */
const LOCK_FILES: readonly string[] = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'];

interface Folders {
  readonly root: string;
  /** The folder of the code that runs: the compiled one, if there is one. */
  readonly src: string;
  readonly config: string;
}

/**
 * A digest of the application's own code and of its lock files, because another release may answer differently. Files
 * that cannot be read, as in an application that is bundled into one file, are left out.
 */
export const applicationCode = async ({ root, src, config }: Folders): Promise<string> => {
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
  return hash.digest('base64url');
};

const codeIn = async (folder: string): Promise<string[]> => {
  const inside = await readdir(folder, { recursive: true }).catch(() => []);
  return inside.filter((name) => CODE.has(path.extname(name)));
};
