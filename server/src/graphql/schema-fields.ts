import type { Core } from '@strapi/strapi';
import type { FieldInfo } from './apollo';

/**
 * `own`: resolved by code of Strapi's alone. `guarded`: policies or middlewares of the application stand in front of it
 * (`resolversConfig`). `custom`: resolved by other code.
 */
export type FieldKind = 'own' | 'custom' | 'guarded';

interface Model {
  readonly uid: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Naming = Readonly<Record<string, ((model: Model) => string) | undefined>>;

/** What the application has added to the schema, in the form that `extension.generate` of the plugin returns. */
interface Extension {
  /** Definitions of Nexus, in lists of any depth. */
  readonly types: readonly unknown[];
  readonly plugins: ReadonlyArray<{ readonly config?: { readonly onCreateFieldResolver?: unknown } }>;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly resolversConfig: Readonly<
    Record<string, { readonly policies?: readonly unknown[]; readonly middlewares?: readonly unknown[] } | undefined>
  >;
}

interface ExtensionService {
  generate(context: { readonly typeRegistry: unknown }): Extension;
}

/** Root fields of Strapi's plugins that belong to no content type. */
const OTHER_ROOTS: ReadonlySet<string> = new Set(['me', 'i18NLocales']);

/** Types of Strapi's that belong to no content type. */
const OTHER_TYPES: readonly string[] = ['Pagination', 'ResponseCollectionMeta', 'I18NLocale'];

/** Names of the types that Strapi makes for a content type besides the one that holds its attributes. */
const WRAPPERS: readonly string[] = [
  'getEntityResponseName',
  'getEntityResponseCollectionName',
  'getRelationResponseCollectionName',
];

/** The fields that Strapi makes of a model's attributes. */
const fieldsOf = ({ attributes }: Model): ReadonlySet<string> =>
  new Set(['id', 'documentId', ...Object.keys(attributes).flatMap((name) => [name, `${name}_connection`])]);

/** What stands behind each field of the application's GraphQL schema. */
export class SchemaFields {
  readonly #extension: Extension;
  /** By the name of a type, its fields that Strapi resolves; `undefined` in the place of the list for all. */
  readonly #own = new Map<string, ReadonlySet<string> | undefined>();
  /** Whether a plugin of Nexus may stand in front of each field. */
  readonly #areAllGuarded: boolean;
  readonly #kinds = new WeakMap<FieldInfo['parentType'], Map<string, FieldKind>>();

  /** @throws Error if `@strapi/plugin-graphql` does not look as expected. */
  constructor(strapi: Core.Strapi) {
    const plugin = strapi.plugin('graphql');
    const registry = plugin.service<{ readonly new: () => unknown }>('type-registry');
    this.#extension = plugin.service<ExtensionService>('extension').generate({ typeRegistry: registry.new() });
    const { naming } = plugin.service<{ readonly naming: Naming }>('utils');
    const { types, plugins } = this.#extension;
    this.#areAllGuarded = plugins.some(({ config }) => config?.onCreateFieldResolver !== undefined);
    const nameOf = (kind: string, model: Model): string => naming[kind]?.(model) ?? '';
    for (const name of OTHER_TYPES) this.#own.set(name, undefined);
    for (const model of Object.values(strapi.components as unknown as Record<string, Model>))
      this.#own.set(nameOf('getComponentName', model), fieldsOf(model));
    for (const model of Object.values(strapi.contentTypes as unknown as Record<string, Model>)) {
      this.#own.set(nameOf('getTypeName', model), fieldsOf(model));
      for (const wrapper of WRAPPERS) this.#own.set(nameOf(wrapper, model), undefined);
    }
    // A type that is extended by Nexus may have any of its fields replaced.
    for (const type of types.flat(Infinity)) this.#own.delete(String((type as { readonly name?: unknown }).name));
  }

  kindOf({ parentType, fieldName }: FieldInfo): FieldKind {
    let kinds = this.#kinds.get(parentType);
    if (kinds === undefined) this.#kinds.set(parentType, (kinds = new Map<string, FieldKind>()));
    let kind = kinds.get(fieldName);
    if (kind === undefined) kinds.set(fieldName, (kind = this.#find(parentType, fieldName)));
    return kind;
  }

  #find(parentType: FieldInfo['parentType'], name: string): FieldKind {
    const { resolvers, resolversConfig } = this.#extension;
    const { policies = [], middlewares = [] } = resolversConfig[`${parentType.name}.${name}`] ?? {};
    if (this.#areAllGuarded || policies.length + middlewares.length > 0) return 'guarded';
    if (resolvers[parentType.name]?.[name] !== undefined) return 'custom';
    if (parentType.name === 'Query')
      return OTHER_ROOTS.has(name) || parentType.getFields()[name]?.extensions?.strapi?.contentType !== undefined
        ? 'own'
        : 'custom';
    if (!this.#own.has(parentType.name)) return 'custom';
    return this.#own.get(parentType.name)?.has(name) === false ? 'custom' : 'own';
  }
}
