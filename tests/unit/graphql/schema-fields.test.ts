import type { Core } from '@strapi/strapi';
import { GraphQLInt, GraphQLObjectType } from 'graphql';
import * as nexus from 'nexus';
import { expect, it } from 'vitest';
import { fieldKinds, type FieldKind } from '../../../server/src/graphql/schema-fields';

interface Extension {
  readonly types?: readonly unknown[];
  readonly plugins?: readonly unknown[];
  readonly resolvers?: object;
  readonly resolversConfig?: object;
}

const HALL = new GraphQLObjectType({
  name: 'Hall',
  fields: { name: { type: GraphQLInt }, events: { type: GraphQLInt } },
});
const QUERY = new GraphQLObjectType({
  name: 'Query',
  fields: {
    halls: { type: GraphQLInt, extensions: { strapi: { contentType: {} } } },
    count: { type: GraphQLInt },
  },
});

/** The kinds of `Hall.name`, `Hall.events`, `Query.halls` and `Query.count`, of which Strapi has made all but the last. */
const kindsOf = (extension: Extension): readonly FieldKind[] => {
  const services: Readonly<Record<string, unknown>> = {
    extension: { generate: () => ({ types: [], plugins: [], resolvers: {}, resolversConfig: {}, ...extension }) },
    'type-registry': { new: () => ({}) },
  };
  const kindOf = fieldKinds({
    plugin: () => ({ service: (name: string) => services[name] }),
  } as unknown as Core.Strapi);
  return [
    { parentType: HALL, fieldName: 'name' },
    { parentType: HALL, fieldName: 'events' },
    { parentType: QUERY, fieldName: 'halls' },
    { parentType: QUERY, fieldName: 'count' },
  ].map(kindOf);
};

const extended = nexus.extendType({ type: 'Hall', definition: (type) => type.string('name', { resolve: () => '' }) });
const counting = nexus.extendType({ type: 'Query', definition: (type) => type.int('count', { resolve: () => 1 }) });
const other = nexus.objectType({ name: 'Office', definition: (type) => type.string('name') });
const ALL_GUARDED = ['guarded', 'guarded', 'guarded', 'guarded'] as const;

it.each<[what: string, extension: Extension, kinds: readonly FieldKind[]]>([
  ['nothing', {}, ['own', 'own', 'own', 'custom']],
  ['a resolver', { resolvers: { Hall: { name: () => '' } } }, ['custom', 'own', 'own', 'custom']],
  ['a resolver of a root field', { resolvers: { Query: { halls: () => [] } } }, ['own', 'own', 'custom', 'custom']],
  ['a policy', { resolversConfig: { 'Hall.name': { policies: ['p'] } } }, ['guarded', 'own', 'own', 'custom']],
  ['another type of Nexus', { types: [other] }, ['own', 'own', 'own', 'custom']],
  ['another root field of Nexus', { types: [[counting]] }, ['own', 'own', 'own', 'custom']],
  [
    'an extension by Nexus, which may replace each field',
    { types: [[extended]] },
    ['custom', 'custom', 'own', 'custom'],
  ],
  ['an extension in an object', { types: [{ name: other, extended }] }, ['custom', 'custom', 'own', 'custom']],
  [
    'a plugin of Nexus in front of each field',
    { plugins: [nexus.plugin({ name: 'timed', onCreateFieldResolver: () => undefined })] },
    ALL_GUARDED,
  ],
  [
    'a plugin of Nexus that replaces resolvers as fields are added',
    { plugins: [nexus.plugin({ name: 'checked', onAddOutputField: (field) => ({ ...field, resolve: () => '' }) })] },
    ALL_GUARDED,
  ],
  [
    'the plugin of Nexus by which Strapi’s i18n adds arguments',
    { plugins: [nexus.plugin({ name: 'I18NLocaleArg', onAddOutputField: () => undefined })] },
    ['own', 'own', 'own', 'custom'],
  ],
])('a field is Strapi’s own only where nothing stands around it: with %s', (_what, extension, kinds) => {
  expect(kindsOf(extension)).toEqual(kinds);
});
