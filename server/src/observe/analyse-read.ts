import { readPlainSelect } from './plain-select';
import { type Statement, tablesRead } from './statement';
import type { Survey } from './survey';
import { isIdentifier, isWord, tokenAt, type Tokens } from './tokens';

/** Keywords that stand where no table's name can. */
const NO_TABLES = new Set(
  `select from where and or not in is null as on by order group having limit offset union all distinct join left right
   inner outer full cross natural using with recursive case when then else end like between exists asc desc values true
   false for update`.split(/\s+/),
);

/** Where a FROM clause was not understood: whatever could be a table's name, columns and aliases included. */
const everyName = (tokens: Tokens, from: number, to: number): string[] => {
  const names = new Set<string>();
  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    // SQLite takes 'articles' for a table where it has to.
    const named = isIdentifier(token) || (token.kind === 'string' && tokens.dialect === 'sqlite');
    if (named && !(token.kind === 'word' && NO_TABLES.has(token.text))) names.add(token.text.toLowerCase());
  }
  return [...names];
};

/** Its text and its tables are all there is to it. MySQL's variables are spelled with an @. */
const isSettled = ({ sql }: Tokens, { calls, unstable }: Survey): boolean => !calls && !unstable && !sql.includes('@');

/** SELECT, VALUES, TABLE, and WITH before them. */
export const analyseRead = (tokens: Tokens, from: number, to: number, survey: Survey): Statement => {
  if (survey.isUnknown) return { kind: 'unknown' };
  const { outside } = survey;
  const functions = [...survey.functions];
  if (functions.length > 0 || outside !== undefined) {
    // Of a function nobody knows whether it makes one row of many.
    const tables = survey.doubtful ? everyName(tokens, from, to) : [...survey.reads];
    return { kind: 'calling', functions, outside, main: { kind: 'read', shape: 'opaque', tables } };
  }
  if (survey.doubtful) return { kind: 'read', shape: 'opaque', tables: everyName(tokens, from, to) };
  const opaque: Statement = { kind: 'read', shape: 'opaque', tables: [...survey.reads] };
  // A lock waited for, a setting made
  if (survey.session) {
    const neutral: Statement = { kind: 'neutral' };
    return survey.reads.size === 0 ? neutral : { kind: 'batch', statements: [neutral, opaque] };
  }
  if (!tokens.bindingsCertain) return opaque;
  const read = !survey.nested && isWord(tokens, from, 'select') ? readPlainSelect(tokens, from, to) : undefined;
  if (read === undefined) return opaque;
  // Two readings of one text: where they differ, the wider one holds.
  const tables = new Set(tablesRead(read));
  const agreed = tables.size === survey.reads.size && [...tables].every((table) => survey.reads.has(table));
  if (!agreed) return opaque;
  return { ...read, repeatable: read.repeatable && isSettled(tokens, survey) };
};
