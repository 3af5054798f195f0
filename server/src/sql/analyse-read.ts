import { readPlainSelect } from './plain-select';
import { type OpaqueRead, type Statement, tablesRead } from './statement';
import type { Survey } from './survey';
import { isWord, type Tokens } from './tokens';

/** Its text and its tables are all there is to it. MySQL's variables are spelled with an @. */
const isSettled = ({ sql }: Tokens, { calls, unstable }: Survey): boolean => !calls && !unstable && !sql.includes('@');

const opaque = (tables: Iterable<string>): OpaqueRead => ({ kind: 'read', shape: 'opaque', tables: [...tables] });

/** SELECT, VALUES, TABLE, and WITH before them. */
export const analyseRead = (tokens: Tokens, from: number, to: number, survey: Survey): Statement => {
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
