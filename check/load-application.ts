import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Core } from '@strapi/strapi';

export interface LoadedApplication {
  readonly strapi: Core.Strapi;
  /** The entries of config/plugins by their keys, as they are written. */
  readonly plugins: Readonly<Record<string, WrittenPlugin | undefined>>;
  /** Resolves modules as @strapi/core does, so it finds Strapi's dependencies. */
  readonly requireFromStrapi: NodeJS.Require;
}

export interface WrittenPlugin {
  readonly enabled?: boolean;
  readonly config?: unknown;
}

type WrittenPlugins = Readonly<Record<string, WrittenPlugin | undefined>>;

/** What config/plugins exports, or the function that it exports returns. */
type Exported = Readonly<Record<string, WrittenPlugin | boolean | null | undefined>> | null | undefined;

type Returned = Exported | Promise<Exported>;

/** Not loaded, because they would validate and complete their configuration, which is needed as it is written. */
const CACHE_PLUGINS = ['rest-cache', 'strapi-cache'];

/**
 * Loads an application's configuration, content types, routes and handlers with Strapi's own loader. It uses no
 * database and runs no `register` or `bootstrap`, neither the application's nor those of plugins or Strapi.
 *
 * @param distDir the folder that holds the application's JavaScript.
 * @throws Error if the application does not load (Strapi's own error), or if this version of Strapi is not known.
 */
export const loadApplication = async (appDir: string, distDir: string): Promise<LoadedApplication> => {
  process.env.STRAPI_TELEMETRY_DISABLED = 'true';
  const requireFromApp = createRequire(path.join(appDir, 'package.json'));
  const { createStrapi } = requireFromApp('@strapi/strapi') as typeof import('@strapi/strapi');
  const requireFromStrapi = requireOf(requireOf(requireFromApp, '@strapi/strapi'), '@strapi/core');
  const strapi = createStrapi({ appDir, distDir, autoReload: false });
  const plugins = await withholdCachePlugins(distDir, requireFromStrapi);
  leaveOutWhatActs(strapi);
  await strapi.register();
  return { strapi, plugins, requireFromStrapi };
};

export const requireOf = (from: NodeJS.Require, name: string): NodeJS.Require =>
  createRequire(from.resolve(`${name}/package.json`));

/**
 * Reads config/plugins like Strapi. The cache plugins are then disabled in the loaded modules, so that Strapi does not
 * load these plugins.
 *
 * @returns the entries as they are written.
 */
const withholdCachePlugins = async (distDir: string, requireFromStrapi: NodeJS.Require): Promise<WrittenPlugins> => {
  const { env, importDefault } = requireFromStrapi('@strapi/utils') as {
    env: unknown;
    importDefault(file: string): unknown;
  };
  const { merge } = requireFromStrapi('lodash/fp') as { merge(...parts: WrittenPlugins[]): WrittenPlugins };
  const config = path.join(distDir, 'config');
  const files = [config, path.join(config, 'env', process.env.NODE_ENV ?? '')]
    .map((folder) => path.join(folder, 'plugins.js'))
    .filter((file) => existsSync(file));
  const written: WrittenPlugins[] = [];
  for (const file of files) {
    const exported = importDefault(file) as Returned | ((tools: { env: unknown }) => Returned);
    const returned = typeof exported === 'function' ? exported({ env }) : exported;
    // Strapi waits for a promise only where it need not merge it with the other file, and finds nothing in it there.
    const plugins = declared(files.length === 1 ? await returned : (returned as Exported));
    const module = requireFromStrapi.cache[requireFromStrapi.resolve(file)];
    const off = CACHE_PLUGINS.filter((key) => Object.hasOwn(plugins, key)).map(
      (key) => [key, { enabled: false }] as const,
    );
    if (module !== undefined) module.exports = { ...plugins, ...Object.fromEntries<WrittenPlugin>(off) };
    written.push(plugins);
  }
  return written.length === 2 ? merge(...written) : (written[0] ?? {});
};

/** Strapi takes `true` and `false` for `{ enabled: … }`. */
const declared = (plugins: Exported): WrittenPlugins =>
  Object.fromEntries(
    Object.entries(plugins ?? {}).map(([key, plugin]) => {
      if (plugin === null) throw new Error(`"${key}" in config/plugins is null; expected an object, true or false`);
      return [key, typeof plugin === 'boolean' ? { enabled: plugin } : plugin];
    }),
  );

/** The methods that run lifecycle functions, by their names in Strapi 5.0 and today. */
const LIFECYCLES = ['runLifecyclesFunctions', 'runPluginsLifecycles', 'runUserLifecycles'];

/** Keeps lifecycle functions of the application, plugins and Strapi from running, and hides the database. */
const leaveOutWhatActs = (strapi: Core.Strapi): void => {
  const loader = strapi as unknown as Record<string, unknown>;
  const lifecycles = LIFECYCLES.filter((name) => typeof loader[name] === 'function');
  if (lifecycles.length === 0) throw new Error('This version of Strapi is not known: nothing of it was run.');
  for (const name of lifecycles) loader[name] = (): Promise<void> => Promise.resolve();
  const get = strapi.get.bind(strapi) as (name: string, args?: unknown) => unknown;
  const admin = { ...(get('admin') as object), register: () => undefined };
  // Plugins declare their custom fields in `register`, which does not run. So every custom field counts as a string.
  (get('custom-fields') as { get: unknown }).get = () => ({ type: 'string' });
  loader.get = (name: string, args?: unknown) => (name === 'db' ? nothing : name === 'admin' ? admin : get(name, args));
};

/** Stands for the database: each of its properties but `then`, and each call, returns it again. */
const nothing: unknown = new Proxy(() => nothing, {
  get: (_target, name) => (name === 'then' ? undefined : nothing),
});
