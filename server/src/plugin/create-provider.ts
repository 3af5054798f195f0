import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import type { Provider, ProviderEvents, ProviderSettings } from '../cache/provider';
import { ConfigurationError } from '../config/configuration-error';
import { isNear } from '../config/nearest-name';
import { missingFromProvider } from '../config/missing-from-provider';
import type { MemoryOptions } from '../config/provider-options';
import type { ResolvedConfig } from '../config/resolved-config';
import type { ProviderFactory } from '../config/provider-config';
import { refuseUnsetAddress } from '../config/unset-address';
import { failClosed } from '../providers/fail-closed';
import { MemoryProvider } from '../providers/memory';
import { withNamedConnection, type NamedConnections } from '../providers/redis/options';
import { RedisProvider } from '../providers/redis/redis-provider';
import { databaseState, fingerprint } from './fingerprint';
import type { Obstacles } from './obstacles';

/**
 * Builds the configured provider.
 *
 * @param onError called with the failures of a custom provider that `failClosed` handles instead of rejecting.
 * @throws ConfigurationError if no such provider can be loaded, and for wrong options of the Redis provider.
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
    // TypeScript in `src` is run from `dist`. In an application without TypeScript, both are the same directory.
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
    const connected = withNamedConnection(options, redisConnections(strapi));
    refuseUnsetAddress(connected, strapi.config.get('environment'));
    return new RedisProvider(connected, settings, systemClock);
  }
  const custom = instance ?? loadFactory(name, roots);
  const provider = typeof custom === 'function' ? await made(custom, config.provider, settings) : custom;
  const missing = missingFromProvider(Object(provider) as object);
  if (missing.length > 0) throw wrongProvider(name, `the provider has no ${missing.join(', ')}`);
  return failClosed(provider, getTimeout, onError);
};

/** The connections of the plugin `redis`, which opens them in its `register`, before content types are ready. */
const redisConnections = (strapi: Core.Strapi): NamedConnections | undefined =>
  (strapi as { redis?: { connections?: NamedConnections } }).redis?.connections;

/** Calls the factory. A module that could be loaded may still be no provider: `ioredis` exports a class. */
const made = async (
  factory: ProviderFactory,
  { name, options }: ResolvedConfig['provider'],
  settings: ProviderSettings,
): Promise<Provider> => {
  try {
    return await factory(options, settings);
  } catch (error) {
    throw wrongProvider(name, `createProvider(options, settings) has failed${didYouMean(name)}: ${String(error)}`);
  }
};

const wrongProvider = (name: string, problem: string): ConfigurationError =>
  new ConfigurationError([`provider.name "${name}": ${problem}.`]);

/** Servers and services that understand the commands of Redis. */
const SPEAKS_REDIS = /^(?:valkey|keydb|dragonfly(?:db)?|elasticache|memorydb|upstash)$/i;

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
    const [reason = ''] = String(error).split('\nRequire stack:', 1);
    throw wrongProvider(
      name,
      SPEAKS_REDIS.test(name)
        ? 'it understands what Redis does; write provider.name: "redis"'
        : `neither "memory" nor "redis" nor a module that can be loaded${didYouMean(name)}: ${reason}`,
    );
  }
  const exported = Object(loaded) as Readonly<Record<string, unknown>>;
  const factory = [loaded, exported.createProvider, exported.default].find((each) => typeof each === 'function');
  if (factory !== undefined) return factory as ProviderFactory;
  throw wrongProvider(name, 'the module exports no function createProvider(options, settings)');
};

/** Resolves a relative path to a file, in the first of the roots that has it. */
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
