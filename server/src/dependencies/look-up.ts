import type { TableCatalog } from '../database/table-catalog';
import type { EqualityKey, Source } from '../sql/statement';
import { MAX_DISTINCT_ROWS } from './page-order';
import { operandValue } from './row-scope';

/** A column by which a statement looks rows up, with the values of which every row that matters has one. */
export interface LookUp extends EqualityKey {
  /** As `TableCatalog.lookupKey`. */
  readonly spell: (value: unknown) => string | undefined;
  /** MySQL compares text with numbers in ways of its own. */
  readonly isText: boolean;
}

export const lookUpsOf = ({ table, keys }: Source, catalog: TableCatalog): LookUp[] =>
  keys
    .filter(({ column, values }) => catalog.isLookupColumn(table, column) && values.length <= MAX_DISTINCT_ROWS)
    .map((key) => ({
      ...key,
      spell: catalog.lookupSpelling(table, key.column),
      isText: catalog.isTextLookup(table, key.column),
    }));

interface KnownValues {
  readonly column: string;
  readonly values: readonly string[];
}

/** The column that needs the fewest tags, with its values; `undefined` if no column's values are all known. */
export const fewestValues = (lookUps: readonly LookUp[], bindings: readonly unknown[]): KnownValues | undefined => {
  let fewest: KnownValues | undefined;
  for (const lookUp of lookUps) {
    const values = knownValues(lookUp, bindings);
    if (values === undefined) continue;
    const found = { column: lookUp.column, values };
    // The values without a spelling of their own need one more tag, except in the column `id`.
    if (fewest === undefined || tagsFor(fewest) > values.length) fewest = found;
  }
  return fewest;
};

const knownValues = ({ values, spell, isText }: LookUp, bindings: readonly unknown[]): string[] | undefined => {
  const known: string[] = [];
  for (const operand of values) {
    const value = operandValue(operand, bindings);
    const key = isText && typeof value !== 'string' ? undefined : spell(value);
    if (key === undefined) return undefined;
    known.push(key);
  }
  return known;
};

const tagsFor = ({ column, values }: KnownValues): number => values.length + (column === 'id' ? 0 : 1);
