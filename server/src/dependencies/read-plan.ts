import { isPlainObject } from '../cache/plain-object';
import type { Tag } from '../cache/tag';
import { UNSPELLED, wholeNumberKey, type Row } from '../sql/column-value';
import {
  anyRowTag,
  columnTag,
  keySubstanceTag,
  keyTag,
  membershipTag,
  movedReferenceTag,
  rowTag,
  substanceTag,
  tableTag,
  wholeTableTags,
} from './tags';
import { fewestValues, type LookUp, lookUpsOf } from './look-up';
import { isShown, MAX_DISTINCT_ROWS, pageOrder, pageTags, type PageOrder } from './page-order';
import { bothWays, isRestrictedBy, operandValue, requiredScope, type RequiredScope } from './row-scope';
import type { PlainRead, Read, Source } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** How finely dependencies are told apart; see `strategy.precision`. */
export type Precision = 'table' | 'document';

export interface ReadResult {
  readonly bindings: readonly unknown[];
  /** As the driver returned them; `undefined` where they are not at hand (streams, failed statements). */
  readonly rows: readonly Row[] | undefined;
}

/** Scopes whose tags a source remembers. There are few locales, but a request may ask for any text as a locale. */
const MAX_SCOPES_REMEMBERED = 50;

/**
 * The tags of everything that the result of a read depends on. A bound object may become a condition: mysql2 (before
 * 3.17) writes it as `column = value`, wherever its placeholder stands.
 *
 * @param precision `table`: only the tags of whole tables, of which every write stamps one, also that of a process with
 *   another precision.
 */
export const readTags = (read: Read, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] =>
  precision === 'document' && read.shape === 'plain' && !result.bindings.some(isPlainObject)
    ? planOf(read, catalog).tags(result)
    : read.tables.flatMap(wholeTableTags);

const plans = new WeakMap<PlainRead, { readonly catalog: TableCatalog; readonly plan: ReadPlan }>();

/** The plan of a statement: made at its first execution, and again when the catalog has been replaced. */
const planOf = (read: PlainRead, catalog: TableCatalog): ReadPlan => {
  const known = plans.get(read);
  if (known?.catalog === catalog) return known.plan;
  const plan = new ReadPlan(read, catalog);
  plans.set(read, { catalog, plan });
  return plan;
};

/** What the statement alone decides about its tags. `tags` adds the bindings and rows of one execution. */
class ReadPlan {
  readonly #tableTags: readonly Tag[];
  readonly #sources: readonly SourcePlan[];
  readonly #read: PlainRead;
  readonly #catalog: TableCatalog;
  #unlimited: ReadPlan | undefined;

  constructor(read: PlainRead, catalog: TableCatalog) {
    this.#read = read;
    this.#catalog = catalog;
    this.#tableTags = read.sources.map(({ table }) => tableTag(table));
    this.#sources = read.sources.map((source) => new SourcePlan(source, read, catalog));
  }

  /**
   * Fewer rows than the limit are all rows. Then the result changes only if that of the same read without a limit does,
   * for which rows that the page leaves out need no tags.
   */
  #isWhole({ bindings, rows }: ReadResult): boolean {
    const { limit } = this.#read;
    if (limit === undefined || rows === undefined) return false;
    const most = operandValue(limit, bindings);
    return Number.isInteger(most) && rows.length < Number(most);
  }

  get #ofWhole(): ReadPlan {
    return (this.#unlimited ??= new ReadPlan({ ...this.#read, limited: false, limit: undefined }, this.#catalog));
  }

  tags(result: ReadResult): Tag[] {
    if (this.#isWhole(result)) return this.#ofWhole.tags(result);
    const sources = this.#sources;
    const tags = [...this.#tableTags];
    const covered = sources.map((source) => source.addLookUpTags(result, tags));
    if (!covered.includes(false)) return tags;
    // A source found by key covers the sources joined to it by their primary key, and so on.
    for (let progress = true; progress; ) {
      progress = false;
      for (const [index, source] of sources.entries()) {
        if (covered[index] === true || !source.boundTo.some((other) => covered[other])) continue;
        tags.push(...source.boundTags(result));
        covered[index] = progress = true;
      }
    }
    // The other sources are lists: rows may appear and disappear.
    for (const [index, source] of sources.entries()) if (covered[index] !== true) tags.push(...source.listTags(result));
    return tags;
  }
}

/** Those tags of a source that only the statement and the scope decide. */
interface ScopedTags {
  readonly scope: string;
  readonly any: Tag;
  readonly membership: Tag;
  /** Some row of the scope got another primary key. */
  readonly moves: Tag;
  /** Columns that decide which rows there are: conditions, joins, groups, order. */
  readonly deciding: readonly Tag[];
  /** Columns shown; `undefined` if all columns are. */
  readonly shown: readonly Tag[] | undefined;
}

/** The part of a plan for one source. */
class SourcePlan {
  /** Indexes of sources that restrict this one by its primary key: only rows joined to one of their rows matter. */
  readonly boundTo: readonly number[];
  /** Whether rows of those sources may refer to a row that is not there yet. */
  readonly #mayAppear: boolean;
  readonly #source: Source;
  readonly #catalog: TableCatalog;
  readonly #lookUps: readonly LookUp[];
  readonly #aggregated: boolean;
  /** Whether the result shows anything of its rows. */
  readonly #isShown: boolean;
  /** Whether the result depends on the place of a join row among its siblings, or on a row's primary key. */
  readonly #showsPlace: boolean;
  readonly #order: PageOrder;
  /** Columns that decide which rows there are, without those whose conditions the scope covers. */
  readonly #decidingColumns: readonly string[];
  readonly #comparedReferences: readonly string[];
  readonly #shownReferences: readonly string[];
  /** The narrowest scope that certainly holds all rows of the source that matter. */
  readonly #scope: RequiredScope;
  readonly #scoped = new Map<string, ScopedTags>();

  constructor(source: Source, read: PlainRead, catalog: TableCatalog) {
    const { table, alias, keys, sort, output, showsId } = source;
    this.#source = source;
    this.#catalog = catalog;
    this.#lookUps = lookUpsOf(source, catalog);
    this.#order = pageOrder(source, read);
    // On a page, no source is bound: rows that the page leaves out have no tags of their own, but may move onto it.
    const joins = this.#order === 'none' ? read.joins : [];
    const bindings = joins
      .flatMap(bothWays)
      .filter(([own, other]) => own.alias === alias && own.column === 'id' && isRestrictedBy(source, other.alias, read))
      .map(([, { alias: from, column }]) => ({ column, index: read.sources.findIndex((one) => one.alias === from) }));
    this.boundTo = bindings.map(({ index }) => index);
    this.#mayAppear = !bindings.some(({ column, index }) => {
      const { table: referring = '', keys: required = [] } = read.sources[index] ?? {};
      return catalog.refersToPresent(referring, column, table, new Set(required.map((key) => key.column)));
    });

    this.#scope = requiredScope(source, read, catalog);
    const compared = comparedKeys(source, read, catalog);
    const asksForKey = showsId || sort.includes('id') || keys.some(({ column }) => column === 'id');
    this.#aggregated = read.aggregated;
    this.#isShown = isShown(source);
    this.#showsPlace = showsPlace(source, catalog) || asksForKey || compared.has('id');
    this.#decidingColumns = [...decidingColumns(source, read, this.#scope, compared.has('id'))];
    this.#comparedReferences = [...compared].filter((column) => column !== 'id');
    const ownReferences = catalog.facts(table)?.references;
    this.#shownReferences = output === 'all' ? [] : output.filter((column) => ownReferences?.has(column));
  }

  /**
   * Adds tags of which every change of one of the source's rows stamps one.
   *
   * @returns `false`, without having added any, if the rows are not looked up by known values of a column.
   */
  addLookUpTags(result: ReadResult, tags: Tag[]): boolean {
    const fewest = fewestValues(this.#lookUps, result.bindings);
    if (fewest === undefined) return false;
    const { column, values } = fewest;
    const { table } = this.#source;
    const scope = this.#scope.of(result.bindings);
    if (column === 'id') {
      const tagOf = this.#isShown ? rowTag : substanceTag;
      for (const value of values) tags.push(tagOf(table, value));
      // Nothing of the row is shown, as when a caller's orders are selected by the caller's primary key. What Strapi
      // rewrites with every save matters only if it decides.
      if (!this.#isShown) tags.push(...this.#scopedTags(scope).deciding);
      return true;
    }
    const tagOf = this.#tellsMoves(column) ? keyTag : keySubstanceTag;
    for (const value of values) tags.push(tagOf(table, scope, column, value));
    tags.push(tagOf(table, scope, column, UNSPELLED));
    return true;
  }

  /** For a source whose rows are reached only through `source.id = other.column`, if `other` is covered already. */
  boundTags(result: ReadResult): readonly Tag[] {
    const scoped = this.#scopedTags(this.#scope.of(result.bindings));
    const shown = this.#shownTags(scoped, result);
    if (shown === undefined) return [scoped.any];
    // Only `membership` covers that a row appears, or that one of which nothing is shown disappears. Rows that are shown
    // have tags that cover it.
    const presence = this.#isShown && !this.#mayAppear ? [] : [scoped.membership];
    return [...shown, ...presence, ...this.#movesByKey(scoped), ...scoped.deciding];
  }

  listTags(result: ReadResult): readonly Tag[] {
    const scoped = this.#scopedTags(this.#scope.of(result.bindings));
    const shown = this.#shownTags(scoped, result);
    if (shown === undefined || this.#order === 'any') return [scoped.any];
    return [
      scoped.membership,
      ...shown,
      ...pageTags(this.#order, this.#source, scoped, result.rows),
      ...this.#movesByKey(scoped),
      ...scoped.deciding,
    ];
  }

  /** Rows come and go with their primary keys, if these have to be some that no look-up has tags for. */
  #movesByKey({ moves }: ScopedTags): readonly Tag[] {
    return this.#source.keys.some(({ column }) => column === 'id') ? [moves] : [];
  }

  /** Whether the result may change if a row found by this column changes only in its keys or its place. */
  #tellsMoves(column: string): boolean {
    return (
      this.#showsPlace ||
      this.#order !== 'none' ||
      this.#shownReferences.some((other) => other !== column) ||
      this.#comparedReferences.some((other) => other !== column)
    );
  }

  #scopedTags(scope: string): ScopedTags {
    const known = this.#scoped.get(scope);
    if (known !== undefined) return known;
    const { table, output } = this.#source;
    const ofColumns = (columns: readonly string[]): Tag[] => columns.map((column) => columnTag(table, scope, column));
    const ofReferences = (columns: readonly string[]): Tag[] =>
      columns.map((column) => movedReferenceTag(table, scope, column));
    const any = anyRowTag(table, scope);
    const membership = membershipTag(table, scope);
    const tags = {
      scope,
      any,
      membership,
      moves: columnTag(table, scope, 'id'),
      deciding: this.#catalog.has(table, 'id')
        ? [...ofColumns(this.#decidingColumns), ...ofReferences(this.#comparedReferences)]
        : [any],
      // A row that moves gets another primary key, and the rows that refer to it get another reference.
      shown: output === 'all' ? undefined : [membership, ...ofColumns(output), ...ofReferences(this.#shownReferences)],
    };
    if (this.#scoped.size >= MAX_SCOPES_REMEMBERED) this.#scoped.clear();
    this.#scoped.set(scope, tags);
    return tags;
  }

  /**
   * Tags of what the result shows of the source: one for each row, or else for each column; `undefined` if neither is
   * possible.
   */
  #shownTags({ moves, shown }: ScopedTags, { rows }: ReadResult): readonly Tag[] | undefined {
    const { idProperty, sort, table } = this.#source;
    // If the result is sorted by primary keys, its order changes when a row gets another one.
    const order = sort.includes('id') && !this.#aggregated ? [moves] : [];
    if (!this.#isShown) return order;
    if (!this.#aggregated && idProperty !== undefined && rows !== undefined) {
      const ids = new Set<string>();
      for (const { [idProperty]: value } of rows) {
        if (value === null) continue;
        const id = wholeNumberKey(value);
        if (id === undefined) return undefined;
        ids.add(id);
      }
      if (ids.size <= MAX_DISTINCT_ROWS) return [...ids].map((id) => rowTag(table, id));
    }
    return shown && [...order, ...shown];
  }
}

const showsPlace = (
  { table, output, filters, sort, keys, isNull, isNotNull }: Source,
  catalog: TableCatalog,
): boolean => {
  if (output === 'all') return true;
  const columns = [...output, ...filters, ...sort, ...keys.map(({ column }) => column), ...isNull, ...isNotNull];
  return columns.some((column) => catalog.isPlaceColumn(table, column));
};

const decidingColumns = (
  source: Source,
  { joins }: PlainRead,
  scope: RequiredScope,
  comparesKey: boolean,
): ReadonlySet<string> => {
  const columns = new Set(source.filters);
  for (const { column } of source.keys) columns.add(column);
  for (const column of [...source.isNull, ...source.isNotNull]) columns.add(column);
  for (const column of scope.columns) columns.delete(column);
  for (const pair of joins) {
    for (const { alias, column } of pair) if (alias === source.alias) columns.add(column);
  }
  // A primary key changes only if its row moves, and references to the row follow. So `id` decides only if it is
  // compared with something else.
  if (comparesKey) columns.add('id');
  else columns.delete('id');
  return columns;
};

/**
 * The columns that decide which rows there are even if nothing but a primary key changes: the source's `id`, or a
 * reference, if it is compared with something other than by following the reference.
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
