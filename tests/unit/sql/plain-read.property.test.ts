import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { PlainRead, Source } from '../../../server/src/sql/statement';
import { conjunction, isOrdered, Sql, sql } from './random-sql';
import { openSqlite } from './sqlite';
import { numberOfRuns } from '../../number-of-runs';

/*
 * Tests on a real database what `Source` promises: random SELECTs over three small tables, then a change to data that
 * the analysis calls irrelevant. The result must not change.
 */

type Value = number | null;
type Row = Readonly<Record<string, Value>>;

const TABLES = ['a', 'b', 'c'];
const COLUMNS = ['x', 'y', 'z'];

const db = openSqlite();
for (const table of TABLES) db.exec(`create table ${table} (id integer primary key, x integer, y integer, z integer)`);
afterAll(() => void db.close());

const value: fc.Arbitrary<Value> = fc.oneof(fc.constant(null), fc.nat(2));
const rows = fc.array(fc.record({ x: value, y: value, z: value }), { minLength: 1, maxLength: 5 });
const data = fc.record({ a: rows, b: rows, c: rows });

const fill = (contents: Readonly<Record<string, readonly Row[]>>): void => {
  for (const table of TABLES) {
    db.exec(`delete from ${table}`);
    const insert = db.prepare(`insert into ${table} (x, y, z) values (?, ?, ?)`);
    for (const { x, y, z } of contents[table] ?? []) insert.run(x, y, z);
  }
};

const NAMES = ['id', ...COLUMNS];
const few = fc.nat(2);
const columnsOf = (aliases: readonly string[]): string[] =>
  aliases.flatMap((alias) => NAMES.map((name) => `${alias}.${name}`));

/** A condition over some aliases: conjuncts of every form, OR, NOT, functions. */
const condition = (aliases: readonly string[]): fc.Arbitrary<Sql> => {
  const column = columnsOf(aliases);
  const simple = fc.oneof(
    sql`${column} = ${few}`,
    sql`${few} = ${column}`,
    sql`${column} in (${few}, ${few})`,
    sql`${column} is null`,
    sql`${column} is not null`,
    sql`${column} > ${few}`,
    sql`${column} between ${few} and ${few}`,
    sql`coalesce(${column}, 0) = 1`,
    sql`case when ${column} > 0 and 1 = 1 then 1 else 0 end = 1`,
    sql`${column} = ${column}`,
  );
  return fc.oneof(
    { weight: 4, arbitrary: simple },
    sql`not (${simple})`,
    sql`(${simple} or ${simple})`,
    sql`(${simple} AND (${simple}))`,
  );
};

const joined = (before: readonly string[], alias: string): fc.Arbitrary<Sql> => {
  const more = fc.oneof(
    sql``,
    sql` and ${conjunction(condition([...before, alias]))}`,
    // A condition about earlier sources only.
    sql` and t0.id = ${before.slice(-1)}.${COLUMNS}`,
  );
  const onColumns = sql` ${['left join', 'left join', 'inner join', 'join']} ${TABLES} as ${alias}
    on ${before}.${NAMES} = ${alias}.${NAMES}${more}`;
  return fc.oneof({ weight: 2, arbitrary: onColumns }, sql` ${[', ', 'cross join']} ${TABLES} as ${alias}`);
};

const listed = (items: readonly string[]): Sql => new Sql(items.join(', '), []);

const query: fc.Arbitrary<Sql> = fc.integer({ min: 1, max: 3 }).chain((count) => {
  const aliases = ['t0', 't1', 't2'].slice(0, count);
  const [first = sql``, second = sql``] = aliases
    .slice(1)
    .map((alias, index) => joined(aliases.slice(0, index + 1), alias));
  const where = fc.oneof(
    sql``,
    { weight: 4, arbitrary: sql` where ${conjunction(condition(aliases))}` },
    // A condition that there is no joined row.
    sql` where ${aliases.slice(-1)}.${NAMES} is null`,
  );
  const from = sql`from ${TABLES} as t0${first}${second}${where}`;
  const column = fc.constantFrom(...columnsOf(aliases));
  const item = fc.oneof(
    fc.constantFrom(...aliases).map((alias) => `${alias}.*`),
    column,
    column.map((name) => `${name} as made_${name.replace('.', '_')}`),
    column.map((name) => `${name} + 1 as sum_of_${name.replace('.', '_')}`),
  );
  const items = fc.uniqueArray(item, { minLength: 1, maxLength: 4 }).map(listed);
  const group = column.chain((by) => sql` group by ${by} having max(${by}) > ${few} or count(*) > ${few}`);
  const ids = aliases.map((alias) => `${alias}.id`);
  const places = ids.map((id, index) => `${id} as place_${index}`).join(', ');
  // Pages need a total order. Otherwise the database may choose which rows it returns.
  const page = sql`order by ${fc.array(column, { maxLength: 2 }).map((by) => listed([...by, ...ids]))}
    limit ${['1', '2', '3', '4']}`;
  const made = fc.oneof(
    {
      weight: 12,
      arbitrary: sql`select ${['count(*)', 'count(distinct t0.id)', 'max(t0.x)']} as total
        ${from}${fc.oneof(sql``, { weight: 5, arbitrary: group })}`,
    },
    { weight: 2, arbitrary: sql`select ${['', 'distinct ']}${items} ${from}` },
    { weight: 5, arbitrary: sql`select ${items} ${from} ${page}` },
    { weight: 5, arbitrary: sql`select distinct ${items}, ${places} ${from} ${page}` },
  );
  // With only one table, columns may be written without its alias.
  const bare = made.map(({ text, bindings }) => new Sql(text.replaceAll('t0.', '').replace(' as t0', ''), bindings));
  return count === 1 ? fc.oneof(made, bare) : made;
});

const run = (asked: Sql): string[] => {
  // As arrays, because several columns may have the same name.
  const result = db
    .prepare(asked.text)
    .raw()
    .all(...asked.bindings)
    .map((row) => JSON.stringify(row));
  return isOrdered(asked) ? result : result.sort();
};

const allRows = (table: string): Row[] => db.prepare(`select * from ${table} order by id`).all() as Row[];

/** Statements that are not understood depend on whole tables. They are not tested here. */
const plain = ({ text }: Sql): PlainRead => {
  const statement = analyse(text, 'sqlite');
  fc.pre(statement.kind === 'read' && statement.shape === 'plain');
  return statement;
};

/** Whether a row of the source's table can affect the result at all. */
const satisfies = (source: Source, row: Row, bindings: readonly unknown[]): boolean =>
  source.isNull.every((column) => row[column] === null) &&
  source.isNotNull.every((column) => row[column] !== null) &&
  source.keys.every(({ column, values }) =>
    values.some((operand) => row[column] === ('binding' in operand ? bindings[operand.binding] : operand.literal)),
  );

/** The columns that decide which rows the result has. */
const deciding = (read: PlainRead, source: Source): Set<string> =>
  new Set([
    ...source.filters,
    ...source.sort,
    ...source.isNull,
    ...source.isNotNull,
    ...source.keys.map(({ column }) => column),
    ...read.joins.flat().flatMap(({ alias, column }) => (alias === source.alias ? [column] : [])),
  ]);

const sourcesOf = (read: PlainRead, table: string): Source[] => read.sources.filter((source) => source.table === table);

/** Checks random reads over random rows. `unchanged` expects that the answer is the same after a change. */
const everyRead = (
  check: (read: PlainRead, asked: Sql, unchanged: (change: string) => void, values: readonly Value[]) => void,
): void =>
  fc.assert(
    fc.property(data, query, fc.array(value, { minLength: 15, maxLength: 15 }), (contents, asked, values) => {
      fill(contents);
      const before = run(asked);
      check(plain(asked), asked, (change) => expect(run(asked), `${asked.text} ${change}`).toEqual(before), values);
    }),
    { numRuns: numberOfRuns(1000) },
  );

describe('what a plain read depends on, against SQLite', () => {
  it('does not miss a row: those that keys, isNull, isNotNull and joins exclude can go', () => {
    everyRead((read, { bindings }, unchanged) => {
      /** Whether the row has a partner in each source that is not optional and that it is joined to. */
      const hasPartner = (source: Source, row: Row): boolean =>
        read.joins
          .flatMap(([left, right]) => [
            [left, right],
            [right, left],
          ])
          .every(([own, other]) => {
            const partner = read.sources.find(({ alias }) => alias === other?.alias);
            if (own?.alias !== source.alias || other === undefined || partner === undefined) return true;
            const earlier = read.sources.indexOf(partner) < read.sources.indexOf(source);
            if (partner.optional && !(source.optional && earlier)) return true;
            return allRows(partner.table).some(
              (candidate) =>
                satisfies(partner, candidate, bindings) &&
                row[own.column] !== null &&
                candidate[other.column] === row[own.column],
            );
          });
      for (const table of TABLES) {
        const sources = sourcesOf(read, table);
        for (const row of allRows(table)) {
          if (sources.some((source) => satisfies(source, row, bindings) && hasPartner(source, row))) continue;
          db.prepare(`delete from ${table} where id = ?`).run(row.id);
          unchanged(`without ${table} ${JSON.stringify(row)}`);
        }
      }
    });
  });

  it('does not miss a column: those that are neither deciding nor shown can change', () => {
    everyRead((read, _asked, unchanged, values) => {
      for (const table of TABLES) {
        for (const column of COLUMNS) {
          const matters = sourcesOf(read, table).some(
            (source) => source.output === 'all' || source.output.includes(column) || deciding(read, source).has(column),
          );
          if (matters) continue;
          allRows(table).forEach(({ id }, index) => {
            db.prepare(`update ${table} set ${column} = ? where id = ?`).run(values[index], id);
          });
          unchanged(`after ${table}.${column} changed`);
        }
      }
    });
  });

  it('finds returned rows by idProperty: what the others show can change', () => {
    everyRead((read, asked, unchanged, [change]) => {
      if (read.aggregated) return;
      const result = db.prepare(asked.text).all(...asked.bindings) as Row[];
      for (const table of TABLES) {
        const sources = sourcesOf(read, table);
        if (sources.some(({ idProperty }) => idProperty === undefined)) continue;
        const returned = new Set(sources.flatMap(({ idProperty }) => result.map((row) => row[idProperty ?? ''])));
        for (const row of allRows(table)) {
          if (returned.has(row.id ?? null)) continue;
          for (const column of COLUMNS) {
            if (sources.some((source) => deciding(read, source).has(column))) continue;
            db.prepare(`update ${table} set ${column} = ? where id = ?`).run(change, row.id);
            unchanged(`after ${table} ${row.id} changed ${column}`);
          }
        }
      }
    });
  });

  it('shows real ids under idProperty, and no null where the source is not optional', () => {
    everyRead((read, asked) => {
      const result = db.prepare(asked.text).all(...asked.bindings) as Row[];
      for (const { table, idProperty, optional } of read.sources) {
        if (idProperty === undefined || read.aggregated) continue;
        const ids = new Set(allRows(table).map(({ id }) => id));
        for (const row of result) {
          const id = row[idProperty];
          expect(id === null ? optional : ids.has(id ?? null), `${asked.text}: ${idProperty} = ${id}`).toBe(true);
        }
      }
    });
  });
});
