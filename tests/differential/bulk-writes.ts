import { EDITOR, type World } from './world';

/** Writes of many editors by one statement, past the document service. */
export const bulkWrites = (world: () => World): ReadonlyArray<readonly [name: string, () => Promise<unknown>]> => [
  [
    'createMany',
    () =>
      world()
        .query(EDITOR)
        .createMany({ data: ['One', 'Two'].map((name) => ({ name, documentId: name })) }),
  ],
  [
    'updateMany',
    () =>
      world()
        .query(EDITOR)
        .updateMany({ where: { name: { $startsWith: 'T' } }, data: { desk: 'Evening' } }),
  ],
  [
    'deleteMany',
    () =>
      world()
        .query(EDITOR)
        .deleteMany({ where: { name: 'Two' } }),
  ],
  [
    'insert … select',
    () => world().knex.raw("insert into editors (document_id, name) select 'copy', name from categories limit 1"),
  ],
];
