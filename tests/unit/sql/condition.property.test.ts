import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import { openSqlite } from './sqlite';
import { numberOfRuns } from '../../number-of-runs';

/* The condition of an UPDATE or DELETE, run as a SELECT, must find exactly the rows that the statement then changes. */

type Value = number | null;
interface Row {
  readonly id: number;
  readonly mark: number;
}

const db = openSqlite();
for (const table of ['a', 'b'])
  db.exec(`create table ${table} (id integer primary key, x integer, y integer, mark integer default 0)`);
afterAll(() => void db.close());

const value: fc.Arbitrary<Value> = fc.oneof(fc.constant(null), fc.nat(2));
const rows = fc.array(fc.tuple(value, value), { maxLength: 6 });

const condition = (alias: string): fc.Arbitrary<string> => {
  const column = fc.constantFrom('id', 'x', 'y').map((name) => `${alias}${name}`);
  const simple = fc.oneof(
    column.map((c) => `${c} = ?`),
    column.map((c) => `${c} in (?, ?)`),
    column.map((c) => `${c} is null`),
    column.map((c) => `${c} between ? and ?`),
    column.map((c) => `${c} in (select x from b where y = ?)`),
    column.map((c) => `exists (select 1 from b where b.x = ${c} and b.y <> ?)`),
    column.map((c) => `coalesce(${c}, ?) > 0`),
  );
  return fc
    .array(fc.tuple(simple, fc.constantFrom('and', 'or')), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([part, word], index) => (index === 0 ? part : `${word} ${part}`)).join(' '));
};

const statement: fc.Arbitrary<string> = fc.oneof(
  condition('').map((where) => `delete from a where ${where}`),
  condition('').map((where) => `DELETE FROM "a"\nWHERE ${where} -- done\n`),
  condition('t0.').map((where) => `delete from a as t0 where (${where})`),
  condition('').map((where) => `delete from a where ${where} returning id`),
  condition('').map((where) => `update a set mark = ? where ${where}`),
  condition('').map((where) => `update a set x = ?, mark = case when x = ? then 1 else 2 end where ${where};`),
  condition('t0.').map((where) => `update a as t0 set mark = 1 where ${where}`),
  condition('').map(
    (where) =>
      `update a set mark = o from (select id, row_number() over (partition by x order by y) as o from a where ${where}) as b where b.id = a.id`,
  ),
);

const withBindings = statement.chain((sql) => {
  const placeholders = sql.split('?').length - 1;
  return fc
    .array(fc.integer({ min: 1, max: 2 }), { minLength: placeholders, maxLength: placeholders })
    .map((bindings) => ({ sql, bindings }));
});

describe('conditions of updates and deletes, against SQLite', () => {
  it('finds the rows that the statement changes', () => {
    let found = 0;
    fc.assert(
      fc.property(rows, rows, withBindings, (inA, inB, { sql, bindings }) => {
        for (const [table, contents] of [
          ['a', inA],
          ['b', inB],
        ] as const) {
          db.exec(`delete from ${table}`);
          const insert = db.prepare(`insert into ${table} (x, y) values (?, ?)`);
          for (const row of contents) insert.run(...row);
        }
        const write = analyse(sql, 'sqlite');
        if (write.kind !== 'write' || write.verb === 'opaque' || write.verb === 'insert')
          throw new Error(`opaque: ${sql}`);
        const reused = write.condition;
        if (reused === undefined) {
          // Not reused if the statement also has a query with sub-queries.
          expect(sql).toMatch(/ from \(select .* (in|exists) \(select /);
          return;
        }

        const before = db.prepare('select id, mark from a').all() as Row[];
        const selected = db
          .prepare(`select * from ${reused.from}`)
          .all(...reused.bindings.map((index) => bindings[index])) as Row[];
        const run = db.prepare(sql);
        if (write.returning) run.all(...bindings);
        else run.run(...bindings);

        const marks = new Map((db.prepare('select id, mark from a').all() as Row[]).map(({ id, mark }) => [id, mark]));
        const changed = before.filter(({ id, mark }) => marks.get(id) !== mark).map(({ id }) => id);
        expect(selected.map(({ id }) => id).sort(), sql).toEqual(changed.sort());
        found += changed.length;
      }),
      { numRuns: numberOfRuns(1500) },
    );
    expect(found).toBeGreaterThan(numberOfRuns(1500) / 3);
  });
});
