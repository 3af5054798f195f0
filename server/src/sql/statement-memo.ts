import { analyse } from './analyse';
import type { Statement } from './statement';
import type { Dialect, NamesInForce } from './tokens';

export type Analyse = (sql: string) => Statement;

/** Texts a generation holds; `in (?, ?, …)` makes thousands of a few. */
const MAXIMUM_TEXTS = 4096;
/** Longer ones, bulk inserts mostly, are analysed each time: they hardly ever come again. */
const MAXIMUM_LENGTH = 20_000;
/** Characters a generation holds, whatever their number of texts. */
const MAXIMUM_CHARACTERS = 4_000_000;

/**
 * Remembers the analysis of each text. Two generations instead of a list of uses: a hit in the younger one is a single
 * look-up and moves nothing; when that is full it becomes the elder one, and what nobody asked for since is forgotten.
 * Where the names in force are others than before, everything is.
 */
export const createStatementMemo = (
  dialect: Dialect,
  {
    maximumTexts = MAXIMUM_TEXTS,
    analyseText = analyse,
    names = () => undefined,
  }: { maximumTexts?: number; analyseText?: typeof analyse; names?: () => NamesInForce | undefined } = {},
): Analyse => {
  let inForce = names();
  let young = new Map<string, Statement>();
  let old = new Map<string, Statement>();
  let characters = 0;

  return (sql) => {
    const current = names();
    if (current !== inForce) {
      inForce = current;
      young = new Map();
      old = new Map();
      characters = 0;
    }
    const known = young.get(sql);
    if (known !== undefined) return known;
    if (sql.length > MAXIMUM_LENGTH) return analyseText(sql, dialect, inForce);

    const statement = old.get(sql) ?? analyseText(sql, dialect, inForce);
    if (young.size >= maximumTexts || characters >= MAXIMUM_CHARACTERS) {
      old = young;
      young = new Map();
      characters = 0;
    }
    young.set(sql, statement);
    characters += sql.length;
    return statement;
  };
};
