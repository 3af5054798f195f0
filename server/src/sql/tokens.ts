/** The three databases Strapi runs on; they quote, comment and escape differently. */
export type Dialect = 'sqlite' | 'postgres' | 'mysql';

/**
 * `word` is a keyword or an identifier without quotes, `name` a quoted identifier. `ambiguous-name` is "x" outside
 * PostgreSQL: MySQL takes it for a string unless configured otherwise, SQLite for a name if there is one of that
 * spelling. `variable` is MySQL's @x.
 */
export type TokenKind =
  | 'word'
  | 'name'
  | 'ambiguous-name'
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
  /** For a bracket: the index of its counterpart; -1 for other tokens. */
  mate: number;
  /** For a placeholder: the index of the binding it takes; -1 where that is not known, and for other tokens. */
  readonly binding: number;
}

/** The meanings of names in one database, as the database itself says. */
export interface NamesInForce {
  /** The schema that a name without a schema means, in lower case; a name may give it without a difference. */
  readonly home: string;
  /**
   * Functions that the application has defined, in lower case. In other databases a function of the same name may be
   * harmless.
   */
  readonly ownFunctions: ReadonlySet<string>;
  /** Those of `ownFunctions` that PostgreSQL also calls by the notation of a column: `article.teaser`. */
  readonly rowFunctions: ReadonlySet<string>;
  /**
   * Tables, views and the like, in lower case; those of other schemas both as `schema.name` and by their name alone.
   */
  readonly relations: ReadonlySet<string>;
}

export interface Tokens {
  readonly sql: string;
  /** `undefined` if the database has not been asked; the schemas in names are then ignored. */
  readonly names?: NamesInForce | undefined;
  readonly dialect: Dialect;
  readonly list: readonly Token[];
  /**
   * False if it is not certain which binding a placeholder takes, for example because a literal holds a question mark.
   */
  readonly bindingsCertain: boolean;
}

const END: Token = { kind: 'end', text: '', start: 0, end: 0, mate: -1, binding: -1 };

/** The token at an index, or one of kind `end` beyond the last token, so that looking ahead never needs a check. */
export const tokenAt = ({ list }: Tokens, index: number): Token => list[index] ?? END;

/** A name as it is written. Whether `A` means `a` depends on the database. */
export const spellingOf = ({ sql }: Tokens, { kind, text, start, end }: Token): string =>
  kind === 'word' ? sql.slice(start, end) : text;

/**
 * The name of the table that the tokens from `from` to `last` (inclusive) spell, in lower case; with its schema, unless
 * that is the home schema or the database has not been asked.
 */
export const tableName = (tokens: Tokens, from: number, last: number): string => {
  const name = tokenAt(tokens, last).text.toLowerCase();
  if (last === from || tokens.names === undefined) return name;
  const schema: string[] = [];
  for (let i = from; i < last; i += 2) schema.push(tokenAt(tokens, i).text.toLowerCase());
  return schema.join('.') === tokens.names.home ? name : `${schema.join('.')}.${name}`;
};

/** Whether the token is this keyword or unquoted name; a quoted "select" is neither. */
export const isKeyword = (tokens: Tokens, index: number, text: string): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'word' && token.text === text;
};

export const isOperator = (tokens: Tokens, index: number, text: string): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'operator' && token.text === text;
};

/** Whether the token is a keyword or unquoted name among these. */
export const isOneOf = (tokens: Tokens, index: number, among: ReadonlySet<string>): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'word' && among.has(token.text);
};

/** Whether the token is an opening round bracket, not the square one of an array. */
export const opens = (tokens: Tokens, index: number): boolean => {
  const token = tokenAt(tokens, index);
  return token.kind === 'open' && token.text === '(';
};

/** The index of the next token at this level: everything in brackets is passed over. */
export const nextAtLevel = (tokens: Tokens, index: number): number => {
  const token = tokenAt(tokens, index);
  return token.kind === 'open' ? token.mate + 1 : index + 1;
};

/** The index of the next of these keywords at this level, or `to`. */
export const findKeyword = (tokens: Tokens, from: number, to: number, sought: ReadonlySet<string>): number => {
  let i = from;
  while (i < to && !isOneOf(tokens, i, sought)) i = nextAtLevel(tokens, i);
  return Math.min(i, to);
};

/** A run of tokens, the second index excluded. */
export type Range = readonly [from: number, to: number];

/** The parts of a list, split at its top-level commas. */
export const itemsOf = (tokens: Tokens, from: number, to: number): readonly Range[] => {
  const items: Range[] = [];
  let start = from;
  for (let i = from; i < to; i = nextAtLevel(tokens, i)) {
    if (tokenAt(tokens, i).kind !== 'comma') continue;
    items.push([start, i]);
    start = i + 1;
  }
  return [...items, [start, to]];
};

/** Whether the token may be the name of a table, a column or an alias. */
export const isIdentifier = ({ kind }: Token): boolean =>
  kind === 'word' || kind === 'name' || kind === 'ambiguous-name';

/** SQLite takes 'articles' for a name where only a name is possible. */
const isNameOrString = (token: Token): boolean => isIdentifier(token) || token.kind === 'string';

/** The index of the last token of the name that starts at `i`: `schema.table`, `table.column`. */
export const endOfName = (tokens: Tokens, i: number): number => {
  let last = i;
  while (tokenAt(tokens, last + 1).kind === 'dot' && isNameOrString(tokenAt(tokens, last + 2))) last += 2;
  return last;
};

/** The parts of a text that white space separates. */
export const setOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));
