import { LRUCache } from 'lru-cache';
import { analyse } from './analyse';
import type { Statement } from './statement';
import type { Dialect, NamesInForce } from './tokens';

/** `in (?, ?, …)` makes thousands of a few. */
const MAXIMUM_TEXTS = 8192;
/** Of all texts, whatever their number. */
const MAXIMUM_CHARACTERS = 8_000_000;
/** Of one: longer ones are analysed each time. What is inserted in batches comes again, batch by batch. */
const MAXIMUM_LENGTH = 800_000;
/** What is known of a write takes some times the room of its text: an operand for each value. */
const WRITE_WEIGHT = 4;

/** Remembers the analysis of each text; where the names in force are others than before, it forgets everything. */
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

  return (sql) => {
    const current = names();
    if (current !== inForce) {
      inForce = current;
      known.clear();
    }
    const remembered = known.get(sql);
    if (remembered !== undefined) return remembered;
    const statement = analyse(sql, dialect, inForce);
    known.set(sql, statement);
    return statement;
  };
};
