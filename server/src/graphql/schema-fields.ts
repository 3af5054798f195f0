import type { Core } from '@strapi/strapi';
import type { SelectedField } from './selected-fields';

/**
 * `own`: resolved by code of Strapi's alone. `guarded`: policies or middlewares of the application may stand in front of
 * it. `custom`: resolved by other code.
 */
export type FieldKind = 'own' | 'custom' | 'guarded';

/** What stands behind a field of the application's GraphQL schema. */
export type FieldKinds = (field: SelectedField) => FieldKind;

/** What code has added to the schema, in the form that `extension.generate` of the plugin returns. */
interface Extension {
  /** Definitions of Nexus, in lists and objects of any depth. */
  readonly types: readonly unknown[];
  readonly plugins: ReadonlyArray<{ readonly config?: { readonly name?: unknown } }>;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly resolversConfig: Readonly<
    Record<string, { readonly policies?: readonly unknown[]; readonly middlewares?: readonly unknown[] } | undefined>
  >;
}

interface ExtensionService {
  generate(context: { readonly typeRegistry: unknown }): Extension;
}

/** The plugin of Nexus by which Strapi's i18n adds arguments. Any other may put code in front of every field. */
const OF_I18N = 'I18NLocaleArg';

/** @throws Error if `@strapi/plugin-graphql` does not look as expected. */
export const fieldKinds = (strapi: Core.Strapi): FieldKinds => {
  const plugin = strapi.plugin('graphql');
  const typeRegistry = plugin.service<{ readonly new: () => unknown }>('type-registry').new();
  const extension = plugin.service<ExtensionService>('extension').generate({ typeRegistry });
  const { plugins, resolvers, resolversConfig } = extension;
  const areAllGuarded = plugins.some(({ config }) => config?.name !== OF_I18N);
  // Code that extends a type by Nexus may have replaced any of its fields.
  const byNexus = new Set(namesIn(extension.types));
  return ({ parentType, fieldName }) => {
    // Resolved by graphql-js.
    if (fieldName.startsWith('__')) return 'own';
    const { policies = [], middlewares = [] } = resolversConfig[`${parentType.name}.${fieldName}`] ?? {};
    if (areAllGuarded || policies.length + middlewares.length > 0) return 'guarded';
    if (resolvers[parentType.name]?.[fieldName] !== undefined) return 'custom';
    if (parentType.name !== 'Query') return byNexus.has(parentType.name) ? 'custom' : 'own';
    // Strapi's own plugins extend this type, too. The fields that are made of content types are marked.
    const { strapi: mark } = (parentType.getFields()[fieldName]?.extensions ?? {}) as {
      strapi?: { contentType?: unknown };
    };
    return mark?.contentType === undefined ? 'custom' : 'own';
  };
};

/** The names of the types that definitions of Nexus make or extend. */
const namesIn = (types: unknown): string[] => {
  if (typeof types !== 'object' || types === null) return [];
  const { name } = types as { readonly name?: unknown };
  return typeof name === 'string' ? [name] : Object.values(types).flatMap(namesIn);
};
