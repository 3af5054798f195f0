import { analyseSession } from './analyse-session';
import { analyseWrite } from './analyse-write';
import { readPlainSelect } from './plain-select';
import { type OpaqueRead, type Statement, tablesRead } from './statement';
import { Survey } from './survey';
import { tokenise } from './tokenise';
import { type Dialect, type NamesInForce, isIdentifier, isWord, tableName, tokenAt, type Tokens } from './tokens';

const UNKNOWN: Statement = { kind: 'unknown' };
const NEUTRAL: Statement = { kind: 'neutral' };

/** Definitions whose bodies hold statements, and semicolons, of their own. */
const BODIES = new Set('trigger procedure function event package rule atomic'.split(' '));

/**
 * What a statement does, from its text alone, as knex hands it to `client.query`: `?` for each binding. It never
 * throws, and where it is not sure it says the worse: a read names more tables than it reads, a statement is `unknown`.
 */
export const analyse = (sql: string, dialect: Dialect, names?: NamesInForce): Statement => {
  const tokens = tokenise(sql, dialect, names);
  if (tokens === undefined) return UNKNOWN;

  const statements: Statement[] = [];
  let from = 0;
  for (const to of [...tokens.semicolons, tokens.list.length]) {
    if (to > from) {
      const statement = analyseOne(tokens, from, to);
      statements.push(statement);
      if (statement.kind === 'unknown' && holdsStatements(tokens, from, to)) break;
    }
    from = to + 1;
  }

  const [first] = statements;
  if (first === undefined) return NEUTRAL;
  return statements.length === 1 ? first : { kind: 'batch', statements };
};

const holdsStatements = (tokens: Tokens, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'word' && BODIES.has(token.text)) return true;
  }
  return false;
};

const analyseOne = (tokens: Tokens, from: number, to: number): Statement => {
  const first = tokenAt(tokens, from);
  if (first.kind === 'open') {
    // `(select …) union (select …)`
    let i = from;
    while (tokenAt(tokens, i).kind === 'open') i += 1;
    const inner = tokenAt(tokens, i);
    return inner.kind === 'word' && ['select', 'with', 'values', 'table'].includes(inner.text)
      ? readOrWrite(tokens, from, from, to, false)
      : UNKNOWN;
  }
  if (first.kind !== 'word') return UNKNOWN;

  switch (first.text) {
    case 'select':
    case 'values':
    case 'table':
      return readOrWrite(tokens, from, from, to, false);
    case 'with':
      return readOrWrite(tokens, from, mainVerb(tokens, from, to), to, true);
    case 'insert':
    case 'replace':
    case 'update':
    case 'delete':
    case 'merge':
      return readOrWrite(tokens, from, from, to, false);
    case 'truncate':
      return analyseTruncate(tokens, from, to);
    case 'explain':
    case 'describe':
    case 'desc':
      return analyseExplain(tokens, from, to);
    case 'set': {
      // `set @a = write_something()`
      const statement = analyseSession(tokens, from, to);
      return statement?.kind === 'neutral' && new Survey(tokens, from, to).unknown ? UNKNOWN : (statement ?? UNKNOWN);
    }
    default:
      return analyseSession(tokens, from, to) ?? UNKNOWN;
  }
};

/** The verb after WITH and its CTEs, which are all in brackets; `to` if there is none. */
const mainVerb = (tokens: Tokens, from: number, to: number): number => {
  let i = from + 1;
  while (i < to) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'open') i = token.mate;
    else if (
      token.kind === 'word' &&
      ['select', 'insert', 'replace', 'update', 'delete', 'merge', 'values', 'table'].includes(token.text) &&
      tokenAt(tokens, i - 1).kind === 'close'
    ) {
      return i;
    }
    i += 1;
  }
  return to;
};

const readOrWrite = (tokens: Tokens, from: number, verb: number, to: number, hasWith: boolean): Statement => {
  const survey = new Survey(tokens, from, to);
  const { text } = tokenAt(tokens, verb);
  const writes = ['insert', 'replace', 'update', 'delete', 'merge'].includes(text) && verb < to;
  return writes || survey.writes.size > 0
    ? analyseWrite(tokens, verb, to, hasWith, survey)
    : analyseRead(tokens, from, to, survey);
};

/** `truncate table a, only b restart identity`; CASCADE empties tables it does not name. */
const analyseTruncate = (tokens: Tokens, from: number, to: number): Statement => {
  const tables: string[] = [];
  let i = from + 1;
  if (isWord(tokens, i, 'table')) i += 1;
  for (;;) {
    if (isWord(tokens, i, 'only')) i += 1;
    const start = i;
    while (tokenAt(tokens, i + 1).kind === 'dot') i += 2;
    const name = tokenAt(tokens, i);
    if (i >= to || !isIdentifier(name)) return UNKNOWN;
    tables.push(tableName(tokens, start, i));
    i += 1;
    if (tokenAt(tokens, i).text === '*') i += 1;
    if (tokenAt(tokens, i).kind !== 'comma') break;
    i += 1;
  }
  for (; i < to; i += 1) {
    const { kind, text } = tokenAt(tokens, i);
    if (kind !== 'word' || !['restart', 'continue', 'identity', 'restrict'].includes(text)) return UNKNOWN;
  }
  const [table] = tables;
  if (table === undefined) return UNKNOWN;
  const commits = tokens.dialect === 'mysql';
  return { kind: 'write', verb: 'opaque', table, tables, commits, reads: [], returning: false };
};

/** EXPLAIN touches nothing; with ANALYZE it does what it explains. */
const analyseExplain = (tokens: Tokens, from: number, to: number): Statement => {
  for (let i = from + 1; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind !== 'word') continue;
    if (token.text === 'analyze' || token.text === 'analyse') {
      for (let j = i + 1; j < to; j += 1) {
        if (isWord(tokens, j, 'select')) return analyseOne(tokens, j, to).kind === 'read' ? NEUTRAL : UNKNOWN;
        const { text } = tokenAt(tokens, j);
        if (['with', 'insert', 'update', 'delete', 'replace', 'merge', 'create', 'execute'].includes(text))
          return UNKNOWN;
      }
      return UNKNOWN;
    }
  }
  return NEUTRAL;
};

/** Its text and its tables are all there is to it. MySQL's variables are spelled with an @. */
const isSettled = ({ sql }: Tokens, { calls, unstable }: Survey): boolean => !calls && !unstable && !sql.includes('@');

const opaque = (tables: Iterable<string>): OpaqueRead => ({ kind: 'read', shape: 'opaque', tables: [...tables] });

/** SELECT, VALUES, TABLE, and WITH before them. */
const analyseRead = (tokens: Tokens, from: number, to: number, survey: Survey): Statement => {
  if (survey.isUnknown) return { kind: 'unknown' };
  const outside = survey.outside ?? (survey.doubtful ? 'what is not understood' : undefined);
  const functions = [...survey.functions];
  if (functions.length > 0 || outside !== undefined) {
    // Of a function nobody knows whether it makes one row of many.
    return { kind: 'calling', functions, outside, main: opaque(survey.reads) };
  }
  // A lock waited for, a setting made
  if (survey.session) {
    const neutral: Statement = { kind: 'neutral' };
    return survey.reads.size === 0 ? neutral : { kind: 'batch', statements: [neutral, opaque(survey.reads)] };
  }
  if (survey.nested || !tokens.bindingsCertain || !isWord(tokens, from, 'select')) return opaque(survey.reads);
  const read = readPlainSelect(tokens, from, to);
  if (read === undefined) return opaque(survey.reads);
  // Two readings of one text: where they differ, the one that understands less holds.
  const tables = new Set(tablesRead(read));
  const agreed = tables.size === survey.placed.size && [...tables].every((table) => survey.placed.has(table));
  if (!agreed) return opaque(survey.reads);
  return { ...read, repeatable: read.repeatable && isSettled(tokens, survey) };
};
