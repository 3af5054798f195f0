import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '@strapi/strapi';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { inLaneUnderTest } from './lane-under-test';
import { onProviderUnderTest, providerUnderTest } from './provider-under-test';
import { COMPILED, PLAYGROUND, SECRETS, TEMPLATE_DATABASE, TEMPLATE_PUBLIC, WORK } from './paths';

export interface ApplicationSettings {
  /** The directory of another application than the playground. It must be plain JavaScript, and runs in place. */
  readonly directory?: string;
  /** The plugin's configuration. Default: the playground's own. */
  readonly restCache?: RestCacheConfig;
  /** Compiled files to add or replace, by their path in `dist` (such as `config/middlewares.js`). */
  readonly files?: Readonly<Record<string, string>>;
  /** A SQLite file to use in place. Default: a copy of the seeded one. */
  readonly sqlite?: string;
  readonly publicDirectory?: string;
  /** Serves the admin panel as `strapi build` left it in the playground. Default `false`. */
  readonly adminPanel?: boolean;
  /** Environment variables of the application, for example for another database. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Prefix of the keys in Redis, for applications that share them when Redis is under test. */
  readonly keyPrefix?: string;
  /** Koa is called by a server of the application's own, and Strapi's never listens. Default `false`. */
  readonly ownServer?: boolean;
  /** Called with the Strapi object before it is loaded. */
  readonly beforeLoad?: (strapi: Core.Strapi) => void;
}

export interface Application {
  readonly strapi: Core.Strapi;
  readonly origin: string;
  /** The lines logged at `warn` and `error`. */
  readonly warnings: string[];
  /** The lines logged at `info` and above. */
  readonly logs: string[];
  /** The lines logged for requests. */
  readonly requests: string[];
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends one GET, and returns its `X-Cache` and its body among other things. */
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; cache: string | null; body: string; headers: Headers }>;
  stop(): Promise<void>;
}

// Strapi's ES module build loads only in a bundler.
const { createStrapi } = createRequire(import.meta.url)('@strapi/strapi') as typeof import('@strapi/strapi');

/** Configurations hold functions, so they are passed to the application in memory. */
const handOver = Symbol.for('rest-cache-tests');
const handedOver = ((globalThis as Record<symbol, unknown>)[handOver] ??= {}) as Record<string, RestCacheConfig>;

/** An application's files on the disk. */
interface OnDisk {
  readonly appDir: string;
  readonly distDir: string;
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

const asItIs = (directory: string): OnDisk => ({
  appDir: directory,
  distDir: directory,
  environment: {},
  remove: () => undefined,
});

/** A copy of the compiled playground with the additions of a test. */
const ofPlayground = async (settings: ApplicationSettings): Promise<OnDisk> => {
  const id = randomUUID();
  const directory = path.join(WORK, id);
  const dist = path.join(directory, 'dist');
  const publicDirectory = settings.publicDirectory ?? path.join(directory, 'public');
  mkdirSync(dist, { recursive: true });
  for (const part of ['config', 'src']) cpSync(path.join(COMPILED, part), path.join(dist, part), { recursive: true });
  if (settings.adminPanel === true) symlinkSync(path.join(PLAYGROUND, 'dist', 'build'), path.join(dist, 'build'));
  if (settings.publicDirectory === undefined) cpSync(TEMPLATE_PUBLIC, publicDirectory, { recursive: true });
  let { sqlite } = settings;
  if (sqlite === undefined) {
    sqlite = path.join(directory, 'data.db');
    cpSync(TEMPLATE_DATABASE, sqlite);
  }
  extend(dist, 'server', `{ ...base, port: 0, dirs: { public: ${JSON.stringify(publicDirectory)} } }`);
  // Strapi counts the logins of an admin in the process, for all applications of a file.
  extend(dist, 'admin', '{ ...base, rateLimit: { enabled: false } }');
  if (settings.restCache !== undefined) {
    handedOver[id] = await onProviderUnderTest(inLaneUnderTest(settings.restCache), settings.keyPrefix);
    const config = `globalThis[Symbol.for('rest-cache-tests')][${JSON.stringify(id)}]`;
    // Loading the plugin would make every boot longer.
    const graphql = settings.restCache.strategy?.graphql !== undefined;
    extend(
      dist,
      'plugins',
      `{ ...base, graphql: { ...base.graphql, enabled: ${graphql} }, 'rest-cache': { enabled: true, config: ${config} } }`,
    );
  }
  for (const [name, content] of Object.entries(settings.files ?? {})) {
    mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    writeFileSync(path.join(dist, name), content);
  }
  return {
    appDir: PLAYGROUND,
    distDir: dist,
    environment: { DATABASE_FILENAME: sqlite },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
};

/** `scripts/test.mjs` prints how many applications a group has booted. */
const countBoot = (): void => {
  const file = process.env.REST_CACHE_TEST_BOOTS;
  if (file !== undefined) appendFileSync(file, 'boot\n');
};

/** Boots the playground, compiled and seeded by prepare.ts, in this process and on a free port. */
export const startApplication = async (settings: ApplicationSettings = {}): Promise<Application> => {
  const { appDir, distDir, environment, remove } =
    settings.directory === undefined ? await ofPlayground(settings) : asItIs(settings.directory);
  countBoot();
  Object.assign(process.env, SECRETS, environment, { STRAPI_TELEMETRY_DISABLED: 'true' }, settings.environment);
  const strapi = createStrapi({ appDir, distDir, serveAdminPanel: settings.adminPanel === true });
  const logs: string[] = [];
  const warnings: string[] = [];
  const requests: string[] = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    strapi.log[level] = ((message: unknown) => {
      const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
      logs.push(text);
      if (level !== 'info') warnings.push(text);
      return strapi.log;
    }) as never;
  }
  strapi.log.http = ((line: string) => (requests.push(line), strapi.log)) as never;
  settings.beforeLoad?.(strapi);
  try {
    await strapi.load();
    if (settings.ownServer !== true) await strapi.listen();
    await untilStoreIsUp(strapi);
  } catch (error) {
    await destroy(strapi).catch(() => undefined);
    remove();
    throw error;
  }
  const ownServer = settings.ownServer === true ? await ownServerOf(strapi) : undefined;
  const server = ownServer ?? strapi.server.httpServer;
  // On a busy machine, a connection would be closed just as the test uses it again.
  server.keepAliveTimeout = 10 * 60_000;
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const request = (target: string, init?: RequestInit): Promise<Response> => fetch(origin + target, init);
  return {
    strapi,
    origin,
    warnings,
    logs,
    requests,
    request,
    async get(target, headers = {}) {
      const response = await request(target, { headers });
      return {
        status: response.status,
        cache: response.headers.get('x-cache'),
        body: await response.text(),
        headers: response.headers,
      };
    },
    async stop() {
      ownServer?.close();
      await destroy(strapi);
      remove();
    },
  };
};

const ownServerOf = async ({ server }: Core.Strapi): Promise<Server> => {
  server.mount();
  const own = createServer(server.app.callback()).listen(0, '127.0.0.1');
  await once(own, 'listening');
  return own;
};

/** The plugin's boot does not wait for Redis; tests have to. */
const untilStoreIsUp = async (strapi: Core.Strapi): Promise<void> => {
  const isUp = (): boolean => strapi.plugin('rest-cache').service<{ ready: boolean }>('cacheStore').ready;
  if (providerUnderTest() === 'memory' || strapi.plugins['rest-cache'] === undefined) return;
  for (let attempt = 0; attempt < 100 && !isUp(); attempt += 1) await delay(50);
};

interface Pool {
  numUsed(): number;
  numPendingAcquires(): number;
}

/**
 * Strapi leaves some statements un-awaited. Those that still wait for a connection when the pool is destroyed are
 * rejected, and nobody listens.
 */
const untilDatabaseIsIdle = async (strapi: Core.Strapi): Promise<void> => {
  const { pool } = (strapi.db?.connection.client ?? {}) as { readonly pool?: Pool };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (pool === undefined || pool.numPendingAcquires() + pool.numUsed() === 0) return;
    await delay(50);
  }
};

/** Strapi's `destroy` removes every listener of the process, including those of the test runner. */
const destroy = async (strapi: Core.Strapi): Promise<void> => {
  // A boot that stopped early has no database.
  await untilDatabaseIsIdle(strapi).catch(() => undefined);
  const { removeAllListeners } = process;
  process.removeAllListeners = () => process;
  try {
    await strapi.destroy();
  } finally {
    process.removeAllListeners = removeAllListeners;
  }
};

/** Replaces a configuration file by one that extends the playground's own. */
const extend = (dist: string, name: string, expression: string): void => {
  const file = path.join(dist, 'config', `${name}.js`);
  renameSync(file, path.join(dist, `playground-${name}.js`));
  writeFileSync(
    file,
    `const own = require('../playground-${name}.js').default;\nmodule.exports = (context) => { const base = own(context); return ${expression}; };\n`,
  );
};
