import { isUnstableWord, opensNoCall, purityOf } from '../sql/pure-functions';
import { type Dialect, isIdentifier, tokenAt, tokenise } from '../sql/tokens';

/**
 * What calling a function may do: depend on its arguments alone, read what nobody sees (tables, settings, the clock), or
 * write.
 */
export type FunctionNature = 'pure' | 'reads' | 'writes';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Any of these in a body may be the start of something that writes. */
const WRITING = words(
  'insert update delete merge truncate load call create alter drop rename grant revoke execute prepare copy lock handler refresh',
);

const READING = words('from table values');

/** Before a bracket they call nothing. */
const STEPS = words('return if elseif elsif while until loop perform set declare into case when default');

/**
 * What a routine may do, from the words of its body alone. Whatever could be the start of a write is one: `for update`,
 * a column called `update`.
 */
export const judgeRoutine = (
  body: string,
  dialect: Dialect,
): { readonly nature: FunctionNature; readonly calls: readonly string[] } => {
  const tokens = tokenise(body, dialect);
  if (tokens === undefined) return { nature: 'writes', calls: [] };
  const calls = new Set<string>();
  let nature: FunctionNature = 'pure';
  for (let i = 0; i < tokens.list.length; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'variable') nature = 'reads';
    if (!isIdentifier(token)) continue;
    const name = token.text.toLowerCase();
    const isCalled = tokenAt(tokens, i + 1).text === '(' && tokenAt(tokens, i + 1).kind === 'open';
    if (token.kind === 'word') {
      if (WRITING.has(name) || (name === 'replace' && !isCalled)) return { nature: 'writes', calls: [] };
      if (READING.has(name) || isUnstableWord(name)) nature = 'reads';
    }
    if (!isCalled || (token.kind === 'word' && (opensNoCall(name) || STEPS.has(name)))) continue;
    const purity = purityOf(name);
    if (purity === 'unknown') calls.add(name);
    else if (purity !== 'pure') nature = 'reads';
  }
  return { nature, calls: [...calls] };
};
