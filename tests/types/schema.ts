/**
 * Compiles only if the schema that checks a configuration and the types that users see have the same options with the
 * same values. The types are not derived from the schema: the declarations in the package may not name zod, and
 * TypeScript leaves the comments out of what it infers.
 */
import type { RestCacheConfig } from '../../server/src/config/define-config';
import type { WrittenConfig } from '../../server/src/config/schema';

/** The paths of all options: an optional one may be missing from a type, and the type is assignable all the same. */
type OptionsOf<T> = T extends string | ((...passed: never) => unknown)
  ? never
  : T extends ReadonlyArray<infer Element>
    ? OptionsOf<Element>
    : T extends object
      ? { [Name in keyof T & string]-?: Name | `${Name}.${OptionsOf<T[Name]>}` }[keyof T & string]
      : never;

type Same<One extends Other, Other extends Back, Back = One> = [One, Back];

/** The schema has one object for a provider, and the types have a union: either a name or an instance. */
type WithoutProvider<Config> = Omit<Config, 'provider'>;
type ProviderOptions<Config extends { provider?: unknown }> = keyof NonNullable<Config['provider']>;

export type Compared = [
  Same<OptionsOf<WithoutProvider<WrittenConfig>>, OptionsOf<WithoutProvider<RestCacheConfig>>>,
  Same<WithoutProvider<WrittenConfig>, WithoutProvider<RestCacheConfig>>,
  Same<ProviderOptions<WrittenConfig>, ProviderOptions<RestCacheConfig>>,
];
