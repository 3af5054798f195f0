import { analyseSession, showing } from './analyse-session';
import { analyseWrite } from './analyse-write';
import { readPlainSelect } from './plain-select';
import type { OpaqueRead, Statement } from './statement';
import { QUERY_STARTS, Survey, WRITE_STARTS } from './survey';
import { tokenise } from './tokenise';
import { type Dialect, isOneOf, isKeyword, type NamesInForce, tokenAt, type Tokens } from './tokens';

const UNKNOWN: Statement = { kind: 'unknown' };
const NEUTRAL: Statement = { kind: 'neutral' };

/**
 * Says what a statement does, from its text alone, as knex passes it to `client.query`: with `?` for each binding.
 * Never throws. Where it is not sure, it assumes the worse: a read names more tables than it reads, or a statement is
 * `unknown`.
 */
export const analyse = (sql: string, dialect: Dialect, names?: NamesInForce): Statement => {
  const tokens = tokenise(sql, dialect, names);
  if (tokens === undefined) return UNKNOWN;

  // Several statements in one text are not taken apart, nor is a definition whose body holds statements of its own.
  const { list } = tokens;
  const from = list.findIndex(({ kind }) => kind !== 'semicolon');
  const to = list.findLastIndex(({ kind }) => kind !== 'semicolon') + 1;
  if (from === -1) return NEUTRAL;
  return list.slice(from, to).some(({ kind }) => kind === 'semicolon') ? UNKNOWN : analyseOne(tokens, from, to);
};

const analyseOne = (tokens: Tokens, from: number, to: number): Statement => {
  const first = tokenAt(tokens, from);
  // `(select …) union (select …)`
  let inner = from;
  while (tokenAt(tokens, inner).kind === 'open') inner += 1;
  if (isOneOf(tokens, inner, QUERY_STARTS) || isOneOf(tokens, from, WRITE_STARTS)) return readOrWrite(tokens, from, to);
  if (first.kind !== 'word') return UNKNOWN;

  return ['explain', 'describe', 'desc'].includes(first.text)
    ? analyseExplain(tokens, from, to)
    : (analyseSession(tokens, from, to) ?? UNKNOWN);
};

const readOrWrite = (tokens: Tokens, from: number, to: number): Statement => {
  const survey = new Survey(tokens, from, to);
  return survey.writingStatements > 0 || isOneOf(tokens, from, WRITE_STARTS)
    ? analyseWrite(tokens, from, to, survey)
    : analyseRead(tokens, from, to, survey);
};

/** EXPLAIN touches nothing, but counts rows; with ANALYZE it executes the statement it explains. */
const analyseExplain = ({ list }: Tokens, from: number, to: number): Statement =>
  list.slice(from, to).some(({ text }) => text === 'analyze' || text === 'analyse')
    ? UNKNOWN
    : showing('how the database executes a statement');

const opaque = (tables: Iterable<string>): OpaqueRead => ({ kind: 'read', shape: 'opaque', tables: [...tables] });

/** Analyses SELECT, VALUES and TABLE, with or without a WITH in front. */
const analyseRead = (tokens: Tokens, from: number, to: number, survey: Survey): Statement => {
  if (survey.isUnknown) return UNKNOWN;
  const outside =
    survey.outside ?? (survey.uncertain ? 'something that may be a table, which could not be identified' : undefined);
  const functions = [...survey.functions];
  if (functions.length > 0 || outside !== undefined) {
    // An unknown function may be an aggregate, which makes one row of many.
    return { kind: 'calling', functions, outside, main: opaque(survey.reads) };
  }
  if (survey.nested || !tokens.bindingsCertain || !isKeyword(tokens, from, 'select')) return opaque(survey.reads);
  const read = readPlainSelect(tokens, from, to);
  if (read === undefined) return opaque(survey.reads);
  // The survey has read the same text. Where the two disagree, the survey holds, which has to understand less.
  const tables = new Set(read.tables);
  const agreed = tables.size === survey.placed.size && [...tables].every((table) => survey.placed.has(table));
  return agreed ? read : opaque(survey.reads);
};
