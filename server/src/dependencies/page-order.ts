import type { Tag } from '../cache/tag';
import { UNSPELLED, valueKey, type Row } from '../sql/column-value';
import { spansUpTo, spanTag, tieTag } from './dependency-tags';
import { scopeOfMoves } from './row-scope';
import type { PlainRead, Source } from '../sql/statement';

/** More single rows of a table than this on one read, and the read depends on every row of it. */
export const MAX_ROWS_TOLD_APART = 100;

/** What a page of a limited list depends on beside its rows. */
export type PageOrder =
  /** It is no page, or its rows have no order that could change. */
  | 'none'
  /** Not defined: any change may sway it. */
  | 'any'
  /** Rows that move. */
  | 'moves'
  /** Rows that move within the range of primary keys up to its last row. */
  | 'span'
  /** Rows that move among those with the same value in the first column of its order. */
  | 'ties';

/** Whether the result shows anything of a source's rows. */
export const isShown = ({ output, showsId }: Source): boolean =>
  output === 'all' || output.some((column) => column !== 'id' || showsId);

/** Decided by the statement alone. */
export const pageOrder = (source: Source, { limited, aggregated, sources }: PlainRead): PageOrder => {
  const { sort, output, renames } = source;
  if (!limited || aggregated) return 'none';
  if (!sources.some((candidate) => candidate.sort.includes('id'))) return 'any';
  // Rows that differ in this source alone have no order; where it is not shown, they do not differ.
  if (!sort.includes('id')) return isShown(source) ? 'any' : 'none';
  const others = sources.filter((candidate) => candidate !== source);
  if (others.some((other) => other.sort.length > 0)) return 'moves';
  const [first = 'id'] = sort;
  if (first === 'id') return 'span';
  // Another column may go by the sorted one's name in the result.
  const showsFirst = (output === 'all' || output.includes(first)) && !renames && !others.some(isShown);
  return showsFirst ? 'ties' : 'moves';
};

interface Scope {
  readonly scope: string;
  /** Some row of the scope got another primary key. */
  readonly moves: Tag;
}

/** What an order other than `any` makes of a page with these rows. */
export const pageTags = (
  order: PageOrder,
  source: Source,
  { scope, moves }: Scope,
  rows: readonly Row[] | undefined,
): readonly Tag[] => {
  if (order === 'none') return [];
  if (rows === undefined || order === 'moves') return [moves];
  return (order === 'span' ? spanTags : tieTags)(source, scopeOfMoves(scope), rows) ?? [moves];
};

/**
 * A page in ascending order of primary keys changes only when a row moves out of, or into, the range from the first row
 * of all to the last of the page. Ascending it is if its rows are.
 */
const spanTags = ({ idProperty, table }: Source, scope: string, rows: readonly Row[]): readonly Tag[] | undefined => {
  if (idProperty === undefined) return undefined;
  // A move takes no row to a page where there was none.
  if (rows.length === 0) return [];
  let last = -Infinity;
  for (const row of rows) {
    const id = Number(row[idProperty]);
    if (!Number.isSafeInteger(id) || id < last) return undefined;
    last = id;
  }
  if (Number(rows[0]?.[idProperty]) === last) return undefined;
  return spansUpTo(last)?.map((span) => spanTag(table, scope, span));
};

const tieTags = ({ sort, table }: Source, scope: string, rows: readonly Row[]): readonly Tag[] | undefined => {
  const [first = 'id'] = sort;
  const ties = new Set([tieTag(table, scope, first, UNSPELLED)]);
  for (const row of rows) {
    const value = row[first];
    const key = value === null ? '' : valueKey(value);
    if (!(first in row) || key === undefined) return undefined;
    ties.add(tieTag(table, scope, first, key));
  }
  return ties.size > MAX_ROWS_TOLD_APART ? undefined : [...ties];
};
