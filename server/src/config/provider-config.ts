import type { MaybePromise, Provider, ProviderSettings } from '../cache/provider';
import type { OptionsOf } from './provider-options';

/** Creates a provider from `provider.options` and the plugin's settings. Called once, at boot. */
export type ProviderFactory = (
  options: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
) => MaybePromise<Provider>;

interface AnyProviderConfig {
  /**
   * Milliseconds one operation of the store may take before Strapi answers instead.
   * @default 500
   */
  getTimeout?: number;
  /**
   * @deprecated Has no effect: write `options.maxSize`.
   * @default none
   */
  max?: number;
}

/** A provider given by its name, which determines its options. */
export interface NamedProviderConfig<Name extends string = string> extends AnyProviderConfig {
  /**
   * `'memory'`, `'redis'`, the path of a module from the application's root, or the name of a package.
   * @default 'memory'
   */
  name?: Name;
  /**
   * A provider of your own, instead of `name`.
   * @default none
   */
  instance?: undefined;
  /**
   * Passed unchanged to the provider. May hold credentials: never logged, never returned by a route.
   * @default {}
   */
  options?: OptionsOf<NoInfer<Name>>;
}

/** A provider of your own that the configuration passes in as an object or a function. */
export interface GivenProviderConfig extends AnyProviderConfig {
  /**
   * Must not be set beside `instance`.
   * @default none
   */
  name?: undefined;
  /**
   * A provider, or a function that makes one from `options` and the plugin's settings. Instead of `name`.
   * @default none
   * @see docs/custom-providers.md
   */
  instance: Provider | ProviderFactory;
  /**
   * Passed to `instance` if that is a function.
   * @default {}
   */
  options?: Readonly<Record<string, unknown>>;
}

/** Where cached responses are held: a provider by its name, or a provider itself. */
export type ProviderConfig<Name extends string = string> = NamedProviderConfig<Name> | GivenProviderConfig;
