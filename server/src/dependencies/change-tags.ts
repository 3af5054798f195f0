import { EVERYTHING, type Tag } from '../cache/tag';
import {
  hasOtherSpellings,
  isSameValue,
  ParsedJson,
  UNKNOWN_VALUE,
  UNSPELLED,
  valueKey,
  type Row,
} from '../sql/column-value';
import {
  anyRowTag,
  columnTag,
  keySubstanceTag,
  keyTag,
  membershipTag,
  movedReferenceTag,
  rowTag,
  spanTag,
  substanceTag,
  tableTag,
  tieTag,
} from './tags';
import { spansOf } from './key-spans';
import type { NetChange, NetChanges } from './changes';
import {
  changesPartition,
  hasUnknownPartition,
  hasUnknownType,
  scopeOfMoves,
  scopesOfRow,
  type ReferencedStatus,
} from './row-scope';
import type { TableCatalog } from '../database/table-catalog';

/** Columns that Strapi rewrites with every save, whatever was changed. */
const OF_EVERY_SAVE: ReadonlySet<string> = new Set(['updated_at', 'updated_by_id', 'published_at']);

/** A transaction that would stamp more tags than this stamps its tables as a whole. */
export const MAX_TAGS = 20_000;

/** The tags that a transaction's net changes stamp. */
export const changeTags = (net: NetChanges, catalog: TableCatalog, statusOfReferenced: ReferencedStatus): Tag[] => {
  if (net.everything) return [EVERYTHING];
  const tags = new Set<Tag>();
  for (const table of net.tables) tags.add(tableTag(table));
  for (const change of net.rows) {
    if (net.tables.has(change.table)) continue;
    addRowTags(tags, change, catalog, statusOfReferenced);
    if (tags.size > MAX_TAGS) return [...new Set([...net.tables, ...net.rows.map((row) => row.table)])].map(tableTag);
  }
  return [...tags];
};

const addRowTags = (
  tags: Set<Tag>,
  change: NetChange,
  catalog: TableCatalog,
  statusOfReferenced: ReferencedStatus,
): void => {
  const { table, before, after, changed, moved } = change;
  const isUpdated = before !== undefined && after !== undefined;
  if (isUpdated) {
    if (!moved && catalog.isBookkeeping(table, changed)) return;
    if (changesPartition(catalog, table, before, after)) {
      tags.add(tableTag(table));
      return;
    }
  }
  const onlyPlaces = isUpdated && changed.every((column) => catalog.isPlaceColumn(table, column));
  for (const image of [before, after]) {
    if (image === undefined) continue;
    const other = image === before ? after : before;
    const scopes = scopesOfRow(catalog, table, image, statusOfReferenced);
    if (!addImageTags(tags, table, image, onlyPlaces ? other : undefined, catalog, scopes)) {
      tags.add(tableTag(table));
      return;
    }
    const id = valueKey(image.id) ?? '';
    if (!isUpdated || moved || changed.some((column) => !OF_EVERY_SAVE.has(column))) tags.add(substanceTag(table, id));
    for (const scope of scopes) {
      tags.add(anyRowTag(table, scope));
      if (!isUpdated) {
        tags.add(membershipTag(table, scope));
        continue;
      }
      for (const column of changed) tags.add(columnTag(table, scope, column));
      if (moved) {
        tags.add(columnTag(table, scope, 'id'));
        for (const column of catalog.facts(table)?.references.keys() ?? []) {
          if (!isSameValue(before[column], after[column])) tags.add(movedReferenceTag(table, scope, column));
        }
      }
    }
    if (moved) addMoveTags(tags, change, image, new Set(scopes.map(scopeOfMoves)));
  }
};

/** Adds the tags of a moved row's place among other rows, beside those of the columns that have changed with it. */
const addMoveTags = (tags: Set<Tag>, { table, before, changed }: NetChange, image: Row, scopes: Set<string>): void => {
  for (const scope of scopes) {
    for (const span of spansOf(image.id)) tags.add(spanTag(table, scope, span));
    // Only columns that did not change: a list sorted by a changed column carries that column's tag. The values are
    // taken from the image before, because they come from the driver, as the values in the rows of a list do.
    for (const [column, value] of Object.entries(before ?? {})) {
      if (column === 'id' || changed.includes(column)) continue;
      const plain = value instanceof ParsedJson ? value.value : value;
      const isUnspelled = typeof plain === 'string' && hasOtherSpellings(plain);
      const key = plain === null ? '' : isUnspelled ? UNSPELLED : valueKey(plain);
      if (key !== undefined) tags.add(tieTag(table, scope, column, key));
    }
  }
};

/**
 * Adds the row and look-up tags of one image. Returns `false` if its primary key, status, locale, the type it refers
 * to, or the value of a look-up or reference column is not known.
 *
 * @param equal the other image of the row, if only its place, its primary key or references to moved rows have changed.
 */
const addImageTags = (
  tags: Set<Tag>,
  table: string,
  image: Row,
  equal: Row | undefined,
  catalog: TableCatalog,
  scopes: readonly string[],
): boolean => {
  const id = catalog.lookupKey(table, 'id', image.id);
  if (id === undefined || hasUnknownType(catalog, table, image) || hasUnknownPartition(catalog, table, image))
    return false;
  tags.add(rowTag(table, id));
  const { references } = catalog.facts(table) ?? {};
  for (const [column, value] of Object.entries(image)) {
    if (value === UNKNOWN_VALUE && references?.has(column) === true) return false;
    if (column === 'id' || !catalog.isLookupColumn(table, column)) continue;
    if (value === UNKNOWN_VALUE) return false;
    // No look-up finds null. A value without a spelling of its own may equal other values, so its tag is one that every
    // look-up by the column carries.
    if ((value === null || value === undefined) && !catalog.mayReplaceNull(table, column)) continue;
    const key = catalog.lookupKey(table, column, value) ?? UNSPELLED;
    const isSubstance = equal === undefined || !isSameValue(value, equal[column]);
    for (const scope of scopes) {
      tags.add(keyTag(table, scope, column, key));
      if (isSubstance) tags.add(keySubstanceTag(table, scope, column, key));
    }
  }
  return true;
};
