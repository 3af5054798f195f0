import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Core } from '@strapi/strapi';

export interface LoadedApplication {
  readonly strapi: Core.Strapi;
  /** What stands in config/plugins under each key, as it is written. */
  readonly plugins: Readonly<Record<string, WrittenPlugin | undefined>>;
  /** From where Strapi itself requires what it depends on. */
  readonly requireFromStrapi: NodeJS.Require;
}

export interface WrittenPlugin {
  readonly enabled?: boolean;
  readonly config?: unknown;
}

type WrittenPlugins = Readonly<Record<string, WrittenPlugin | undefined>>;

/** These would check, and fill in, what is to be looked at as it is written. */
const CACHE_PLUGINS = ['rest-cache', 'strapi-cache'];

/**
 * Loads an application as far as its configuration, content types, routes and handlers are known: with Strapi's own
 * loader, without a database, and without `register` and `bootstrap` of anybody's.
 *
 * @param distDir where the application's JavaScript lies.
 * @throws Error as Strapi does where the application does not load.
 */
export const loadApplication = async (appDir: string, distDir: string): Promise<LoadedApplication> => {
  process.env.STRAPI_TELEMETRY_DISABLED = 'true';
  const requireFromApp = createRequire(path.join(appDir, 'package.json'));
  const { createStrapi } = requireFromApp('@strapi/strapi') as typeof import('@strapi/strapi');
  const requireFromStrapi = requireOf(requireOf(requireFromApp, '@strapi/strapi'), '@strapi/core');
  const strapi = createStrapi({ appDir, distDir, autoReload: false });
  const plugins = withholdCachePlugins(distDir, requireFromStrapi);
  leaveOutWhatActs(strapi);
  await strapi.register();
  return { strapi, plugins, requireFromStrapi };
};

export const requireOf = (from: NodeJS.Require, name: string): NodeJS.Require =>
  createRequire(from.resolve(`${name}/package.json`));

/** As Strapi reads it, but that the cache plugins' keys are switched off for Strapi afterwards. */
const withholdCachePlugins = (distDir: string, requireFromStrapi: NodeJS.Require): WrittenPlugins => {
  const { env, importDefault } = requireFromStrapi('@strapi/utils') as {
    env: unknown;
    importDefault(file: string): unknown;
  };
  const { merge } = requireFromStrapi('lodash/fp') as { merge(...parts: WrittenPlugins[]): WrittenPlugins };
  const config = path.join(distDir, 'config');
  const files = [config, path.join(config, 'env', process.env.NODE_ENV ?? '')]
    .map((folder) => path.join(folder, 'plugins.js'))
    .filter((file) => existsSync(file));
  const written = files.map((file) => {
    const exported = importDefault(file) as WrittenPlugins | ((tools: { env: unknown }) => WrittenPlugins);
    const plugins = typeof exported === 'function' ? exported({ env }) : exported;
    const module = requireFromStrapi.cache[requireFromStrapi.resolve(file)];
    const off = CACHE_PLUGINS.filter((key) => Object.hasOwn(plugins, key)).map(
      (key) => [key, { enabled: false }] as const,
    );
    if (module !== undefined) module.exports = { ...plugins, ...Object.fromEntries<WrittenPlugin>(off) };
    return plugins;
  });
  return written.length === 2 ? merge(...written) : (written[0] ?? {});
};

/** By the names it had in Strapi 5.0 and has today. */
const LIFECYCLES = ['runLifecyclesFunctions', 'runPluginsLifecycles', 'runUserLifecycles'];

/** Code of the application's, its plugins' and Strapi's that acts: none of it is to run, and nobody gets a database. */
const leaveOutWhatActs = (strapi: Core.Strapi): void => {
  const loader = strapi as unknown as Record<string, unknown>;
  const lifecycles = LIFECYCLES.filter((name) => typeof loader[name] === 'function');
  if (lifecycles.length === 0) throw new Error('This version of Strapi is not known: nothing of it was run.');
  for (const name of lifecycles) loader[name] = (): Promise<void> => Promise.resolve();
  const get = strapi.get.bind(strapi) as (name: string, args?: unknown) => unknown;
  const admin = { ...(get('admin') as object), register: () => undefined };
  // Of a plugin's `register`, which would make them known.
  (get('custom-fields') as { get: unknown }).get = () => ({ type: 'string' });
  loader.get = (name: string, args?: unknown) => (name === 'db' ? nothing : name === 'admin' ? admin : get(name, args));
};

/** Whatever is asked of it. */
const nothing: unknown = new Proxy(() => nothing, {
  get: (_target, name) => (name === 'then' ? undefined : nothing),
});
