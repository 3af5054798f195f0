import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { PlainRead, Source } from '../../../server/src/sql/statement';
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

interface Select {
  readonly sql: string;
  readonly bindings: readonly Value[];
  readonly ordered: boolean;
}

/** A condition over some aliases: conjuncts of every form, OR, NOT, functions. */
const condition = (aliases: readonly string[]): fc.Arbitrary<string> => {
  const column = fc
    .tuple(fc.constantFrom(...aliases), fc.constantFrom('id', ...COLUMNS))
    .map(([alias, name]) => `${alias}.${name}`);
  const simple = fc.oneof(
    column.map((c) => `${c} = ?`),
    column.map((c) => `? = ${c}`),
    column.map((c) => `${c} in (?, ?)`),
    column.map((c) => `${c} is null`),
    column.map((c) => `${c} is not null`),
    column.map((c) => `${c} > ?`),
    column.map((c) => `${c} between ? and ?`),
    column.map((c) => `coalesce(${c}, 0) = 1`),
    column.map((c) => `case when ${c} > 0 and 1 = 1 then 1 else 0 end = 1`),
    fc.tuple(column, column).map(([left, right]) => `${left} = ${right}`),
  );
  return fc.oneof(
    { weight: 4, arbitrary: simple },
    { weight: 1, arbitrary: simple.map((c) => `not (${c})`) },
    { weight: 1, arbitrary: fc.tuple(simple, simple).map(([left, right]) => `(${left} or ${right})`) },
    { weight: 1, arbitrary: fc.tuple(simple, simple).map(([left, right]) => `(${left} AND (${right}))`) },
  );
};

const conjunction = (aliases: readonly string[], minLength: number): fc.Arbitrary<string> =>
  fc.array(condition(aliases), { minLength, maxLength: 3 }).map((conditions) => conditions.join(' and '));

const select: fc.Arbitrary<Select> = fc.integer({ min: 1, max: 3 }).chain((count) => {
  const aliases = ['t0', 't1', 't2'].slice(0, count);
  const column = fc
    .tuple(fc.constantFrom(...aliases), fc.constantFrom('id', ...COLUMNS))
    .map(([alias, name]) => `${alias}.${name}`);
  const item = fc.oneof(
    fc.constantFrom(...aliases).map((alias) => `${alias}.*`),
    column,
    column.map((c) => `${c} as made_${c.replace('.', '_')}`),
    column.map((c) => `${c} + 1 as sum_of_${c.replace('.', '_')}`),
  );
  const joins = fc.tuple(
    ...aliases.slice(1).map((alias, index) => {
      const before = aliases.slice(0, index + 1);
      return fc
        .tuple(
          fc.constantFrom(...TABLES),
          fc.constantFrom('left join', 'left join', 'inner join', 'join', ', ', 'cross join'),
          fc.constantFrom(...before),
          fc.constantFrom('id', ...COLUMNS),
          fc.constantFrom('id', ...COLUMNS),
          fc.oneof(
            fc.constant(undefined),
            conjunction([...before, alias], 1),
            // A condition about earlier sources only.
            fc.constantFrom(...COLUMNS).map((column) => `${before[0]}.id = ${before.at(-1)}.${column}`),
          ),
        )
        .map(([table, kind, other, own, theirs, more]) => {
          if (kind === ', ' || kind === 'cross join') return ` ${kind} ${table} as ${alias}`;
          const extra = more === undefined ? '' : ` and ${more}`;
          return ` ${kind} ${table} as ${alias} on ${other}.${theirs} = ${alias}.${own}${extra}`;
        });
    }),
  );
  return fc
    .record({
      first: fc.constantFrom(...TABLES),
      joins,
      distinct: fc.boolean(),
      items: fc.uniqueArray(item, { minLength: 1, maxLength: 4 }),
      where: fc.oneof(
        fc.constant(undefined),
        { weight: 4, arbitrary: conjunction(aliases, 1) },
        // A condition that there is no joined row.
        fc.constantFrom('id', ...COLUMNS).map((column) => `${aliases.at(-1)}.${column} is null`),
      ),
      order: fc.array(column, { maxLength: 2 }),
      limit: fc.option(fc.nat(3), { nil: undefined }),
      aggregate: fc.constantFrom(undefined, undefined, undefined, 'count(*)', 'count(distinct t0.id)', 'max(t0.x)'),
      group: fc.option(column, { nil: undefined }),
      // With only one table, columns may be written without its alias.
      bare: count === 1 ? fc.boolean() : fc.constant(false),
    })
    .chain(({ first, joins: joined, distinct, items, where, order, limit, aggregate, group, bare }) => {
      // Pages need a total order. Otherwise the database may choose which rows it returns.
      const paged = aggregate === undefined && limit !== undefined;
      const ids = aliases.map((alias) => `${alias}.id`);
      const shown = paged && distinct ? [...items, ...ids.map((id, index) => `${id} as place_${index}`)] : items;
      let sql = `select ${aggregate === undefined ? `${distinct ? 'distinct ' : ''}${shown.join(', ')}` : `${aggregate} as total`}`;
      sql += ` from ${first} as t0${joined.join('')}`;
      if (where !== undefined) sql += ` where ${where}`;
      if (aggregate !== undefined && group !== undefined)
        sql += ` group by ${group} having max(${group}) > ? or count(*) > ?`;
      if (paged) sql += ` order by ${[...order, ...ids].join(', ')} limit ${limit + 1}`;
      if (bare) sql = sql.replaceAll('t0.', '').replace(' as t0', '');
      const placeholders = sql.split('?').length - 1;
      return fc
        .array(fc.nat(2), { minLength: placeholders, maxLength: placeholders })
        .map((bindings) => ({ sql, bindings, ordered: paged }));
    });
});

const run = ({ sql, bindings, ordered }: Select): string[] => {
  // As arrays, because several columns may have the same name.
  const result = db
    .prepare(sql)
    .raw()
    .all(...bindings)
    .map((row) => JSON.stringify(row));
  return ordered ? result : result.sort();
};

const allRows = (table: string): Row[] => db.prepare(`select * from ${table} order by id`).all() as Row[];

/** Statements that are not understood depend on whole tables. They are not tested here. */
const plain = ({ sql }: Select): PlainRead => {
  const statement = analyse(sql, 'sqlite');
  fc.pre(statement.kind === 'read' && statement.shape === 'plain');
  return statement;
};

/** Whether a row of the source's table can affect the result at all. */
const satisfies = (source: Source, row: Row, bindings: readonly Value[]): boolean =>
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

const RUNS = { numRuns: numberOfRuns(1000) };

describe('what a plain read depends on, against SQLite', () => {
  it('does not miss a row: those that keys, isNull and isNotNull exclude can go', () => {
    fc.assert(
      fc.property(data, select, (contents, query) => {
        fill(contents);
        const read = plain(query);
        const before = run(query);
        for (const table of TABLES) {
          for (const row of allRows(table)) {
            if (sourcesOf(read, table).some((source) => satisfies(source, row, query.bindings))) continue;
            db.prepare(`delete from ${table} where id = ?`).run(row.id);
            expect(run(query), `${query.sql} without ${table} ${JSON.stringify(row)}`).toEqual(before);
          }
        }
      }),
      RUNS,
    );
  });

  it('does not miss a column: those that are neither deciding nor shown can change', () => {
    fc.assert(
      fc.property(data, select, fc.array(value, { minLength: 15, maxLength: 15 }), (contents, query, changes) => {
        fill(contents);
        const read = plain(query);
        const before = run(query);
        for (const table of TABLES) {
          for (const column of COLUMNS) {
            const matters = sourcesOf(read, table).some(
              (source) =>
                source.output === 'all' || source.output.includes(column) || deciding(read, source).has(column),
            );
            if (matters) continue;
            allRows(table).forEach(({ id }, index) => {
              db.prepare(`update ${table} set ${column} = ? where id = ?`).run(changes[index], id);
            });
            expect(run(query), `${query.sql} after ${table}.${column} changed`).toEqual(before);
          }
        }
      }),
      RUNS,
    );
  });

  it('finds returned rows by idProperty: what the others show can change', () => {
    fc.assert(
      fc.property(data, select, value, (contents, query, change) => {
        fill(contents);
        const read = plain(query);
        if (read.aggregated) return;
        const result = db.prepare(query.sql).all(...query.bindings) as Row[];
        const before = run(query);
        for (const table of TABLES) {
          const sources = sourcesOf(read, table);
          if (sources.some(({ idProperty }) => idProperty === undefined)) continue;
          const returned = new Set(sources.flatMap(({ idProperty }) => result.map((row) => row[idProperty ?? ''])));
          for (const row of allRows(table)) {
            if (returned.has(row.id ?? null)) continue;
            for (const column of COLUMNS) {
              if (sources.some((source) => deciding(read, source).has(column))) continue;
              db.prepare(`update ${table} set ${column} = ? where id = ?`).run(change, row.id);
              expect(run(query), `${query.sql} after ${table} ${row.id} changed ${column}`).toEqual(before);
            }
          }
        }
      }),
      RUNS,
    );
  });

  it('shows real ids under idProperty, and no null where the source is not optional', () => {
    fc.assert(
      fc.property(data, select, (contents, query) => {
        fill(contents);
        const read = plain(query);
        const result = db.prepare(query.sql).all(...query.bindings) as Row[];
        for (const { table, idProperty, optional } of read.sources) {
          if (idProperty === undefined || read.aggregated) continue;
          const ids = new Set(allRows(table).map(({ id }) => id));
          for (const row of result) {
            const id = row[idProperty];
            expect(id === null ? optional : ids.has(id ?? null), `${query.sql}: ${idProperty} = ${id}`).toBe(true);
          }
        }
      }),
      RUNS,
    );
  });

  it('joins what it says it joins: a row without a partner in a source that is not optional can go', () => {
    fc.assert(
      fc.property(data, select, (contents, query) => {
        fill(contents);
        const read = plain(query);
        const before = run(query);
        const hasPartner = (source: Source, row: Row): boolean =>
          read.joins.every(([left, right]) =>
            [
              [left, right],
              [right, left],
            ].every(([own, other]) => {
              const partner = read.sources.find(({ alias }) => alias === other?.alias);
              if (own?.alias !== source.alias || other === undefined || partner === undefined) return true;
              const earlier = read.sources.indexOf(partner) < read.sources.indexOf(source);
              if (partner.optional && !(source.optional && earlier)) return true;
              return allRows(partner.table).some(
                (candidate) =>
                  satisfies(partner, candidate, query.bindings) &&
                  row[own.column] !== null &&
                  candidate[other.column] === row[own.column],
              );
            }),
          );
        for (const table of TABLES) {
          for (const row of allRows(table)) {
            if (
              sourcesOf(read, table).some((source) => satisfies(source, row, query.bindings) && hasPartner(source, row))
            )
              continue;
            db.prepare(`delete from ${table} where id = ?`).run(row.id);
            expect(run(query), `${query.sql} without ${table} ${JSON.stringify(row)}`).toEqual(before);
          }
        }
      }),
      RUNS,
    );
  });
});
