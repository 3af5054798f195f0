import { expect, it } from 'vitest';
import { Cascades } from '../../../server/src/dependencies/cascades';
import { ChangeLog, type Change } from '../../../server/src/dependencies/changes';
import type { Row } from '../../../server/src/sql/column-value';
import { describedCatalog } from '../../application/described-catalog';

/** What goes along with rows that are deleted, where each look at a table finds the same rows. */
const goesAlong = (rows: readonly Row[], found: readonly Row[], columns: readonly string[]): Promise<Change[]> => {
  const catalog = describedCatalog({
    tables: [
      {
        name: 'nodes',
        columns: [{ name: 'id' }, { name: 'parent_id' }],
        foreignKeys: [{ columns, referencedTable: 'nodes', onDelete: 'CASCADE' }],
      },
    ],
  });
  const access = { select: () => Promise.resolve(found), quote: (name: string) => name, rowLock: { delete: '' } };
  return new Cascades(() => catalog).ofDeleted('nodes', rows, access, new ChangeLog());
};

it('rows that refer to deleted ones go along with them, except those that are deleted anyway', async () => {
  const [parent, child] = [
    { id: 1, parent_id: null },
    { id: 2, parent_id: 1 },
  ];
  expect(await goesAlong([parent], [child], ['parent_id'])).toEqual([
    { kind: 'row', table: 'nodes', before: child, after: undefined },
  ]);
  expect(await goesAlong([parent, child], [child], ['parent_id'])).toEqual([]);
});

it('of a foreign key of two columns the whole table counts', async () => {
  expect(await goesAlong([{ id: 1 }], [{ id: 2 }], ['parent_id', 'locale'])).toEqual([
    { kind: 'table', table: 'nodes' },
  ]);
});
