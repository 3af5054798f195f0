import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { ConfigurationError } from '../config/configuration-error';
import { isNear } from '../config/nearest-name';
import type { ProviderFactory } from '../config/provider-config';
import type { ResolvedProvider } from '../config/resolved-config';
import { BUILT_IN_PROVIDERS } from '../config/schema';

/** A URL may hold a password. */
const URL_AS_NAME =
  'provider.name is a URL; write provider.name: "redis", and the URL into provider.options.connection.';

export const wrongProvider = (
  { name, instance }: Pick<ResolvedProvider, 'name' | 'instance'>,
  problem: string,
): ConfigurationError =>
  new ConfigurationError([`${instance === undefined ? `provider.name "${name}"` : 'provider.instance'}: ${problem}.`]);

/** Servers and services that understand the commands of Redis. */
const SPEAKS_REDIS = /^(?:valkey|keydb|dragonfly(?:db)?|elasticache|memorydb|upstash)$/i;

export const didYouMean = (name: string): string => {
  const near = BUILT_IN_PROVIDERS.find((builtIn) => isNear(name, builtIn));
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
};

/**
 * Loads the function `createProvider` of a custom provider.
 *
 * @param name a package, or a file relative to the application (`./src/cache`).
 * @param roots the application's directories in which such a file may be.
 * @throws ConfigurationError if there is no such module, or it exports no function.
 */
export const loadFactory = (name: string, roots: readonly string[]): ProviderFactory => {
  if (/^[a-z+]+:\/\//i.test(name)) throw new ConfigurationError([URL_AS_NAME]);
  const provider = { name, instance: undefined };
  let loaded: unknown;
  try {
    loaded = createRequire(resolve(roots.at(-1) ?? '', 'package.json'))(
      name.startsWith('.') ? fileOf(name, roots) : name,
    );
  } catch (error) {
    const [reason = ''] = String(error).split('\nRequire stack:', 1);
    throw wrongProvider(
      provider,
      SPEAKS_REDIS.test(name)
        ? 'it understands what Redis does; write provider.name: "redis"'
        : `neither "memory" nor "redis" nor a module that can be loaded${didYouMean(name)}: ${reason}`,
    );
  }
  const exported = Object(loaded) as Readonly<Record<string, unknown>>;
  const factory = [loaded, exported.createProvider, exported.default].find((each) => typeof each === 'function');
  if (factory !== undefined) return factory as ProviderFactory;
  throw wrongProvider(provider, 'the module exports no function createProvider(options, settings)');
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
