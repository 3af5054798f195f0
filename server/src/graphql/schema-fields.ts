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

type NameOf = (model: Model) => string;
type Naming = Readonly<Record<string, NameOf | undefined>>;

/** What the application has added to the schema, in the form that `extension.generate` of the plugin returns. */
interface Extension {
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly resolversConfig: Readonly<
    Record<string, { readonly policies?: readonly unknown[]; readonly middlewares?: readonly unknown[] } | undefined>
  >;
}

interface GraphqlPlugin {
  service(name: 'extension'): { generate(context: { readonly typeRegistry: unknown }): Extension };
  service(name: 'type-registry'): { new (): unknown; new (): unknown };
  service(name: 'utils'): { readonly naming: Naming };
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

/** What stands behind each field of the application's GraphQL schema. */
export class SchemaFields {
  readonly #extension: Extension;
  /** By the name of a type, its fields that Strapi resolves; `undefined` in the place of the list for all. */
  readonly #own = new Map<string, ReadonlySet<string> | undefined>();
  readonly #kinds = new WeakMap<FieldInfo['parentType'], Map<string, FieldKind>>();

  /** @throws Error if `@strapi/plugin-graphql` does not look as expected. */
  constructor(strapi: Core.Strapi) {
    const plugin = strapi.plugin('graphql') as unknown as GraphqlPlugin;
    const registry = plugin.service('type-registry') as unknown as { readonly new: () => unknown };
    this.#extension = plugin.service('extension').generate({ typeRegistry: registry.new() });
    const { naming } = plugin.service('utils');
    for (const name of OTHER_TYPES) this.#own.set(name, undefined);
    const note = (model: Model, name: string | undefined): void => {
      const fields = Object.keys(model.attributes).flatMap((attribute) => [attribute, `${attribute}_connection`]);
      if (name !== undefined) this.#own.set(name, new Set([...fields, 'documentId', 'id']));
    };
    for (const model of Object.values(strapi.components as unknown as Record<string, Model>))
      note(model, naming.getComponentName?.(model));
    for (const model of Object.values(strapi.contentTypes as unknown as Record<string, Model>)) {
      note(model, naming.getTypeName?.(model));
      for (const wrapper of WRAPPERS) {
        const name = naming[wrapper]?.(model);
        if (name !== undefined) this.#own.set(name, undefined);
      }
    }
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
    if (policies.length + middlewares.length > 0) return 'guarded';
    if (resolvers[parentType.name]?.[name] !== undefined) return 'custom';
    if (parentType.name === 'Query')
      return OTHER_ROOTS.has(name) || parentType.getFields()[name]?.extensions?.strapi?.contentType !== undefined
        ? 'own'
        : 'custom';
    if (!this.#own.has(parentType.name)) return 'custom';
    return this.#own.get(parentType.name)?.has(name) === false ? 'custom' : 'own';
  }
}
