import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import { type Statement, tablesWritten } from '../../../server/src/sql/statement';
import type { Dialect } from '../../../server/src/sql/tokens';
import { randomStatements, type RandomStatement, spelled, TABLES } from './random-statement';
import { numberOfRuns } from '../../number-of-runs';

const tablesOf = (statement: Statement): string[] => {
  if (statement.kind === 'write') return [...statement.reads].sort();
  if (statement.kind !== 'read') throw new Error(`not a read but ${statement.kind}`);
  const tables = statement.tables;
  return [...new Set(tables)].sort();
};

const distinct = (tables: readonly string[]): string[] => [...new Set(tables)].sort();

const withText = (statement: fc.Arbitrary<RandomStatement>) =>
  statement.chain((random) => spelled(random.words).map((sql) => ({ ...random, sql })));

describe.each<[Dialect, string]>([
  ['sqlite', '``'],
  ['sqlite', '[]'],
  ['sqlite', '""'],
  ['postgres', '""'],
  ['mysql', '``'],
])('statements of %s with names in %s', (dialect, quotes) => {
  const { read, write, writesWithin } = randomStatements(quotes);

  it('names every table of a read, and no other', () => {
    fc.assert(
      fc.property(withText(read), ({ sql, reads }) => {
        expect(tablesOf(analyse(sql, dialect)), sql).toEqual(distinct(reads));
      }),
      { numRuns: numberOfRuns(400) },
    );
  });

  it('names every table of a read as well where the database has told its tables', () => {
    fc.assert(
      fc.property(withText(read), fc.subarray(TABLES), ({ sql, reads }, known) => {
        const names = {
          home: 'main',
          ownFunctions: new Set<string>(),
          rowFunctions: new Set<string>(),
          relations: new Set(known),
        };
        expect(tablesOf(analyse(sql, dialect, names)), sql).toEqual(expect.arrayContaining(distinct(reads)));
      }),
      { numRuns: numberOfRuns(400) },
    );
  });

  it('names the table that a write writes, and every table it reads', () => {
    fc.assert(
      fc.property(withText(write), ({ sql, reads, writes }) => {
        const statement = analyse(sql, dialect);
        expect(statement, sql).toMatchObject({ kind: 'write', table: writes[0] });
        expect(tablesOf(statement), sql).toEqual(distinct(reads));
      }),
      { numRuns: numberOfRuns(400) },
    );
  });

  it('names every table that is written by a write within, and takes none of their rows for all', () => {
    fc.assert(
      fc.property(withText(writesWithin), ({ sql, reads, writes }) => {
        const statement = analyse(sql, dialect);
        expect(statement, sql).toMatchObject({ kind: 'write', verb: 'opaque' });
        expect(statement.kind === 'write' && distinct(tablesWritten(statement)), sql).toEqual(distinct(writes));
        expect(tablesOf(statement), sql).toEqual(distinct(reads));
      }),
      { numRuns: numberOfRuns(400) },
    );
  });
});
