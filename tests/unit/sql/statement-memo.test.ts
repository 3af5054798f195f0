import { describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import { inWords } from './in-words';

describe('statement memo', () => {
  it('answers like the analysis, in its own dialect', () => {
    const sql = 'select * from articles where "title" = ?';
    for (const dialect of ['sqlite', 'postgres'] as const) {
      expect(createStatementMemo(dialect)(sql)).toEqual(analyse(sql, dialect));
    }
    expect(analyse(sql, 'sqlite')).not.toEqual(analyse(sql, 'postgres'));
  });

  it('analyses a text once', () => {
    const memo = createStatementMemo('sqlite');
    const first = memo('select * from articles');
    expect(memo(`select * ${'from'} articles`)).toBe(first);
  });

  it('forgets everything where names have come to mean something else', () => {
    const namesOf = (...relations: string[]) => ({
      home: 'main',
      ownFunctions: new Set<string>(),
      rowFunctions: new Set<string>(),
      relations: new Set(relations),
    });
    let names = namesOf('articles');
    const memo = createStatementMemo('sqlite', () => names);
    const sql = 'select max((title)), (select 1), authors from articles';
    expect(inWords(memo(sql))).toBe('opaque articles');
    names = namesOf('articles', 'authors');
    expect(inWords(memo(sql))).toBe('opaque articles authors');
  });

  it('keeps what is asked for again and again while others come and go', () => {
    const memo = createStatementMemo('sqlite');
    const first = memo('select 1');
    for (let i = 0; i < 20_000; i += 1) {
      memo(`select ${i}, 1`);
      expect(memo('select 1')).toBe(first);
    }
  });

  it('forgets what nobody asks for', () => {
    const memo = createStatementMemo('sqlite');
    const first = memo('select 1');
    for (let i = 0; i < 10_000; i += 1) memo(`select ${i}, 1`);
    expect(memo('select 1')).not.toBe(first);
  });

  it('does not keep texts that are too long to come again', () => {
    const memo = createStatementMemo('sqlite');
    const long = `insert into articles (title) values ${Array.from({ length: 50_000 }, () => '(?)').join(', ')}`;
    const first = memo(long);
    expect(first).toMatchObject({ kind: 'write', verb: 'insert' });
    expect(memo(long)).not.toBe(first);
  });

  it('is bounded by characters as well as by texts', () => {
    const memo = createStatementMemo('sqlite');
    const first = memo('select 1');
    // More than eight million characters
    for (let i = 0; i < 600; i += 1) memo(`select ${i} /* ${'x'.repeat(18_000)} */`);
    expect(memo('select 1')).not.toBe(first);
  });
});
