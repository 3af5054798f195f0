import { describe, expect, it, vi } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import { inWords } from './in-words';

const observed = (maximumTexts?: number) => {
  const analyseText = vi.fn(analyse);
  const memo = createStatementMemo('sqlite', { analyseText, ...(maximumTexts === undefined ? {} : { maximumTexts }) });
  return { memo, analyseText };
};

describe('statement memo', () => {
  it('answers like the analysis, in its own dialect', () => {
    const sql = 'select * from articles where "title" = ?';
    for (const dialect of ['sqlite', 'postgres'] as const) {
      expect(createStatementMemo(dialect)(sql)).toEqual(analyse(sql, dialect));
    }
    expect(analyse(sql, 'sqlite')).not.toEqual(analyse(sql, 'postgres'));
  });

  it('analyses a text once', () => {
    const { memo, analyseText } = observed();
    const first = memo('select * from articles');
    expect(memo(`select * ${'from'} articles`)).toBe(first);
    expect(analyseText).toHaveBeenCalledTimes(1);
  });

  it('forgets everything where names have come to mean something else', () => {
    const namesOf = (...relations: string[]) => ({
      home: 'main',
      ownFunctions: new Set<string>(),
      rowFunctions: new Set<string>(),
      views: new Map(),
      relations: new Set(relations),
    });
    let names = namesOf('articles');
    const memo = createStatementMemo('sqlite', { names: () => names });
    const sql = 'select max((title)), (select 1), authors from articles';
    expect(inWords(memo(sql))).toBe('opaque articles');
    names = namesOf('articles', 'authors');
    expect(inWords(memo(sql))).toBe('opaque articles authors');
  });

  it('keeps what is asked for again and again while others come and go', () => {
    const { memo, analyseText } = observed(10);
    for (let i = 0; i < 1000; i += 1) {
      memo('select 1');
      memo(`select * from articles where id = ${i}`);
    }
    expect(analyseText.mock.calls.filter(([sql]) => sql === 'select 1')).toHaveLength(1);
  });

  it('forgets what nobody asks for', () => {
    const { memo, analyseText } = observed(10);
    memo('select 1');
    for (let i = 0; i < 25; i += 1) memo(`select ${i + 2}`);
    memo('select 1');
    expect(analyseText.mock.calls.filter(([sql]) => sql === 'select 1')).toHaveLength(2);
  });

  it('does not keep texts that are too long to come again', () => {
    const { memo, analyseText } = observed();
    const long = `insert into articles (title) values ${Array.from({ length: 50_000 }, () => '(?)').join(', ')}`;
    expect(memo(long)).toMatchObject({ kind: 'write', verb: 'insert' });
    memo(long);
    expect(analyseText).toHaveBeenCalledTimes(2);
  });

  it('is bounded by characters as well as by texts', () => {
    const { memo, analyseText } = observed();
    memo('select 1');
    // Two generations of four million characters
    for (let i = 0; i < 600; i += 1) memo(`select ${i} /* ${'x'.repeat(18_000)} */`);
    memo('select 1');
    expect(analyseText.mock.calls.filter(([sql]) => sql === 'select 1')).toHaveLength(2);
  });
});
