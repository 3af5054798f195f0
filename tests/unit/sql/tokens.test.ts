import { describe, expect, it } from 'vitest';

import { tokenise } from '../../../server/src/sql/tokenise';
import type { Dialect } from '../../../server/src/sql/tokens';

const ALL: readonly Dialect[] = ['sqlite', 'postgres', 'mysql'];

/** Each token as `kind:text`; `undefined` if the text cannot be split. */
const split = (sql: string, dialect: Dialect): string | undefined =>
  tokenise(sql, dialect)
    ?.list.map(({ kind, text, binding }) => (kind === 'placeholder' ? `?${binding}` : `${kind}:${text}`))
    .join(' ');

const numbersCertain = (sql: string, dialect: Dialect): boolean | undefined => tokenise(sql, dialect)?.bindingsCertain;

describe('tokens', () => {
  it('folds words and keeps names', () => {
    for (const dialect of ALL) expect(split('SELECT Größe', dialect)).toBe('word:select word:größe');
    expect(split('"Größe"', 'postgres')).toBe('name:Größe');
    expect(split('`a``b` [c d]', 'sqlite')).toBe('name:a`b name:c d');
  });

  it.each([
    ["'it''s'", "string:it's"],
    ["''", 'string:'],
    ["x'00ff' n'a'", 'string:00ff string:a'],
    ['1 1.5 .5 1e5 1.5e-3 0x1f', 'number:1 number:1.5 number:.5 number:1e5 number:1.5e-3 number:0x1f'],
    ['t0.id', 'word:t0 dot:. word:id'],
    ['a.*,b', 'word:a dot:. operator:* comma:, word:b'],
    ['a<>-1', 'word:a operator:<> operator:- number:1'],
    ['a=?', 'word:a operator:= ?0'],
    ['(?, ?);', 'open:( ?0 comma:, ?1 close:) semicolon:;'],
    ['a -- b ?\n c', 'word:a word:c'],
    ['a /* b */ c', 'word:a word:c'],
  ])('splits %s alike everywhere', (sql, expected) => {
    for (const dialect of ALL) expect(split(sql, dialect), dialect).toBe(expected);
  });

  it("takes a backslash for an escape in MySQL's strings and PostgreSQL's E'…'", () => {
    expect(split("'\\' a", 'sqlite')).toBe('string:\\ word:a');
    expect(split("'\\' a", 'postgres')).toBe('string:\\ word:a');
    expect(split("'\\' a'", 'mysql')).toBe("string:\\' a");
    expect(split("'\\' a", 'mysql')).toBeUndefined();
    expect(split("e'\\' a'", 'postgres')).toBe("string:\\' a");
  });

  it('takes "x" for a name, or for what may be one, as each database does', () => {
    expect(split('"x"', 'postgres')).toBe('name:x');
    expect(split('"x"', 'sqlite')).toBe('ambiguous-name:x');
    expect(split('"x"', 'mysql')).toBe('ambiguous-name:x');
  });

  it('reads comments as each database does', () => {
    expect(split('a /* /* */ b', 'sqlite')).toBe('word:a word:b');
    expect(split('a /* /* */ b', 'mysql')).toBe('word:a word:b');
    expect(split('a /* /* */ b', 'postgres')).toBeUndefined();
    expect(split('a /* /* */ */ b', 'postgres')).toBe('word:a word:b');
    expect(split('a /* b', 'sqlite')).toBe('word:a');
    expect(split('a /* b', 'mysql')).toBeUndefined();
    expect(split('a # b', 'mysql')).toBe('word:a');
    expect(split('a # b', 'postgres')).toBe('word:a operator:# word:b');
    expect(split('5--3', 'mysql')).toBe('number:5 operator:- operator:- number:3');
    expect(split('5--3', 'postgres')).toBe('number:5');
    expect(split('a -- b\r c', 'postgres')).toBe('word:a word:c');
    expect(split('a -- b\r c', 'sqlite')).toBe('word:a');
    expect(split('a /*! b */', 'mysql')).toBeUndefined();
    expect(split('a /*! b */', 'sqlite')).toBe('word:a');
  });

  it("reads PostgreSQL's own syntax", () => {
    expect(split("$$it's$$ $tag$ $$ $tag$", 'postgres')).toBe("string:it's string: $$ ");
    expect(split('a::int[] @> b->>c', 'postgres')).toBe(
      'word:a operator::: word:int open:[ close:] operator:@> word:b operator:->> word:c',
    );
    expect(split("U&'x'", 'postgres')).toBeUndefined();
    expect(split('$2 $10', 'postgres')).toBe('?1 ?9');
    expect(split('a$b', 'postgres')).toBe('word:a$b');
  });

  it('takes an escaped question mark for an operator', () => {
    expect(split('a \\? b', 'postgres')).toBe('word:a operator:? word:b');
    expect(numbersCertain('a \\? ?', 'postgres')).toBe(true);
  });

  it.each<[string, Dialect]>([
    ["? '?'", 'postgres'],
    ['? -- ?', 'mysql'],
    ['? /* ? */', 'sqlite'],
    ['? "a?"', 'postgres'],
    ['? $1', 'postgres'],
    ['?1', 'sqlite'],
    [':name', 'sqlite'],
    ['??', 'mysql'],
  ])('does not number the placeholders of %s', (sql, dialect) => {
    expect(numbersCertain(sql, dialect)).toBe(false);
  });

  it('finds the bracket that closes another', () => {
    const mates = tokenise('((a)[1])', 'postgres')?.list.map(({ mate }) => mate);
    expect(mates).toEqual([7, 3, -1, 1, 6, -1, 4, 0]);
  });

  it.each(['(', ')', '(]', "'", '`', '"', '(()'])('refuses what is never closed: %s', (sql) => {
    for (const dialect of ALL) expect(split(sql, dialect), dialect).toBeUndefined();
  });
});
