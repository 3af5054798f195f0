import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import type { Provider, ProviderEvents, ProviderSettings } from '../cache/provider';
import { missingFromProvider } from '../config/missing-from-provider';
import type { MemoryOptions } from '../config/provider-options';
import type { ResolvedConfig } from '../config/resolved-config';
import type { ProviderFactory } from '../config/provider-config';
import { refuseUnsetAddress } from '../config/unset-address';
import { failClosed, provenEvents } from '../providers/fail-closed';
import { MemoryProvider } from '../providers/memory';
import { withNamedConnection, type NamedConnections } from '../providers/redis/options';
import { RedisProvider } from '../providers/redis/redis-provider';
import { databaseState, fingerprint } from './fingerprint';
import type { Obstacles } from './obstacles';
import { didYouMean, loadFactory, wrongProvider } from './provider-factory';

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
  const provider =
    typeof custom === 'function'
      ? await made(custom, config.provider, { ...settings, events: provenEvents(events) })
      : custom;
  const missing = missingFromProvider(Object(provider) as object);
  if (missing.length > 0) throw wrongProvider(config.provider, `the provider has no ${missing.join(', ')}`);
  return failClosed(provider, getTimeout, onError);
};

/** The connections of the plugin `redis`, which opens them in its `register`, before content types are ready. */
const redisConnections = (strapi: Core.Strapi): NamedConnections | undefined =>
  (strapi as { redis?: { connections?: NamedConnections } }).redis?.connections;

/** Calls the factory. A module that could be loaded may still be no provider: `ioredis` exports a class. */
const made = async (
  factory: ProviderFactory,
  provider: ResolvedConfig['provider'],
  settings: ProviderSettings,
): Promise<Provider> => {
  const { name, instance, options } = provider;
  try {
    return await factory(options, settings);
  } catch (error) {
    const what =
      instance === undefined ? `createProvider(options, settings) has failed${didYouMean(name)}` : 'it has failed';
    throw wrongProvider(provider, `${what}: ${String(error)}`);
  }
};
