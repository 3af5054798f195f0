import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import type { Provider, ProviderEvents, ProviderSettings } from '../cache/provider';
import { ConfigurationError } from '../config/configuration-error';
import { isNear } from '../config/nearest-name';
import { missingFromProvider } from '../config/provider-instance';
import type { MemoryOptions } from '../config/provider-options';
import type { ResolvedConfig } from '../config/resolved-config';
import type { ProviderFactory } from '../config/user-config';
import { failClosed } from '../providers/fail-closed';
import { MemoryProvider } from '../providers/memory';
import { createRedisProvider, RedisOptionsError, withNamedConnection, type NamedConnections } from '../providers/redis';
import { databaseState, fingerprint } from './fingerprint';
import type { Obstacles } from './obstacles';

/**
 * Builds the configured provider.
 *
 * @param onError told of every failure of a provider of somebody else's that it does not report by rejecting.
 * @throws Error naming `provider.name` when no such provider can be loaded.
 */
export const createProvider = async (
  strapi: Core.Strapi,
  config: ResolvedConfig,
  obstacles: Obstacles,
  events: ProviderEvents,
  onError: (error: unknown) => void,
): Promise<Provider> => {
  const { name, instance, options, getTimeout } = config.provider;
  const noted = (digest: () => Promise<string>): Promise<string> =>
    obstacles.attempt("Strapi's note of its schema and migrations", digest, () => 'unknown');
  const database = await noted(() => databaseState(strapi));
  const roots = obstacles.attempt(
    "Strapi's list of directories",
    // What is TypeScript in `src` runs in `dist`; in an application without TypeScript both are the same.
    () => [strapi.dirs.dist.root, strapi.dirs.app.root],
    () => [process.cwd()],
  );
  if (instance === undefined && name === 'memory') {
    return new MemoryProvider({ ...(options as MemoryOptions), clock: systemClock, events });
  }
  const settings: ProviderSettings = {
    keysPrefix: config.strategy.keysPrefix,
    getTimeout,
    fingerprint: await noted(() => fingerprint(strapi, config)),
    database,
    events,
  };
  if (instance === undefined && name === 'redis') {
    try {
      return createRedisProvider(withNamedConnection(options, redisConnections(strapi)), settings, systemClock);
    } catch (error) {
      throw error instanceof RedisOptionsError ? new ConfigurationError([error.message]) : error;
    }
  }
  const custom = instance ?? loadFactory(name, roots);
  const provider = typeof custom === 'function' ? await made(custom, name, options, settings) : custom;
  const missing = missingFromProvider(Object(provider) as object);
  if (missing.length > 0) throw new Error(`rest-cache: the provider "${name}" has no ${missing.join(', ')}`);
  return failClosed(provider, getTimeout, onError);
};

/** The plugin `redis` puts them there when it is registered, which is before content types are ready. */
const redisConnections = (strapi: Core.Strapi): NamedConnections | undefined =>
  (strapi as { redis?: { connections?: NamedConnections } }).redis?.connections;

/** A module may well be there and be something else: `ioredis` exports a class. */
const made = async (
  factory: ProviderFactory,
  name: string,
  options: ResolvedConfig['provider']['options'],
  settings: ProviderSettings,
): Promise<Provider> => {
  try {
    return await factory(options, settings);
  } catch (error) {
    throw new Error(
      `rest-cache: provider.name "${name}": createProvider(options, settings) has failed${didYouMean(name)}: ${String(error)}`,
      { cause: error },
    );
  }
};

const didYouMean = (name: string): string => {
  const near = ['memory', 'redis'].find((builtIn) => isNear(name, builtIn));
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
};

const loadFactory = (name: string, roots: readonly string[]): ProviderFactory => {
  let loaded: unknown;
  try {
    loaded = createRequire(resolve(roots.at(-1) ?? '', 'package.json'))(
      name.startsWith('.') ? fileOf(name, roots) : name,
    );
  } catch (error) {
    throw new Error(
      `rest-cache: provider.name "${name}" is neither "memory" nor "redis" nor a module that can be loaded${didYouMean(name)}: ${String(error)}`,
    );
  }
  for (const candidate of [loaded, property(loaded, 'createProvider'), property(loaded, 'default')]) {
    if (typeof candidate === 'function') return candidate as ProviderFactory;
  }
  throw new Error(`rest-cache: the module "${name}" exports no function createProvider(options, settings)`);
};

/** The file at a path relative to one of the roots, the first that has it. */
const fileOf = (name: string, roots: readonly string[]): string => {
  const files = roots.map((root) => resolve(root, name.replace(/\.ts$/, '.js')));
  const found = files.find((file) => {
    try {
      return createRequire(file).resolve(file) !== '';
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`there is no ${[...new Set(files)].join(' and no ')}`);
  return found;
};

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
