import type { Tag } from '../cache/tag';
import { UNSPELLED, valueKey, type Row } from '../sql/column-value';
import { spansUpTo } from './key-spans';
import { spanTag, tieTag } from './tags';
import { scopeOfMoves } from './row-scope';
import type { PlainRead, Source } from '../sql/statement';

/** A read has tags for at most this many single rows, values or ties of a source. Above, it has coarser tags. */
export const MAX_DISTINCT_ROWS = 100;

/** What a page (a read with LIMIT or OFFSET) depends on beside its rows. */
export type PageOrder =
  /** Nothing: the read is not a page, or the order of the source's rows makes no difference. */
  | 'none'
  /** Any change of the source's rows: their order is not defined. */
  | 'any'
  /** Rows that move: they get another primary key. */
  | 'moves'
  /** Rows that move from or to a primary key in the range up to the page's last row. */
  | 'span'
  /** Rows that move and have, in the first sort column, the same value as a row of the page. */
  | 'ties';

/** Whether the result shows anything of a source's rows. */
export const isShown = ({ output, showsId }: Source): boolean =>
  output === 'all' || output.some((column) => column !== 'id' || showsId);

/** The page order of one source. The statement alone decides it. */
export const pageOrder = (source: Source, { limited, aggregated, sources }: PlainRead): PageOrder => {
  const { sort, output, renames } = source;
  if (!limited || aggregated) return 'none';
  if (!sources.some((candidate) => candidate.sort.includes('id'))) return 'any';
  // The order of result rows that differ only in this source is not defined. If nothing of it is shown, they do not
  // differ.
  if (!sort.includes('id')) return isShown(source) ? 'any' : 'none';
  const others = sources.filter((candidate) => candidate !== source);
  if (others.some((other) => other.sort.length > 0)) return 'moves';
  const [first = 'id'] = sort;
  if (first === 'id') return 'span';
  // With aliases or other sources, another column may have the sort column's name in the result.
  const showsFirst = (output === 'all' || output.includes(first)) && !renames && !others.some(isShown);
  return showsFirst ? 'ties' : 'moves';
};

interface Scope {
  readonly scope: string;
  /** Some row of the scope got another primary key. */
  readonly moves: Tag;
}

/**
 * The tags for a page's order, unless that is `any`.
 *
 * @param rows the rows of the page; `undefined` if they are not at hand.
 */
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
 * A page in ascending order of primary keys changes only if a row moves out of or into the range of keys from 0 to the
 * page's last. The rows show whether the order is ascending: if they do not, the result is `undefined`.
 */
const spanTags = ({ idProperty, table }: Source, scope: string, rows: readonly Row[]): readonly Tag[] | undefined => {
  if (idProperty === undefined) return undefined;
  // A move brings no row to an empty page.
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
  return ties.size > MAX_DISTINCT_ROWS ? undefined : [...ties];
};
