/** The three databases Strapi runs on; they quote, comment and escape differently. */
export type Dialect = 'sqlite' | 'postgres' | 'mysql';

/**
 * `name` is a quoted identifier. `doubtful-name` is "x" outside PostgreSQL: MySQL takes it for a string unless told
 * otherwise, SQLite for whichever there is. `variable` is MySQL's @x.
 */
export type TokenKind =
  | 'word'
  | 'name'
  | 'doubtful-name'
  | 'string'
  | 'number'
  | 'placeholder'
  | 'variable'
  | 'operator'
  | 'open'
  | 'close'
  | 'comma'
  | 'dot'
  | 'semicolon'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Words in lower case; names and strings without their quotes; everything else as written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of a bracket: the index of the token that closes or opens it. */
  mate: number;
  /** Of a placeholder: which of the statement's bindings it takes; -1 where that cannot be told. */
  readonly binding: number;
}

/** What names mean in one database; asked from the database itself. */
export interface NamesInForce {
  /** The schema that a name without one means: naming it makes no difference. In lower case. */
  readonly home: string;
  /** Functions of the application's own, in lower case: what another database calls so may be harmless. */
  readonly ownFunctions: ReadonlySet<string>;
  /** Tables, views and the like, in lower case: those of other schemas as `schema.name`, and by their name alone. */
  readonly relations: ReadonlySet<string>;
}

export interface Tokens {
  readonly sql: string;
  /** `undefined` where nobody has asked: every schema is taken for the same then. */
  readonly names?: NamesInForce | undefined;
  readonly dialect: Dialect;
  readonly list: readonly Token[];
  /** Where in the list the semicolons are. */
  readonly semicolons: readonly number[];
  /** False where a placeholder's number is doubtful, such as when a literal holds a question mark. */
  readonly bindingsCertain: boolean;
}

const END: Token = { kind: 'end', text: '', start: 0, end: 0, mate: -1, binding: -1 };

/** The token at an index, or one of kind `end` beyond the last: looking ahead never needs a check. */
export const tokenAt = ({ list }: Tokens, index: number): Token => list[index] ?? END;

/** A name as it is written: whether `A` means `a` depends on the database. */
export const spellingOf = ({ sql }: Tokens, { kind, text, start, end }: Token): string =>
  kind === 'word' ? sql.slice(start, end) : text;

/**
 * The name of the table that the tokens from `from` to `last` spell, in lower case: with its schema, unless that is the
 * one every name without one means.
 */
export const tableName = (tokens: Tokens, from: number, last: number): string => {
  const name = tokenAt(tokens, last).text.toLowerCase();
  if (last === from || tokens.names === undefined) return name;
  const schema: string[] = [];
  for (let i = from; i < last; i += 2) schema.push(tokenAt(tokens, i).text.toLowerCase());
  return schema.join('.') === tokens.names.home ? name : `${schema.join('.')}.${name}`;
};

/** A keyword or unquoted name; a quoted "select" is none. */
export const isWord = (tokens: Tokens, index: number, text: string): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'word' && token.text === text;
};

export const isOperator = (tokens: Tokens, index: number, text: string): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'operator' && token.text === text;
};

/** The index of the next word of this level that `accept` takes, or `to`. */
export const findWord = (tokens: Tokens, from: number, to: number, accept: (word: string) => boolean): number => {
  let i = from;
  while (i < to) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'word' && accept(token.text)) return i;
    i = token.kind === 'open' ? token.mate + 1 : i + 1;
  }
  return to;
};

/** Could be the name of a table, a column or an alias. */
export const isIdentifier = ({ kind }: Token): boolean =>
  kind === 'word' || kind === 'name' || kind === 'doubtful-name';

/** Deeper brackets than any sane statement has; keeps the analysis off the end of the stack. */
const MAXIMUM_DEPTH = 200;

const SPACE = 1;
const LETTER = 2;
const DIGIT = 4;
const OPERATOR = 8;
const UPPER = 16;

const classes = (() => {
  const table = new Uint8Array(128);
  const mark = (characters: string, flag: number) => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | flag;
    }
  };
  mark(' \t\n\r\f\v', SPACE);
  mark('abcdefghijklmnopqrstuvwxyz_', LETTER);
  mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER | UPPER);
  mark('0123456789', DIGIT);
  mark('+-/<>=~!@#%^&|', OPERATOR);
  return table;
})();

/** Beyond ASCII everything is a letter, and may have an upper case. NaN, past the end of the text, is nothing. */
const classOf = (code: number): number => (code < 128 ? (classes[code] ?? 0) : code >= 128 ? LETTER | UPPER : 0);

const DOUBLE_QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const QUOTE = 39;
const OPEN = 40;
const CLOSE = 41;
const STAR = 42;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const SLASH = 47;
const COLON = 58;
const SEMICOLON = 59;
const QUESTION = 63;
const AT = 64;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const BACKTICK = 96;

/** Where a quoted text that starts at `start` ends (after its closing quote); -1 if it never does. */
const endOfQuoted = (sql: string, start: number, quote: number, backslashes: boolean): number => {
  for (let i = start + 1; i < sql.length; i += 1) {
    const code = sql.charCodeAt(i);
    if (backslashes && code === BACKSLASH) i += 1;
    else if (code === quote) {
      if (sql.charCodeAt(i + 1) !== quote) return i + 1;
      i += 1;
    }
  }
  return -1;
};

const endOfLine = (sql: string, start: number, dialect: Dialect): number => {
  let i = start;
  for (; i < sql.length; i += 1) {
    const character = sql[i];
    if (character === '\n' || (character === '\r' && dialect === 'postgres')) break;
  }
  return i;
};

/** PostgreSQL nests block comments; SQLite lets the end of the text close one. -1 if it is never closed. */
const endOfBlockComment = (sql: string, start: number, dialect: Dialect): number => {
  let depth = 1;
  for (let i = start + 2; i < sql.length; i += 1) {
    if (sql.startsWith('*/', i)) {
      depth -= 1;
      if (depth === 0) return i + 2;
      i += 1;
    } else if (dialect === 'postgres' && sql.startsWith('/*', i)) {
      depth += 1;
      i += 1;
    }
  }
  return dialect === 'sqlite' ? sql.length : -1;
};

const unquoted = (sql: string, start: number, end: number, quote: string): string => {
  const text = sql.slice(start + 1, end - 1);
  return text.includes(quote) ? text.replaceAll(quote + quote, quote) : text;
};

/**
 * Splits a statement as its database would. `undefined` where the text is broken (a quote or bracket never closed)
 * or holds what cannot be read from outside: MySQL's executable comments, PostgreSQL's U&"…".
 */
export const tokenise = (sql: string, dialect: Dialect, names?: NamesInForce): Tokens | undefined => {
  const list: Token[] = [];
  const openBrackets: number[] = [];
  const semicolons: number[] = [];
  const postgres = dialect === 'postgres';
  const mysql = dialect === 'mysql';
  let placeholders = 0;
  let numbered = false;
  let bindingsCertain = true;
  let i = 0;

  const add = (kind: TokenKind, text: string, end: number, binding = -1, mate = -1): void => {
    list.push({ kind, text, start: i, end, mate, binding });
    i = end;
  };
  /** knex and mysql2 count question marks without looking where they stand. */
  const passOver = (end: number): void => {
    if (bindingsCertain) {
      const question = sql.indexOf('?', i);
      if (question !== -1 && question < end) bindingsCertain = false;
    }
  };

  while (i < sql.length) {
    const code = sql.charCodeAt(i);
    const type = classOf(code);

    if (type === SPACE) {
      i += 1;
      continue;
    }

    if (type & (LETTER | DIGIT) || (code === DOLLAR && mysql)) {
      let end = i + 1;
      let flags = type;
      let next = sql.charCodeAt(end);
      let nextType = classOf(next);
      let onlyDigits = type === DIGIT;
      while (nextType & (LETTER | DIGIT) || next === DOLLAR) {
        flags |= nextType;
        onlyDigits &&= nextType === DIGIT;
        end += 1;
        next = sql.charCodeAt(end);
        nextType = classOf(next);
      }
      if (type === DIGIT) {
        if (onlyDigits && next === DOT) {
          do end += 1;
          while (classOf(sql.charCodeAt(end)) & (LETTER | DIGIT));
        }
        const last = sql.charCodeAt(end - 1) | 32;
        if (last === 101 && (sql.charCodeAt(end) === MINUS || sql.charCodeAt(end) === PLUS)) {
          do end += 1;
          while (classOf(sql.charCodeAt(end)) & DIGIT);
        }
        const text = sql.slice(i, end);
        // MySQL's identifiers may start with a digit.
        if (onlyDigits || !Number.isNaN(Number(text))) add('number', text, end);
        else add('word', text.toLowerCase(), end);
        continue;
      }
      const length = end - i;
      const text = flags & UPPER ? sql.slice(i, end).toLowerCase() : sql.slice(i, end);
      if (next === QUOTE && (length === 1 ? 'nbxe'.includes(text) : mysql && text.startsWith('_'))) {
        // A string's prefix: N'…', X'…', B'…', PostgreSQL's E'…', MySQL's _utf8mb4'…'.
        const endOfString = endOfQuoted(sql, end, QUOTE, mysql || (postgres && text === 'e'));
        if (endOfString === -1) return undefined;
        passOver(endOfString);
        add('string', sql.slice(end + 1, endOfString - 1), endOfString);
        continue;
      }
      if (postgres && text === 'u' && sql[end] === '&') {
        const quote = sql.charCodeAt(end + 1);
        if (quote === QUOTE || quote === DOUBLE_QUOTE) return undefined;
      }
      add('word', text, end);
      continue;
    }

    switch (code) {
      case QUOTE: {
        const end = endOfQuoted(sql, i, QUOTE, mysql);
        if (end === -1) return undefined;
        passOver(end);
        add('string', unquoted(sql, i, end, "'"), end);
        continue;
      }
      case DOUBLE_QUOTE: {
        const end = endOfQuoted(sql, i, DOUBLE_QUOTE, mysql);
        if (end === -1) return undefined;
        passOver(end);
        add(postgres ? 'name' : 'doubtful-name', unquoted(sql, i, end, '"'), end);
        continue;
      }
      case BACKTICK: {
        if (postgres) return undefined;
        const end = endOfQuoted(sql, i, BACKTICK, false);
        if (end === -1) return undefined;
        passOver(end);
        add('name', unquoted(sql, i, end, '`'), end);
        continue;
      }
      case OPEN_BRACKET: {
        if (mysql) return undefined;
        if (postgres) {
          openBrackets.push(list.length);
          if (openBrackets.length > MAXIMUM_DEPTH) return undefined;
          add('open', '[', i + 1);
          continue;
        }
        const end = sql.indexOf(']', i) + 1;
        if (end === 0) return undefined;
        passOver(end);
        add('name', sql.slice(i + 1, end - 1), end);
        continue;
      }
      case OPEN:
        openBrackets.push(list.length);
        if (openBrackets.length > MAXIMUM_DEPTH) return undefined;
        add('open', '(', i + 1);
        continue;
      case CLOSE:
      case CLOSE_BRACKET: {
        const opener = openBrackets.pop();
        const opening = opener === undefined ? undefined : list[opener];
        if (opener === undefined || opening?.text !== (code === CLOSE ? '(' : '[')) return undefined;
        opening.mate = list.length;
        add('close', code === CLOSE ? ')' : ']', i + 1, -1, opener);
        continue;
      }
      case COMMA:
        add('comma', ',', i + 1);
        continue;
      case SEMICOLON:
        semicolons.push(list.length);
        add('semicolon', ';', i + 1);
        continue;
      case STAR:
        add('operator', '*', i + 1);
        continue;
      case DOT: {
        let end = i + 1;
        while (classOf(sql.charCodeAt(end)) & DIGIT) end += 1;
        const before = list[list.length - 1];
        // `.5` is a number, the dot of `t0.5th` none.
        if (end > i + 1 && (before === undefined || before.end !== i || !isIdentifier(before))) {
          add('number', sql.slice(i, end), end);
        } else add('dot', '.', i + 1);
        continue;
      }
      case QUESTION: {
        let end = i + 1;
        // mysql2 puts an identifier for ??, and SQLite numbers its placeholders ?1.
        if (sql.charCodeAt(end) === QUESTION) bindingsCertain = false;
        while (dialect === 'sqlite' && classOf(sql.charCodeAt(end)) & DIGIT) end += 1;
        if (end > i + 1) bindingsCertain = false;
        add('placeholder', '?', end, placeholders);
        placeholders += 1;
        continue;
      }
      case BACKSLASH:
        if (sql.charCodeAt(i + 1) !== QUESTION) return undefined;
        if (mysql) bindingsCertain = false;
        add('operator', '?', i + 2);
        continue;
      case DOLLAR: {
        let end = i + 1;
        while (classOf(sql.charCodeAt(end)) & DIGIT) end += 1;
        if (end > i + 1 && postgres) {
          numbered = true;
          add('placeholder', '$', end, Number(sql.slice(i + 1, end)) - 1);
          continue;
        }
        while (classOf(sql.charCodeAt(end)) & (LETTER | DIGIT)) end += 1;
        if (dialect === 'sqlite') {
          bindingsCertain = false;
          add('placeholder', '$', end);
          continue;
        }
        if (sql.charCodeAt(end) !== DOLLAR) return undefined;
        const tag = sql.slice(i, end + 1);
        const closing = sql.indexOf(tag, end + 1);
        if (closing === -1) return undefined;
        passOver(closing);
        add('string', sql.slice(end + 1, closing), closing + tag.length);
        continue;
      }
      case COLON: {
        const next = sql.charCodeAt(i + 1);
        if (next === COLON) add('operator', '::', i + 2);
        else if (dialect === 'sqlite' && classOf(next) & (LETTER | DIGIT)) {
          let end = i + 2;
          while (classOf(sql.charCodeAt(end)) & (LETTER | DIGIT)) end += 1;
          bindingsCertain = false;
          add('placeholder', ':', end);
        } else if (next === 61) add('operator', ':=', i + 2);
        else add('operator', ':', i + 1);
        continue;
      }
      case AT:
        if (!postgres) {
          let end = i + 1;
          if (sql.charCodeAt(end) === AT) end += 1;
          const quote = sql.charCodeAt(end);
          if (quote === QUOTE || quote === BACKTICK || quote === DOUBLE_QUOTE) return undefined;
          while (classOf(sql.charCodeAt(end)) & (LETTER | DIGIT) || sql.charCodeAt(end) === DOT) end += 1;
          if (mysql) add('variable', '@', end);
          else {
            bindingsCertain = false;
            add('placeholder', '@', end);
          }
          continue;
        }
        break;
      case HASH:
        if (mysql) {
          const end = endOfLine(sql, i, dialect);
          passOver(end);
          i = end;
          continue;
        }
        break;
      case MINUS:
        // MySQL wants a space after the dashes: 5--3 is a subtraction there.
        if (sql.charCodeAt(i + 1) === MINUS && !(mysql && i + 2 < sql.length && sql.charCodeAt(i + 2) > 32)) {
          const end = endOfLine(sql, i, dialect);
          passOver(end);
          i = end;
          continue;
        }
        break;
      case SLASH:
        if (sql.charCodeAt(i + 1) === STAR) {
          if (mysql && (sql[i + 2] === '!' || sql.startsWith('M!', i + 2))) return undefined;
          const end = endOfBlockComment(sql, i, dialect);
          if (end === -1) return undefined;
          passOver(end);
          i = end;
          continue;
        }
        break;
    }

    if (!(type & OPERATOR)) {
      add('operator', sql[i] ?? '', i + 1);
      continue;
    }
    let end = i + 1;
    while (classOf(sql.charCodeAt(end)) & OPERATOR) {
      const next = sql.charCodeAt(end);
      if (next === MINUS && sql.charCodeAt(end + 1) === MINUS) break;
      if (next === SLASH && sql.charCodeAt(end + 1) === STAR) break;
      if (!postgres && (next === AT || next === HASH)) break;
      end += 1;
    }
    // The sign of `=-1` is no part of the operator.
    while (end > i + 1 && (sql.charCodeAt(end - 1) === MINUS || sql.charCodeAt(end - 1) === PLUS)) end -= 1;
    add('operator', sql.slice(i, end), end);
  }

  if (openBrackets.length > 0) return undefined;
  if (numbered && placeholders > 0) bindingsCertain = false;
  return { sql, names, dialect, list, semicolons, bindingsCertain };
};
