import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { catalogOf } from '../../../server/src/plugin/observe-database';
import { describedAs } from '../../application/described-catalog';

/* Which columns refer to rows of several types: only Strapi's metadata says so, since editors name attributes as they like. */

const table = (name: string, ...columns: string[]) => ({
  name,
  columns: columns.map((column) => ({ name: column })),
  foreignKeys: [],
});

const morphColumn = (type: string, id: string, more = {}) => ({
  typeColumn: { name: type },
  idColumn: { name: id, referencedColumn: 'id' },
  ...more,
});

const models = [
  {
    uid: 'plugin::upload.file',
    tableName: 'files',
    attributes: {
      related: {
        type: 'relation',
        relation: 'morphToMany',
        joinTable: { name: 'files_related_mph', morphColumn: morphColumn('related_type', 'related_id') },
      },
    },
  },
  {
    uid: 'api::page.page',
    tableName: 'pages',
    attributes: {
      link: { type: 'component', component: 'shared.link', joinTable: { name: 'pages_cmps', on: { field: 'link' } } },
      blocks: {
        type: 'relation',
        relation: 'morphToMany',
        joinTable: {
          name: 'pages_cmps',
          morphColumn: morphColumn('component_type', 'cmp_id', { typeField: '__component' }),
          on: { field: 'blocks' },
        },
      },
    },
  },
  {
    uid: 'shared.link',
    tableName: 'components_shared_links',
    attributes: { linkType: { type: 'string' }, linkId: { type: 'string' } },
  },
  {
    uid: 'shared.pick',
    tableName: 'components_shared_picks',
    attributes: {
      kindType: { type: 'string' },
      kindId: { type: 'string' },
      target: {
        type: 'relation',
        relation: 'morphToOne',
        owner: true,
        morphColumn: morphColumn('target_type', 'target_id'),
      },
    },
  },
];

const schema = {
  tables: [
    table('files', 'id', 'document_id'),
    table('files_related_mph', 'id', 'file_id', 'related_id', 'related_type', 'field', 'order'),
    table('pages', 'id', 'document_id'),
    table('pages_cmps', 'id', 'entity_id', 'cmp_id', 'component_type', 'field', 'order'),
    table('components_shared_links', 'id', 'link_type', 'link_id'),
    table('components_shared_picks', 'id', 'kind_type', 'kind_id', 'target_type', 'target_id'),
  ],
};

const strapi = {
  db: { schema: { schema }, metadata: new Map(models.map((model) => [model.uid, model])) },
} as unknown as Core.Strapi;

const described = catalogOf(strapi).describedBy(describedAs(schema));

it.each([
  ['files_related_mph', { type: 'related_type', id: 'related_id' }],
  ['components_shared_picks', { type: 'target_type', id: 'target_id' }],
  // The status of the row that has the component tells more.
  ['pages_cmps', undefined],
  ['components_shared_links', undefined],
])('the columns by which rows of %s refer to several types', (name, morph) => {
  expect(described.facts(name)?.morph).toEqual(morph);
});
