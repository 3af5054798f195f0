import type { Tag } from '../cache/tag';
import { UNSPELLED, wholeNumberKey, type Row } from '../sql/column-value';
import {
  anyRowTag,
  columnTag,
  existenceTag,
  keySubstanceTag,
  keyTag,
  membershipTag,
  movedReferenceTag,
  rowTag,
  tableTag,
  wholeTableTags,
} from './dependency-tags';
import { isShown, MAX_ROWS_TOLD_APART, pageOrder, pageTags, type PageOrder } from './page-order';
import { bothWays, isRestrictedBy, operandValue, requiredScope, type RequiredScope } from './row-scope';
import type { EqualityKey, Operand, PlainRead, Read, Source } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** How finely dependencies are told apart; see `strategy.precision`. */
export type Precision = 'table' | 'document';

export interface ReadResult {
  readonly bindings: readonly unknown[];
  /** As the driver returned them; `undefined` where they are not at hand (streams, failed statements). */
  readonly rows: readonly Row[] | undefined;
}

/** Locales are few; what a request asks for may be anything. */
const MAX_SCOPES_REMEMBERED = 50;

/** The tags of everything the answer to a read depended on. */
export const readTags = (read: Read, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] => {
  if (read.shape === 'plain' && !result.bindings.some(mayBeCondition)) {
    const plan = planOf(read, catalog);
    return precision === 'table' ? [...plan.tableTags] : plan.tags(result);
  }
  return read.tables.flatMap((table) => (precision === 'document' ? wholeTableTags(table) : [tableTag(table)]));
};

/** mysql2 (before 3.17) spells an object that is bound as `column = value`, wherever it stands. */
const mayBeCondition = (binding: unknown): boolean =>
  typeof binding === 'object' && binding !== null && Object.getPrototypeOf(binding) === Object.prototype;

const tagsByRead = new WeakMap<Read, readonly Tag[]>();

/** The same where its tables are all that counts. */
export const tagsOfTables = (read: Read): readonly Tag[] => {
  const known = tagsByRead.get(read);
  if (known !== undefined) return known;
  const tags = read.tables.flatMap(wholeTableTags);
  tagsByRead.set(read, tags);
  return tags;
};

const plans = new WeakMap<PlainRead, { readonly catalog: TableCatalog; readonly plan: ReadPlan }>();

/** Worked out at the first execution, and again when the catalog is another. */
const planOf = (read: PlainRead, catalog: TableCatalog): ReadPlan => {
  const known = plans.get(read);
  if (known?.catalog === catalog) return known.plan;
  const plan = new ReadPlan(read, catalog);
  plans.set(read, { catalog, plan });
  return plan;
};

/** What a statement alone says of the tags of its executions: given bindings and rows, it tells them. */
class ReadPlan {
  readonly tableTags: readonly Tag[];
  readonly #sources: readonly SourcePlan[];

  constructor(read: PlainRead, catalog: TableCatalog) {
    this.tableTags = read.sources.map(({ table }) => tableTag(table));
    this.#sources = read.sources.map((source) => new SourcePlan(source, read, catalog));
  }

  tags(result: ReadResult): Tag[] {
    const sources = this.#sources;
    const tags = [...this.tableTags];
    const add = (more: readonly Tag[]): true => {
      for (const name of more) tags.push(name);
      return true;
    };
    const covered = sources.map((source) => {
      const found = source.lookUpTags(result);
      return found !== undefined && add(found);
    });
    // A source found by key covers the sources joined to it by their primary key, and so on.
    for (let progress = true; progress; ) {
      progress = false;
      for (const [index, source] of sources.entries()) {
        if (covered[index] === true || !source.boundTo.some((other) => covered[other])) continue;
        covered[index] = progress = add(source.boundTags(result));
      }
    }
    // The rest are lists: rows may come and go.
    for (const [index, source] of sources.entries()) if (covered[index] !== true) add(source.listTags(result));
    return tags;
  }
}

/** What of a source's tags only the statement and the scope decide. */
interface ScopedTags {
  readonly scope: string;
  readonly any: Tag;
  readonly membership: Tag;
  /** Some row of the scope got another primary key. */
  readonly moves: Tag;
  /** Columns that decide which rows there are: conditions, joins, groups, order. */
  readonly deciding: readonly Tag[];
  /** Columns shown; `undefined` where any may be. */
  readonly shown: readonly Tag[] | undefined;
}

/** What the statement alone says of one source. */
class SourcePlan {
  /** Sources by which its rows are reached through its primary key, and by nothing else. */
  readonly boundTo: readonly number[];
  readonly #source: Source;
  readonly #catalog: TableCatalog;
  /** Columns that rows are tagged by, and the values they are asked to have one of. */
  readonly #lookUps: readonly EqualityKey[];
  readonly #aggregated: boolean;
  /** Whether the result shows anything of its rows. */
  readonly #isShown: boolean;
  /** Whether the read looks at where among its like a join row stands, or at its primary key. */
  readonly #showsPlace: boolean;
  readonly #order: PageOrder;
  /** Columns that decide which rows there are, beside what the scope says already. */
  readonly #decidingColumns: readonly string[];
  readonly #comparedReferences: readonly string[];
  readonly #shownReferences: readonly string[];
  /** The narrowest one that surely holds all rows of the source that matter. */
  readonly #scope: RequiredScope;
  readonly #scoped = new Map<string, ScopedTags>();

  constructor(source: Source, read: PlainRead, catalog: TableCatalog) {
    const { table, alias, keys, sort, output, showsId } = source;
    this.#source = source;
    this.#catalog = catalog;
    this.#lookUps = keys.filter(
      ({ column, values }) => catalog.isLookupColumn(table, column) && values.length <= MAX_ROWS_TOLD_APART,
    );
    this.#order = pageOrder(source, read);
    // Rows that a page leaves out have no tags of their own, and may come to stand on it.
    const joins = this.#order === 'none' ? read.joins : [];
    this.boundTo = joins
      .flatMap(bothWays)
      .filter(([own, other]) => own.alias === alias && own.column === 'id' && isRestrictedBy(source, other.alias, read))
      .map(([, other]) => read.sources.findIndex((candidate) => candidate.alias === other.alias));

    this.#scope = requiredScope(source, read, catalog);
    const compared = comparedKeys(source, read, catalog);
    const asksForKey = showsId || sort.includes('id') || keys.some(({ column }) => column === 'id');
    this.#aggregated = read.aggregated;
    this.#isShown = isShown(source);
    this.#showsPlace = showsPlace(source, catalog) || asksForKey || compared.has('id');
    this.#decidingColumns = [...decidingColumns(source, read, this.#scope, compared.has('id'))];
    this.#comparedReferences = [...compared].filter((column) => column !== 'id');
    const { references } = catalog.facts(table) ?? {};
    this.#shownReferences = output === 'all' ? [] : output.filter((column) => references?.has(column));
  }

  /** The source's rows are all those with certain values in one column: whatever happens to them stamps these tags. */
  lookUpTags(result: ReadResult): Tag[] | undefined {
    let fewest: { readonly column: string; readonly values: readonly string[] } | undefined;
    for (const { column, values: operands } of this.#lookUps) {
      const values = this.#knownValues(column, operands, result);
      if (values === undefined) continue;
      // Values that are not spelled have a tag of their own.
      if (fewest === undefined || tagsFor(fewest.column, fewest.values) > values.length) fewest = { column, values };
    }
    if (fewest === undefined) return undefined;
    const { column, values } = fewest;
    const { table } = this.#source;
    const scope = this.#scope.of(result.bindings);
    if (column === 'id' && this.#isShown) return values.map((value) => rowTag(table, value));
    // A caller's own orders ask for the caller's row by its key, and for nothing of it.
    if (column === 'id')
      return [...values.map((value) => existenceTag(table, value)), ...this.#scopedTags(scope).deciding];
    const tagOf = this.#tellsMoves(column) ? keyTag : keySubstanceTag;
    return [...values, UNSPELLED].map((value) => tagOf(table, scope, column, value));
  }

  /** Its rows are reached only through `source.id = other.column`, and what `other` holds is covered already. */
  boundTags(result: ReadResult): readonly Tag[] {
    const scoped = this.#scopedTags(this.#scope.of(result.bindings));
    const shown = this.#shownTags(scoped, result);
    if (shown === undefined) return [scoped.any];
    // A row that is only asked for whether it is there may go. One that is shown has its own tag.
    const presence = this.#isShown ? [] : [scoped.membership];
    return [...shown, ...presence, ...scoped.deciding];
  }

  listTags(result: ReadResult): readonly Tag[] {
    const scoped = this.#scopedTags(this.#scope.of(result.bindings));
    const shown = this.#shownTags(scoped, result);
    if (shown === undefined || this.#order === 'any') return [scoped.any];
    return [
      scoped.membership,
      ...shown,
      ...pageTags(this.#order, this.#source, scoped, result.rows),
      ...scoped.deciding,
    ];
  }

  #knownValues(column: string, operands: readonly Operand[], result: ReadResult): string[] | undefined {
    const { table } = this.#source;
    const known: string[] = [];
    for (const operand of operands) {
      const value = operandValue(operand, result.bindings);
      // MySQL compares text with numbers in ways of its own.
      const isComparable = typeof value === 'string' || !this.#catalog.isTextLookup(table, column);
      const key = isComparable ? this.#catalog.lookupKey(table, column, value) : undefined;
      if (key === undefined) return undefined;
      known.push(key);
    }
    return known;
  }

  /** Whether a row found by this column may matter although nothing of it has changed but keys and places. */
  #tellsMoves(column: string): boolean {
    return (
      this.#showsPlace ||
      this.#order !== 'none' ||
      [...this.#shownReferences, ...this.#comparedReferences].some((other) => other !== column)
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
      // Rows that move get another primary key, and those that refer to them another reference.
      shown: output === 'all' ? undefined : [membership, ...ofColumns(output), ...ofReferences(this.#shownReferences)],
    };
    if (this.#scoped.size >= MAX_SCOPES_REMEMBERED) this.#scoped.clear();
    this.#scoped.set(scope, tags);
    return tags;
  }

  /** What the result shows: its rows one by one, or its columns; `undefined` where that cannot be told. */
  #shownTags({ moves, shown }: ScopedTags, { rows }: ReadResult): readonly Tag[] | undefined {
    const { idProperty, sort, table } = this.#source;
    // Rows in the order of primary keys are shown in another when one gets another key.
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
      if (ids.size <= MAX_ROWS_TOLD_APART) return [...ids].map((id) => rowTag(table, id));
    }
    return shown && [...order, ...shown];
  }
}

const tagsFor = (column: string, values: readonly string[]): number => values.length + (column === 'id' ? 0 : 1);

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
