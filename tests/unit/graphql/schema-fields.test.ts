import type { Core } from '@strapi/strapi';
import * as nexus from 'nexus';
import { expect, it } from 'vitest';
import type { FieldKind } from '../../../server/src/graphql/schema-fields';
import { SchemaFields } from '../../../server/src/graphql/schema-fields';

interface Extension {
  readonly types?: readonly unknown[];
  readonly plugins?: readonly unknown[];
  readonly resolvers?: object;
  readonly resolversConfig?: object;
}

/** The kinds of `Hall.name`, `Hall.events_connection` and `Hall.count`, where halls have a name and events. */
const kindsOf = (extension: Extension): readonly FieldKind[] => {
  const services: Readonly<Record<string, unknown>> = {
    extension: { generate: () => ({ types: [], plugins: [], resolvers: {}, resolversConfig: {}, ...extension }) },
    'type-registry': { new: () => ({}) },
    utils: { naming: { getTypeName: () => 'Hall' } },
  };
  const fields = new SchemaFields({
    plugin: () => ({ service: (name: string) => services[name] }),
    contentTypes: { 'api::hall.hall': { uid: 'api::hall.hall', attributes: { name: {}, events: {} } } },
    components: {},
  } as unknown as Core.Strapi);
  const parentType = { name: 'Hall', getFields: () => ({}) };
  return ['name', 'events_connection', 'count'].map((fieldName) => fields.kindOf({ fieldName, parentType }));
};

const extended = nexus.extendType({ type: 'Hall', definition: (type) => type.string('name', { resolve: () => '' }) });
const other = nexus.objectType({ name: 'Office', definition: (type) => type.string('name') });

it.each<[what: string, extension: Extension, kinds: readonly FieldKind[]]>([
  ['nothing', {}, ['own', 'own', 'custom']],
  ['a resolver', { resolvers: { Hall: { name: () => '' } } }, ['custom', 'own', 'custom']],
  ['a policy', { resolversConfig: { 'Hall.name': { policies: ['p'] } } }, ['guarded', 'own', 'custom']],
  ['another type of Nexus', { types: [other] }, ['own', 'own', 'custom']],
  ['an extension by Nexus, which may replace each field', { types: [[extended]] }, ['custom', 'custom', 'custom']],
  [
    'a plugin of Nexus in front of each field',
    { plugins: [nexus.plugin({ name: 'timed', onCreateFieldResolver: () => undefined })] },
    ['guarded', 'guarded', 'guarded'],
  ],
  [
    'a plugin of Nexus that adds to types alone',
    { plugins: [nexus.plugin({ name: 'typed', onAddOutputField: () => undefined })] },
    ['own', 'own', 'custom'],
  ],
])('a field is Strapi’s own only where nothing stands around it: with %s', (_what, extension, kinds) => {
  expect(kindsOf(extension)).toEqual(kinds);
});
