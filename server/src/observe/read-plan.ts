import type { Tag } from '../cache/tag';
import { columnTag, membershipTag, tableTag } from './dependency-tags';
import { LOCALE, localeOf, partitionScope, PUBLISHED_AT, referenceScope, type Half } from './row-scope';
import type { Operand, PlainRead, Source } from './statement';
import type { TableCatalog } from './table-catalog';

/** More single rows of a table than this on one read, and the read depends on every row of it. */
export const MAX_ROWS_TOLD_APART = 100;

/** A column of a source that rows are tagged by, and the values it is asked to have one of. */
export interface Lookup {
  readonly column: string;
  readonly values: readonly Operand[];
  /** Whether only text is compared as text; see {@link TableCatalog.isTextLookup}. */
  readonly isText: boolean;
}

/** What of a source's tags only the statement and the scope decide. */
interface ScopedTags {
  readonly membership: Tag;
  readonly identity: Tag;
  /** Columns that decide which rows there are: conditions, joins, groups, order; `undefined`: any change may. */
  readonly deciding: readonly Tag[] | undefined;
}

/** Locales are few; what a request asks for may be anything. */
const MAX_SCOPES_REMEMBERED = 50;

/** What the statement alone says of one source, worked out once for all its executions. */
export class SourcePlan {
  readonly source: Source;
  readonly lookups: readonly Lookup[];
  /** Whether the result shows anything of its rows. */
  readonly isShown: boolean;
  /** Whether the read looks at where among its like a join row stands. */
  readonly showsPlace: boolean;
  /** Sources by which its rows are reached through its primary key, and by nothing else. */
  readonly boundTo: readonly number[];
  /** Those of them that refer to it by a foreign key the database enforces. */
  readonly follows: readonly number[];
  /** Whether a row that is referred to is there for certain. */
  readonly isGuaranteed: boolean;

  readonly #decidingColumns: ReadonlySet<string>;
  readonly #isPartitioned: boolean;
  readonly #half: Half | undefined;
  readonly #locale: Operand | undefined;
  readonly #referenceScope: string;
  readonly #scoped = new Map<string, ScopedTags>();
  readonly #hasIds: boolean;

  constructor(source: Source, read: PlainRead, catalog: TableCatalog) {
    const { table } = source;
    this.source = source;
    this.lookups = source.keys
      .filter(({ column, values }) => catalog.isLookupColumn(table, column) && values.length <= MAX_ROWS_TOLD_APART)
      .map(({ column, values }) => ({ column, values, isText: catalog.isTextLookup(table, column) }));
    this.isShown = isShown(source);
    this.showsPlace = showsPlace(source, catalog);
    const own = read.joins.flatMap(bothWays).filter(([{ alias, column }]) => alias === source.alias && column === 'id');
    const isReferredToBy = ({ alias, column }: { alias: string; column: string }): boolean => {
      const referring = read.sources.find((candidate) => candidate.alias === alias);
      return referring !== undefined && catalog.isReference(referring.table, column, table);
    };
    const restricting = own.filter(([, other]) => isRestrictedBy(source, other.alias, read));
    const indexOf = (wanted: string): number => read.sources.findIndex(({ alias }) => alias === wanted);
    this.boundTo = restricting.map(([, other]) => indexOf(other.alias));
    this.follows = restricting
      .filter(([, other]) => other.alias !== source.alias && isReferredToBy(other))
      .map(([, other]) => indexOf(other.alias));
    this.isGuaranteed = own.some(([, other]) => isReferredToBy(other));

    this.#isPartitioned = catalog.has(table, PUBLISHED_AT) || catalog.has(table, LOCALE);
    this.#half = requiredHalf(source);
    this.#locale = requiredLocale(source);
    this.#referenceScope = this.#isPartitioned ? '' : scopeByReference(source, read, catalog);
    this.#decidingColumns = decidingColumns(source, read, catalog);
    this.#hasIds = catalog.has(table, 'id');
  }

  /** The narrowest scope that surely holds all rows of the source that matter. */
  scope(valueOf: (operand: Operand) => unknown): string {
    if (!this.#isPartitioned) return this.#referenceScope;
    return partitionScope(this.#half, this.#locale === undefined ? undefined : localeOf(valueOf(this.#locale)));
  }

  /** The tags that the statement alone decides, in this scope. */
  in(scope: string): ScopedTags {
    let tags = this.#scoped.get(scope);
    if (tags === undefined) {
      const { table } = this.source;
      tags = {
        membership: membershipTag(table, scope),
        identity: columnTag(table, scope, 'id'),
        deciding: this.#hasIds ? this.#decidingTags(scope) : undefined,
      };
      if (this.#scoped.size >= MAX_SCOPES_REMEMBERED) this.#scoped.clear();
      this.#scoped.set(scope, tags);
    }
    return tags;
  }

  #decidingTags(scope: string): Tag[] {
    const columns = new Set(this.#decidingColumns);
    if (this.#isPartitioned) {
      // What the scope says already.
      if (this.#half !== undefined) columns.delete(PUBLISHED_AT);
      if (this.#locale !== undefined) columns.delete(LOCALE);
    }
    return [...columns].map((column) => columnTag(this.source.table, scope, column));
  }
}

/** What a statement alone says of the tags of its executions. */
export interface ReadPlan {
  readonly tableTags: readonly Tag[];
  readonly sources: readonly SourcePlan[];
}

const plans = new WeakMap<PlainRead, { readonly catalog: TableCatalog; readonly plan: ReadPlan }>();

/** The plan of a read, worked out at its first execution. */
export const planOf = (read: PlainRead, catalog: TableCatalog): ReadPlan => {
  const known = plans.get(read);
  if (known?.catalog === catalog) return known.plan;
  const plan = {
    tableTags: read.sources.map(({ table }) => tableTag(table)),
    sources: read.sources.map((source) => new SourcePlan(source, read, catalog)),
  };
  plans.set(read, { catalog, plan });
  return plan;
};

const isShown = ({ output, showsId }: Source): boolean =>
  output === 'all' || output.some((column) => column !== 'id' || showsId);

const showsPlace = (
  { table, output, filters, sort, keys, isNull, isNotNull }: Source,
  catalog: TableCatalog,
): boolean => {
  if (output === 'all') return true;
  const columns = [...output, ...filters, ...sort, ...keys.map(({ column }) => column), ...isNull, ...isNotNull];
  return columns.some((column) => catalog.isPlaceColumn(table, column));
};

const bothWays = ([left, right]: PlainRead['joins'][number]): Array<PlainRead['joins'][number]> => [
  [left, right],
  [right, left],
];

/**
 * Whether only those rows of `source` matter that have a row of `other` joined to them: `other` is demanded, or the
 * condition stands in the ON of `source` itself, which can only speak of sources before it.
 */
const isRestrictedBy = (source: Source, other: string, { sources }: PlainRead): boolean => {
  const index = sources.findIndex(({ alias }) => alias === other);
  return sources[index]?.optional === false || (source.optional && index < sources.indexOf(source));
};

const decidingColumns = (source: Source, read: PlainRead, catalog: TableCatalog): ReadonlySet<string> => {
  const columns = new Set(source.filters);
  for (const { column } of source.keys) columns.add(column);
  for (const column of [...source.isNull, ...source.isNotNull]) columns.add(column);
  for (const pair of read.joins) {
    for (const { alias, column } of pair) if (alias === source.alias) columns.add(column);
  }
  // Primary keys change only by moving, and what refers to a row moves with it.
  if (dependsOnKeys(source, read, catalog)) columns.add('id');
  else columns.delete('id');
  return columns;
};

/**
 * Whether a moved row may matter although nothing else about it has changed: its own primary key is compared with
 * something, or one it refers to, other than by following the reference.
 */
const dependsOnKeys = (source: Source, { joins, sources }: PlainRead, catalog: TableCatalog): boolean => {
  const refers = (column: string): boolean => catalog.facts(source.table)?.references.has(column) === true;
  if (source.comparesId || source.filters.some(refers)) return true;
  if (source.keys.some(({ column }) => refers(column))) return true;
  return joins.flatMap(bothWays).some(([own, other]) => {
    if (own.alias !== source.alias || (own.column !== 'id' && !refers(own.column))) return false;
    const table = sources.find(({ alias }) => alias === other.alias)?.table ?? '';
    if (own.column === 'id') return !catalog.isReference(table, other.column, source.table);
    const target = catalog.facts(source.table)?.references.get(own.column) ?? '';
    return !(other.column === 'id' && table === target) && !catalog.isReference(table, other.column, target);
  });
};

/** Join rows belong to the half of the row they refer to. */
const scopeByReference = (source: Source, read: PlainRead, catalog: TableCatalog): string => {
  for (const [own, other] of read.joins.flatMap(bothWays)) {
    if (own.alias !== source.alias || other.column !== 'id') continue;
    if (!isRestrictedBy(source, other.alias, read)) continue;
    const target = read.sources.find((candidate) => candidate.alias === other.alias);
    if (target === undefined || catalog.facts(source.table)?.references.get(own.column) !== target.table) continue;
    const half = requiredHalf(target);
    if (half !== undefined && catalog.has(target.table, PUBLISHED_AT)) return referenceScope(own.column, half);
  }
  return '';
};

const requiredHalf = (source: Source): Half | undefined => {
  if (source.isNotNull.includes(PUBLISHED_AT)) return 'published';
  return source.isNull.includes(PUBLISHED_AT) ? 'draft' : undefined;
};

/** The locale all its rows that matter have. */
const requiredLocale = (source: Source): Operand | undefined => {
  for (const { column, values } of source.keys) if (column === LOCALE && values.length === 1) return values[0];
  return undefined;
};
