import { isAbsolute, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { systemClock } from '../cache/clock';
import { missingFromProvider } from '../config/provider-instance';
import type { ResolvedProvider } from '../config/resolved-config';
import type { ProviderFactory } from '../config/user-config';
import type { Provider, ProviderSettings } from '../cache/provider';
import { FailClosedProvider } from '../providers/fail-closed';
import { MemoryProvider } from '../providers/memory';
import { createRedisProvider, withNamedConnection, type NamedConnections } from '../providers/redis';

/** What an application has that a provider may be made of. */
export interface ProviderSurroundings {
  /** The application's folder, from which a module path is resolved. */
  readonly root: string;
  /** What the plugin `redis` has opened, where the application has that plugin. */
  readonly redisConnections: NamedConnections | undefined;
}

/**
 * Builds the configured provider.
 *
 * @param onError told of every failure of a provider of somebody else's that it does not report by rejecting.
 * @throws Error naming `provider.name` when no such provider can be loaded.
 */
export const createProvider = async (
  { name, instance, options }: ResolvedProvider,
  settings: ProviderSettings,
  surroundings: ProviderSurroundings,
  onError: (error: unknown) => void,
): Promise<Provider> => {
  if (instance === undefined && name === 'memory') {
    return new MemoryProvider({ ...(options as MemoryOptions), clock: systemClock, events: settings.events });
  }
  if (instance === undefined && name === 'redis') {
    return createRedisProvider(withNamedConnection(options, surroundings.redisConnections), settings, systemClock);
  }
  const custom = instance ?? loadFactory(name, surroundings.root);
  const provider = typeof custom === 'function' ? await custom(options, settings) : custom;
  const missing = missingFromProvider(Object(provider) as object);
  if (missing.length > 0) throw new Error(`rest-cache: the provider "${name}" has no ${missing.join(', ')}`);
  return new FailClosedProvider(provider, settings.getTimeout, onError);
};

interface MemoryOptions {
  readonly maxSize?: number;
  readonly maxBytes?: number;
}

const loadFactory = (name: string, appRoot: string): ProviderFactory => {
  const requireFromApp = createRequire(resolve(appRoot, 'package.json'));
  let loaded: unknown;
  try {
    loaded = requireFromApp(name.startsWith('.') && !isAbsolute(name) ? resolve(appRoot, name) : name);
  } catch (error) {
    throw new Error(
      `rest-cache: provider.name "${name}" is neither "memory" nor "redis" nor a module that can be loaded: ${String(error)}`,
    );
  }
  for (const candidate of [loaded, property(loaded, 'createProvider'), property(loaded, 'default')]) {
    if (typeof candidate === 'function') return candidate as ProviderFactory;
  }
  throw new Error(`rest-cache: the module "${name}" exports no function createProvider(options, settings)`);
};

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
