import { expect, it } from 'vitest';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { ChangeLog, MAX_ROWS_CHANGED, netChanges, type Change } from '../../../server/src/dependencies/changes';
import { describedCatalog } from '../../application/described-catalog';

const insertion = (id: number): Change => ({ kind: 'row', table: 'readings', before: undefined, after: { id } });
const insertions = (count: number): Change[] => Array.from({ length: count }, (_, index) => insertion(index + 1));

it('holds no more of a long transaction than of a short one', () => {
  const log = new ChangeLog();
  for (const change of insertions(100_000)) log.add([change]);
  expect(log.changes.length).toBeLessThan(4_000);
  expect(log.holdsWhole('readings')).toBe(true);
  const { tables, rows } = netChanges(log.changes, new TableCatalog({ tables: [] }));
  expect([[...tables], rows]).toEqual([['readings'], []]);
});

it('holds what belongs to no savepoint when the rest of a long transaction is rolled back', () => {
  const log = new ChangeLog();
  log.add([insertion(1)]);
  log.savepoint('import');
  log.add(insertions(100_000));
  log.rollbackTo('import');
  expect([log.changes, log.holdsWhole('readings')]).toEqual([[insertion(1)], false]);
  log.add([insertion(2)]);
  expect(log.changes).toEqual([insertion(1), insertion(2)]);
});

it('sums up as many rows of one table as are stamped one by one, and above them the whole table', () => {
  const catalog = describedCatalog({ tables: [{ name: 'readings', columns: [{ name: 'id' }], foreignKeys: [] }] });
  const sumUp = (count: number): readonly [tables: readonly string[], rows: number] => {
    const { tables, rows } = netChanges(insertions(count), catalog);
    return [[...tables], rows.length];
  };
  expect(sumUp(MAX_ROWS_CHANGED)).toEqual([[], MAX_ROWS_CHANGED]);
  expect(sumUp(MAX_ROWS_CHANGED + 1)).toEqual([['readings'], 0]);
});
