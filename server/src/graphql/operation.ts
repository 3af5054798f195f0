import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { because, type Reason } from '../cache/response-cache';
import { said } from '../cache/sentence';
import type { FieldKinds } from './schema-fields';
import { type Node, type SelectedField, selectedFields } from './selected-fields';

/** Longest name of an operation, in characters, under which it is counted and shown. */
const MAX_NAME = 150;

/** Operations that are counted by their names. */
const MAX_NAMES = 200;

export interface OperationSettings {
  readonly layer: { readonly path: string };
  /** `repeatable`: whether fields with policies or middlewares are declared so. */
  readonly settings: { readonly repeatable: boolean };
  readonly kindOf: FieldKinds;
}

/** What is known of one operation of one document since Apollo Server has parsed and validated it in this process. */
export class Operation {
  readonly #settings: OperationSettings;
  readonly #names: Set<string>;
  #name: string | undefined;
  /** Why its answers are never stored; `undefined` if they may be, or if nothing is known of it yet. */
  never: Reason | undefined;
  /** Whether it selects a field that code other than Strapi's resolves. */
  hasCustom = false;

  /** @param names of all operations: callers choose them, and each is counted on its own. */
  constructor(settings: OperationSettings, names: Set<string>) {
    this.#settings = settings;
    this.#names = names;
  }

  get isKnown(): boolean {
    return this.#name !== undefined;
  }

  /** The endpoint, with the operation's name and its root fields: `/graphql Home { articles, homepage }`. */
  get line(): string {
    const { path } = this.#settings.layer;
    return this.#name === undefined ? path : `${path} ${this.#name}`;
  }

  learn(asked: OperationDefinitionNode, definitions: readonly Node[], schema: GraphQLSchema): void {
    const root = schema.getRootType(asked.operation);
    const fields = root ? selectedFields(asked, root, definitions, schema) : [];
    const roots = new Set(fields.flatMap(({ parentType, fieldName }) => (parentType === root ? fieldName : [])));
    const kind: string = asked.operation;
    const named = [...(kind === 'query' ? [] : [kind]), ...(asked.name === undefined ? [] : [asked.name.value])];
    const full = [...named, `{ ${[...roots].join(', ')} }`].join(' ');
    const shown = full.length > MAX_NAME ? `${full.slice(0, MAX_NAME)}…` : full;
    this.#name = this.#names.size < MAX_NAMES || this.#names.has(shown) ? shown : '…';
    this.#names.add(this.#name);
    if (kind !== 'query') this.never = because('operation', said('a-kind')`a ${kind}`);
    else if (roots.has('__schema') || roots.has('__type'))
      this.never = because('operation', said('introspection')`introspection`);
    for (const field of fields) this.include(field);
  }

  /** Counts a field that it selects, or that an operation selects which one of its resolvers executes by itself. */
  include(field: SelectedField): void {
    const { settings, kindOf } = this.#settings;
    const kind = kindOf(field);
    this.hasCustom ||= kind !== 'own';
    if (kind !== 'guarded' || settings.repeatable) return;
    const name = `${field.parentType.name}.${field.fieldName}`;
    this.never ??= because('guarded', `${name} has policies or middlewares`, name);
  }
}
