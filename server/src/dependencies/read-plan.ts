import type { Tag } from '../cache/tag';
import { valueKey } from '../sql/column-value';
import { columnTag, membershipTag, movedReferenceTag, tableTag } from './dependency-tags';
import {
  bothWays,
  isRestrictedBy,
  LOCALE,
  morphScope,
  partitionScope,
  PUBLISHED_AT,
  requiredLocale,
  requiredMorph,
  requiredStatus,
  scopeByReference,
  type RequiredMorph,
  type Status,
} from './row-scope';
import type { Operand, PlainRead, Source } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** More single rows of a table than this on one read, and the read depends on every row of it. */
export const MAX_ROWS_TOLD_APART = 100;

/** A column of a source that rows are tagged by, and the values it is asked to have one of. */
export interface Lookup {
  readonly column: string;
  readonly values: readonly Operand[];
}

/** What of a source's tags only the statement and the scope decide. */
interface ScopedTags {
  readonly membership: Tag;
  /** Some row of the scope got another primary key. */
  readonly moves: Tag;
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
  /** Whether the read looks at where among its like a join row stands, or at its primary key. */
  readonly #showsPlace: boolean;
  /** Sources by which its rows are reached through its primary key, and by nothing else. */
  readonly boundTo: readonly number[];
  readonly #decidingColumns: ReadonlySet<string>;
  readonly #comparedReferences: ReadonlySet<string>;
  readonly #shownReferences: ReadonlySet<string>;
  readonly #isPartitioned: boolean;
  readonly #status: Status | undefined;
  readonly #locale: Operand | undefined;
  readonly #referenceScope: string;
  readonly #morph: RequiredMorph | undefined;
  readonly #catalog: TableCatalog;
  readonly #scoped = new Map<string, ScopedTags>();
  readonly #hasIds: boolean;

  constructor(source: Source, read: PlainRead, catalog: TableCatalog) {
    const { table } = source;
    this.source = source;
    this.lookups = source.keys.filter(
      ({ column, values }) => catalog.isLookupColumn(table, column) && values.length <= MAX_ROWS_TOLD_APART,
    );
    this.isShown = isShown(source);
    const own = read.joins.flatMap(bothWays).filter(([{ alias, column }]) => alias === source.alias && column === 'id');
    const indexOf = (wanted: string): number => read.sources.findIndex(({ alias }) => alias === wanted);
    this.boundTo = own
      .filter(([, other]) => isRestrictedBy(source, other.alias, read))
      .map(([, other]) => indexOf(other.alias));

    this.#isPartitioned = catalog.has(table, PUBLISHED_AT) || catalog.has(table, LOCALE);
    this.#status = requiredStatus(source);
    this.#locale = requiredLocale(source);
    this.#referenceScope = this.#isPartitioned ? '' : scopeByReference(source, read, catalog);
    this.#morph = requiredMorph(source, read, catalog);
    this.#catalog = catalog;
    const compared = comparedKeys(source, read, catalog);
    this.#decidingColumns = decidingColumns(source, read, compared.has('id'));
    const asksForKey =
      source.showsId || source.sort.includes('id') || source.keys.some(({ column }) => column === 'id');
    this.#showsPlace = showsPlace(source, catalog) || asksForKey || compared.has('id');
    this.#comparedReferences = new Set([...compared].filter((column) => column !== 'id'));
    const { references } = catalog.facts(table) ?? {};
    const shown = source.output === 'all' ? [] : source.output.filter((column) => references?.has(column));
    this.#shownReferences = new Set([...shown, ...this.#comparedReferences]);
    this.#hasIds = catalog.has(table, 'id');
  }

  /** Whether a row found by this column may matter although nothing of it has changed but keys and places. */
  tellsMoves(column: string): boolean {
    if (this.#showsPlace) return true;
    for (const reference of this.#shownReferences) if (reference !== column) return true;
    return false;
  }

  /** The narrowest scope that surely holds all rows of the source that matter. */
  scope(valueOf: (operand: Operand) => unknown): string {
    if (this.#morph !== undefined) {
      const { column, status } = this.#morph;
      const type = valueOf(this.#morph.type);
      const target = this.#catalog.tableOfType(type);
      if (target !== undefined)
        return morphScope(column, String(type), status?.table === target ? status.status : undefined);
    }
    if (!this.#isPartitioned) return this.#referenceScope;
    // A locale without a spelling may be equal to any, in the database's eyes.
    return partitionScope(this.#status, this.#locale === undefined ? undefined : valueKey(valueOf(this.#locale)));
  }

  /** The tags that the statement alone decides, in this scope. */
  in(scope: string): ScopedTags {
    let tags = this.#scoped.get(scope);
    if (tags === undefined) {
      const { table } = this.source;
      tags = {
        membership: membershipTag(table, scope),
        moves: columnTag(table, scope, 'id'),
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
      if (this.#status !== undefined) columns.delete(PUBLISHED_AT);
      if (this.#locale !== undefined) columns.delete(LOCALE);
    }
    const { table } = this.source;
    return [
      ...[...columns].map((column) => columnTag(table, scope, column)),
      ...[...this.#comparedReferences].map((column) => movedReferenceTag(table, scope, column)),
    ];
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

const decidingColumns = (source: Source, { joins }: PlainRead, comparesKey: boolean): ReadonlySet<string> => {
  const columns = new Set(source.filters);
  for (const { column } of source.keys) columns.add(column);
  for (const column of [...source.isNull, ...source.isNotNull]) columns.add(column);
  for (const pair of joins) {
    for (const { alias, column } of pair) if (alias === source.alias) columns.add(column);
  }
  // Primary keys change only by moving, and what refers to a row moves with it.
  if (comparesKey) columns.add('id');
  else columns.delete('id');
  return columns;
};

/**
 * Columns that may matter although nothing but a primary key has changed: the source's own, or one that it refers to,
 * where it is compared with something other than by following the reference.
 */
const comparedKeys = (source: Source, { joins, sources }: PlainRead, catalog: TableCatalog): ReadonlySet<string> => {
  const references = catalog.facts(source.table)?.references ?? new Map<string, string>();
  const compared = new Set<string>();
  if (source.comparesId) compared.add('id');
  for (const column of [...source.filters, ...source.keys.map((key) => key.column)]) {
    if (references.has(column)) compared.add(column);
  }
  for (const [own, other] of joins.flatMap(bothWays)) {
    const isKey = own.column === 'id' || references.has(own.column);
    if (own.alias !== source.alias || !isKey) continue;
    const table = sources.find(({ alias }) => alias === other.alias)?.table ?? '';
    const target = own.column === 'id' ? source.table : (references.get(own.column) ?? '');
    const follows = own.column !== 'id' && other.column === 'id' && table === target;
    if (!follows && !catalog.isReference(table, other.column, target)) compared.add(own.column);
  }
  return compared;
};
