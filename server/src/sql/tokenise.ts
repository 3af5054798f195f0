import { type Dialect, isIdentifier, type NamesInForce, type Token, type TokenKind, type Tokens } from './tokens';

/** Deepest nesting of brackets, beyond any sane statement. Keeps the recursive analysis from overflowing the stack. */
const MAXIMUM_DEPTH = 200;

/**
 * Splits a statement into tokens as its database would. `undefined` if the text is broken (a quote or bracket is never
 * closed), is nested too deeply, or holds something that only the database can read: MySQL's executable comments,
 * PostgreSQL's U&"…".
 */
export const tokenise = (sql: string, dialect: Dialect, names?: NamesInForce): Tokens | undefined => {
  const rules = RULES[dialect];
  const scan = new Scan(sql, dialect);
  while (scan.at < sql.length) {
    if (!readToken(scan, rules[Math.min(sql.charCodeAt(scan.at), BEYOND_ASCII)] ?? [])) return undefined;
  }
  if (scan.openBrackets.length > 0) return undefined;
  const bindingsCertain = scan.bindingsCertain && !(scan.numbered && scan.placeholders > 0);
  return { sql, names, dialect, list: scan.list, bindingsCertain };
};

/** How far a text has been read, and what has been found. */
class Scan {
  at = 0;
  readonly list: Token[] = [];
  readonly openBrackets: number[] = [];
  placeholders = 0;
  numbered = false;
  bindingsCertain = true;

  constructor(
    readonly sql: string,
    readonly dialect: Dialect,
  ) {}

  add(kind: TokenKind, text: string, end: number, binding = -1, mate = -1): true {
    this.list.push({ kind, text, start: this.at, end, mate, binding });
    this.at = end;
    return true;
  }

  /**
   * Makes the numbers of the bindings uncertain if there is a question mark before `end`: knex and mysql2 count
   * question marks within literals and comments as well.
   */
  checkBindings(end: number): void {
    const question = this.sql.indexOf('?', this.at);
    if (question !== -1 && question < end) this.bindingsCertain = false;
  }
}

/** Reads the token that begins with `text`, the match of its rule's pattern; false if the token cannot be read. */
type Read = (scan: Scan, text: string) => boolean;
type Rule = readonly [first: string, pattern: RegExp, read: Read];

const refuse: Read = () => false;

const token =
  (kind: TokenKind): Read =>
  (scan, text) =>
    scan.add(kind, text, scan.at + text.length);

const space: Read = (scan, { length }) => {
  scan.at += length;
  return true;
};

const comment: Read = (scan, { length }) => passOver(scan, scan.at + length);

const passOver = (scan: Scan, end: number): boolean => {
  if (end === -1) return false;
  scan.checkBindings(end);
  scan.at = end;
  return true;
};

/** PostgreSQL nests block comments; SQLite lets the end of the text close one. */
const blockComment: Read = (scan) => {
  const { sql, at, dialect } = scan;
  let depth = 0;
  for (let i = at; i < sql.length; i += 1) {
    if (sql.startsWith('*/', i) && i > at + 1) {
      depth -= 1;
      i += 1;
      if (depth === 0) return passOver(scan, i + 1);
    } else if (sql.startsWith('/*', i) && (dialect === 'postgres' || i === at)) {
      depth += 1;
      i += 1;
    }
  }
  return passOver(scan, dialect === 'sqlite' ? sql.length : -1);
};

const word: Read = (scan, text) => scan.add('word', text.toLowerCase(), scan.at + text.length);

/** MySQL's identifiers may start with a digit. */
const number: Read = (scan, text) =>
  text.includes('.') || !Number.isNaN(Number(text)) ? token('number')(scan, text) : word(scan, text);

/**
 * Reads a text up to the quote that closes it: a doubled quote does not, nor does one behind a backslash if backslashes
 * escape.
 */
const quoted =
  (kind: TokenKind, backslashes: 'backslashes escape' | 'backslashes are text'): Read =>
  (scan, opening) => {
    const { sql } = scan;
    const quote = opening.slice(-1);
    const start = scan.at + opening.length;
    let doubled = false;
    for (let i = start; i < sql.length; i += 1) {
      if (sql[i] === '\\' && backslashes === 'backslashes escape') i += 1;
      else if (sql[i] === quote && sql[i + 1] === quote) {
        doubled = true;
        i += 1;
      } else if (sql[i] === quote) {
        scan.checkBindings(i);
        const text = sql.slice(start, i);
        return scan.add(kind, doubled ? text.replaceAll(quote + quote, quote) : text, i + 1);
      }
    }
    return false;
  };

/** Reads `$tag$…$tag$` or `[…]`. */
const enclosed =
  (kind: TokenKind, closingOf: (opening: string) => string): Read =>
  (scan, opening) => {
    const start = scan.at + opening.length;
    const closing = closingOf(opening);
    const end = scan.sql.indexOf(closing, start);
    if (end === -1) return false;
    scan.checkBindings(end);
    return scan.add(kind, scan.sql.slice(start, end), end + closing.length);
  };

const placeholder: Read = (scan) => {
  // mysql2 replaces ?? by an identifier.
  if (scan.sql[scan.at + 1] === '?') scan.bindingsCertain = false;
  scan.placeholders += 1;
  return scan.add('placeholder', '?', scan.at + 1, scan.placeholders - 1);
};

/** PostgreSQL's `$1` */
const numberedPlaceholder: Read = (scan, text) => {
  scan.numbered = true;
  return scan.add('placeholder', '$', scan.at + text.length, Number(text.slice(1)) - 1);
};

/** SQLite's `?1`, `:name`, `@name`, `$name` */
const namedPlaceholder: Read = (scan, text) => {
  scan.bindingsCertain = false;
  return token('placeholder')(scan, text);
};

const open: Read = (scan, text) => {
  scan.openBrackets.push(scan.list.length);
  return scan.openBrackets.length <= MAXIMUM_DEPTH && token('open')(scan, text);
};

const close: Read = (scan, text) => {
  const mate = scan.openBrackets.pop() ?? -1;
  const opening = scan.list[mate];
  if (opening?.text !== (text === ')' ? '(' : '[')) return false;
  opening.mate = scan.list.length;
  return scan.add('close', text, scan.at + 1, -1, mate);
};

/** `.5` is a number, unless it follows a name as in `t0.5th`. */
const dot: Read = (scan, text) => {
  const before = scan.list.at(-1);
  const isName = before !== undefined && before.end === scan.at && isIdentifier(before);
  return text === '.' || isName ? scan.add('dot', '.', scan.at + 1) : token('number')(scan, text);
};

/** PostgreSQL's operator ?, which knex escapes as `\?`. */
const questionMark: Read = (scan) => {
  if (scan.dialect === 'mysql') scan.bindingsCertain = false;
  return scan.add('operator', '?', scan.at + 2);
};

/** Reads a token by the first rule whose pattern matches. A character that no rule matches is an operator. */
const readToken = (scan: Scan, rules: readonly Rule[]): boolean => {
  for (const [, pattern, read] of rules) {
    pattern.lastIndex = scan.at;
    if (pattern.test(scan.sql)) return read(scan, scan.sql.slice(scan.at, pattern.lastIndex));
  }
  return scan.add('operator', scan.sql.charAt(scan.at), scan.at + 1);
};

/** Stands for all characters beyond ASCII, which count as letters. */
const BEYOND_ASCII = 128;
const DIGITS = '0123456789';
const LETTERS = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_${String.fromCharCode(BEYOND_ASCII)}`;

/** The rules of every dialect, tried after the dialect's own. */
const COMMON: readonly Rule[] = [
  [' \t\n\r\f\v', /[ \t\n\r\f\v]+/y, space],
  ['/', /\/\*/y, blockComment],
  [DIGITS, /(?:\d+\.[\w\u0080-\uffff]*|\d[\w$\u0080-\uffff]*)(?:(?<=[eE])[+-]\d*)?/y, number],
  [LETTERS, /[\w$\u0080-\uffff]+/y, word],
  ['?', /\?/y, placeholder],
  ['(', /\(/y, open],
  [')]', /[)\]]/y, close],
  [',', /,/y, token('comma')],
  [';', /;/y, token('semicolon')],
  ['.', /\.\d*/y, dot],
  ['\\', /\\\?/y, questionMark],
  ['\\[$`', /[^]/y, refuse],
  [':', /::|:=/y, token('operator')],
  // Ends before a comment, and before the sign of `=-1`.
  ['-+/<>=~!@#%^&|', /[-+/<>=~!@#%^&|](?:(?:(?!--|\/\*)[-+/<>=~!%^&|])*(?!\/\*)[/<>=~!%^&|])?/y, token('operator')],
];

const OWN: Readonly<Record<Dialect, readonly Rule[]>> = {
  sqlite: [
    ['-', /--[^\n]*/y, comment],
    ["nNbBxXeE'", /[nNbBxXeE]?'/y, quoted('string', 'backslashes are text')],
    ['"', /"/y, quoted('ambiguous-name', 'backslashes are text')],
    ['`', /`/y, quoted('name', 'backslashes are text')],
    ['[', /\[/y, enclosed('name', () => ']')],
    ['@', /@@?['"`]/y, refuse],
    ['?:$@', /\?\d+|:[\w\u0080-\uffff]+|\$[\w\u0080-\uffff]*|@@?[\w.\u0080-\uffff]*/y, namedPlaceholder],
  ],
  postgres: [
    ['-', /--[^\n\r]*/y, comment],
    ['uU', /[uU]&['"]/y, refuse],
    ['eE', /[eE]'/y, quoted('string', 'backslashes escape')],
    ["nNbBxX'", /[nNbBxX]?'/y, quoted('string', 'backslashes are text')],
    ['"', /"/y, quoted('name', 'backslashes are text')],
    ['[', /\[/y, open],
    ['$', /\$\d+/y, numberedPlaceholder],
    ['$', /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y, enclosed('string', (tag) => tag)],
    // PostgreSQL's operators have more characters.
    [
      '-+/<>=~!@#%^&|',
      /(?!\/\*)[-+/<>=~!@#%^&|](?:(?:(?!--|\/\*)[-+/<>=~!@#%^&|])*(?!\/\*)[/<>=~!@#%^&|])?/y,
      token('operator'),
    ],
  ],
  mysql: [
    // Without a blank behind it, `--` begins no comment: 5--3 is a subtraction.
    ['#-', /#[^\n]*|--(?=[\0- ]|$)[^\n]*/y, comment],
    ['/@', /\/\*M?!|@@?['"`]/y, refuse],
    ["nNbBxXeE_'", /(?:[nNbBxXeE]|_[\w$\u0080-\uffff]*)?'/y, quoted('string', 'backslashes escape')],
    ['"', /"/y, quoted('ambiguous-name', 'backslashes escape')],
    ['`', /`/y, quoted('name', 'backslashes are text')],
    ['@', /@@?[\w.\u0080-\uffff]*/y, token('variable')],
    ['$', /\$[\w$\u0080-\uffff]*/y, word],
  ],
};

/** The rules of a dialect, by the code of the first character of a token. */
const byFirstCharacter = (dialect: Dialect): ReadonlyArray<readonly Rule[]> =>
  Array.from({ length: BEYOND_ASCII + 1 }, (_, code) =>
    [...OWN[dialect], ...COMMON].filter(([first]) => first.includes(String.fromCharCode(code))),
  );

const RULES = {
  sqlite: byFirstCharacter('sqlite'),
  postgres: byFirstCharacter('postgres'),
  mysql: byFirstCharacter('mysql'),
};
