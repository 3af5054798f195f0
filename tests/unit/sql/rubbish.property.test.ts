import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { Statement } from '../../../server/src/sql/statement';
import type { Dialect, NamesInForce } from '../../../server/src/sql/tokens';
import { COLUMNS, randomStatements, spelled, TABLES } from './random-statement';
import { openSqlite } from './sqlite';
import { numberOfRuns } from '../../number-of-runs';

const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres', 'mysql'];

const KINDS = new Set(
  'read write begin commit rollback savepoint release rollback-to neutral batch calling unknown'.split(' '),
);

/** Words that change the meaning of what is around them. */
const VOCABULARY =
  `select from where join left inner natural cross on using , ( ) . * = ? as with recursive insert into update set delete
   values union all except order by group having limit offset in is not null and or between case when then else end
   exists distinct returning conflict do nothing replace ignore indexed only lateral table for window over filter
   use force index key materialized tablesample
   articles "authors" \`tags\` [teams] 'links' "order" id title x y 1 ; -- /* */ :: || begin`.split(/\s+/);

const tree = new Map<number, string>();
const db = openSqlite();
for (const table of TABLES)
  db.exec(`create table "${table}" (${COLUMNS.map((column) => `${column} integer`).join(', ')})`);
for (const row of db.prepare('select rootpage, tbl_name from sqlite_schema').raw().all()) {
  const [page, table] = row as [number, string];
  tree.set(page, table);
}
afterAll(() => void db.close());

/** The tables that a statement opens, according to SQLite's own EXPLAIN; `undefined` if SQLite refuses it. */
const touched = (
  sql: string,
): { readonly reads: Set<string>; readonly writes: Set<string>; readonly changes: boolean } | undefined => {
  try {
    const changes = !db.prepare(sql).readonly;
    const reads = new Set<string>();
    const writes = new Set<string>();
    for (const row of db.prepare(`explain ${sql}`).raw().all()) {
      const [, operation, , page] = row as [number, string, number, number];
      const table = tree.get(page);
      if (table === undefined) continue;
      if (operation === 'OpenRead') reads.add(table);
      if (operation === 'OpenWrite') writes.add(table);
    }
    return { reads, writes, changes };
  } catch {
    return undefined;
  }
};

const reported = (statement: Statement): { readonly reads: readonly string[]; readonly writes: readonly string[] } => {
  if (statement.kind === 'read') {
    return {
      reads: statement.tables,
      writes: [],
    };
  }
  if (statement.kind !== 'write') return { reads: [], writes: [] };
  return { reads: statement.reads, writes: statement.verb === 'opaque' ? statement.tables : [statement.table] };
};

const mutated = (words: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc
    .array(
      fc.record({
        how: fc.constantFrom('drop', 'double', 'swap', 'insert', 'replace', 'insert', 'replace'),
        at: fc.nat(words.length - 1),
        word: fc.constantFrom(...VOCABULARY),
      }),
      { maxLength: 3 },
    )
    .map((mutations) => {
      const result = [...words];
      for (const { how, at, word } of mutations) {
        const old = result[at] ?? '';
        if (how === 'drop') result.splice(at, 1);
        else if (how === 'double') result.splice(at, 0, old);
        else if (how === 'swap') result.splice(at, 2, result[at + 1] ?? '', old);
        else result.splice(at, how === 'insert' ? 0 : 1, word);
      }
      return result;
    });

const toldBy = (tables: readonly string[]): NamesInForce => ({
  home: 'main',
  ownFunctions: new Set(),
  rowFunctions: new Set(),
  relations: new Set(tables),
});

describe('texts nobody foresaw', () => {
  it('never throws, whatever the text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(fc.oneof(fc.constantFrom(...VOCABULARY), fc.string({ maxLength: 3 })), { maxLength: 60 })
        .map((words) => words.join(' ')),
      fc
        .array(fc.constantFrom(...VOCABULARY), { maxLength: 60 })
        .map((words) => ['select', '*', 'from', ...words].join(' ')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...DIALECTS), (sql, dialect) => {
        expect(KINDS).toContain(analyse(sql, dialect).kind);
      }),
      { numRuns: numberOfRuns(10_000) },
    );
  });

  it('names every table that the database has told of, whatever stands around its name', () => {
    const table = fc.constantFrom('articles', '"authors"', '`tags`', '[teams]', "'links'", 'ARTICLES', 'main . teams');
    const rubbish = fc.constantFrom(...VOCABULARY.filter((word) => !/^(as|\.|;|--|\/\*|begin)$/.test(word)));
    const names = toldBy(['articles', 'authors', 'tags', 'teams', 'links']);
    fc.assert(
      fc.property(fc.array(rubbish, { maxLength: 30 }), table, fc.array(rubbish, { maxLength: 30 }), (a, name, b) => {
        const sql = ['select id from', ...a, name, ...b].join(' ');
        const statement = analyse(sql, 'sqlite', names);
        if (statement.kind === 'unknown' || (statement.kind === 'read' && statement.shape === 'plain')) return;
        const { reads, writes } = reported(statement.kind === 'calling' ? statement.main : statement);
        const plain = name.replace('main . ', '').replaceAll(/["`'[\]]/g, '');
        expect([...reads, ...writes], sql).toContain(plain.toLowerCase());
      }),
      { numRuns: numberOfRuns(20_000) },
    );
  });

  it('gives up on brackets too deep for the stack', () => {
    for (const dialect of DIALECTS) {
      expect(analyse(`select ${'('.repeat(50_000)}1${')'.repeat(50_000)}`, dialect)).toEqual({ kind: 'unknown' });
    }
  });

  // No columns. Otherwise SQLite would refuse nearly every statement because of an ambiguous name.
  const { read, write } = randomStatements('""', { columns: ['2', "'from links'", 'abs(3)'] });

  it.each([
    ['nobody', undefined],
    ['the database', toldBy(TABLES)],
    ['the database before some were made', toldBy(TABLES.slice(3))],
  ])('agrees with SQLite on every mutilated statement that SQLite still takes: tables told by %s', (_who, names) => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc
          .oneof(read, write)
          .chain(({ words }) => mutated(words))
          .chain(spelled),
        (sql) => {
          const truth = touched(sql);
          if (truth === undefined) return;
          taken += 1;
          const analysed = analyse(sql, 'sqlite', names);
          if (analysed.kind === 'unknown') return;
          // Its answer is not stored.
          if (analysed.kind === 'calling' && analysed.outside !== undefined) return;
          // SQLite accepts unknown functions if their result is not used.
          const statement = analysed.kind === 'calling' ? analysed.main : analysed;
          if (truth.changes) expect(statement.kind, sql).toBe('write');
          const { reads, writes } = reported(statement);
          for (const table of truth.writes) expect(writes, sql).toContain(table);
          // SQLite may also read a table that it opens for writing.
          for (const table of truth.reads) expect([...reads, ...writes], sql).toContain(table);
        },
      ),
      { numRuns: numberOfRuns(4000) },
    );
    expect(taken).toBeGreaterThan(numberOfRuns(4000) / 8);
  });
});
