import { LRUCache } from 'lru-cache';
import { analyse } from './analyse';
import type { Statement } from './statement';
import type { Dialect, NamesInForce } from './tokens';

/** Number of texts held. Lists such as `in (?, ?, …)` make thousands of texts of a few statements. */
const MAXIMUM_TEXTS = 8192;
/** Characters of all texts together; those of writes count {@link WRITE_WEIGHT} times. */
const MAXIMUM_CHARACTERS = 8_000_000;
/**
 * Characters of one text, counted likewise; longer texts are analysed each time. Long texts are held because a
 * statement that inserts in batches is repeated batch by batch.
 */
const MAXIMUM_LENGTH = 800_000;
/** The analysis of a write takes several times the memory of its text: it holds an operand for each value. */
const WRITE_WEIGHT = 4;

/** Remembers the analysis of each text, until the names in force change. */
export const createStatementMemo = (
  dialect: Dialect,
  names: () => NamesInForce | undefined = () => undefined,
): ((sql: string) => Statement) => {
  let inForce = names();
  const known = new LRUCache<string, Statement>({
    max: MAXIMUM_TEXTS,
    maxSize: MAXIMUM_CHARACTERS,
    maxEntrySize: MAXIMUM_LENGTH,
    sizeCalculation: ({ kind }, sql) => (sql.length + 1) * (kind === 'write' ? WRITE_WEIGHT : 1),
  });

  // GraphQL's resolvers send one statement for each row: to compare two texts costs less than to hash one.
  let latest: { readonly sql: string; readonly statement: Statement } | undefined;

  return (sql) => {
    const current = names();
    if (current !== inForce) {
      inForce = current;
      known.clear();
      latest = undefined;
    }
    if (latest?.sql === sql) return latest.statement;
    const remembered = known.get(sql);
    if (remembered !== undefined) {
      latest = { sql, statement: remembered };
      return remembered;
    }
    const statement = analyse(sql, dialect, inForce);
    known.set(sql, statement);
    return statement;
  };
};
