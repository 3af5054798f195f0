import type { GraphQLInterfaceType, GraphQLNamedType, GraphQLObjectType, GraphQLSchema, GraphQLType } from 'graphql';

/** A node of a document, as graphql-js makes it: a definition, or what one selects. */
export interface Node {
  /** Among others `Field`, `FragmentSpread`, `InlineFragment` and `FragmentDefinition`. */
  readonly kind: string;
  readonly name?: { readonly value: string };
  readonly typeCondition?: { readonly name: { readonly value: string } };
  readonly selectionSet?: { readonly selections: readonly Node[] };
}

export interface SelectedField {
  readonly parentType: GraphQLObjectType;
  readonly fieldName: string;
}

/** The fields that an operation selects, also those that a directive or the type of an object may skip. */
export const selectedFields = (
  operation: Node,
  root: GraphQLObjectType,
  definitions: readonly Node[],
  schema: GraphQLSchema,
): readonly SelectedField[] => {
  const fragments = new Map(definitions.map((each) => [each.kind === 'FragmentDefinition' && each.name?.value, each]));
  const fields: SelectedField[] = [];
  // Grows while it is walked.
  const places: Array<readonly [Node, GraphQLNamedType]> = [[operation, root]];
  const visit = (place: Node | undefined, type: GraphQLNamedType | undefined): void => {
    if (place?.selectionSet !== undefined && type !== undefined) places.push([place, type]);
  };
  for (const [place, type] of places)
    for (const selection of place.selectionSet?.selections ?? []) {
      const { kind, name: { value: name } = { value: '' }, typeCondition } = selection;
      if (kind === 'Field') {
        for (const parentType of typesBehind(type, schema)) fields.push({ parentType, fieldName: name });
        visit(selection, 'getFields' in type ? namedType(type.getFields()[name]?.type) : undefined);
      } else if (kind === 'FragmentSpread') {
        const fragment = fragments.get(name);
        // Any number of others may name it: its fields are the same everywhere.
        fragments.delete(name);
        visit(fragment, schema.getType(fragment?.typeCondition?.name.value ?? ''));
      } else visit(selection, typeCondition === undefined ? type : schema.getType(typeCondition.name.value));
    }
  return fields;
};

/** The types whose fields are resolved where fields of this type are selected. */
const typesBehind = (type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLObjectType[] => {
  const { objects } = schema.getImplementations(type as GraphQLInterfaceType);
  return objects.length > 0 ? objects : [type as GraphQLObjectType];
};

const namedType = (type: GraphQLType | undefined): GraphQLNamedType | undefined =>
  type !== undefined && 'ofType' in type ? namedType(type.ofType) : type;
