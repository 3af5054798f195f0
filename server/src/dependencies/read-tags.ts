import type { Tag } from '../cache/tag';
import { UNSPELLED, valueKey, wholeNumberKey, type Row } from '../sql/column-value';
import {
  anyRowTag,
  columnTag,
  keySubstanceTag,
  keyTag,
  movedReferenceTag,
  rowTag,
  spansUpTo,
  spanTag,
  tableTag,
  tieTag,
  wholeTableTags,
} from './dependency-tags';
import { MAX_ROWS_TOLD_APART, planOf, type ReadPlan, type SourcePlan } from './read-plan';
import type { Operand, PlainRead, Read } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** How finely dependencies are told apart; see `strategy.precision`. */
export type Precision = 'table' | 'document';

export interface ReadResult {
  readonly bindings: readonly unknown[];
  /** As the driver returned them; `undefined` where they are not at hand (streams, failed statements). */
  readonly rows: readonly Row[] | undefined;
}

/** The tags of everything the answer to a read depended on. */
export const readTags = (read: Read, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] => {
  switch (read.shape) {
    case 'opaque':
      return wholeTables(read.tables, precision);
    case 'plain':
      return plainTags(read, result, catalog, precision);
  }
};

const wholeTables = (tables: readonly string[], precision: Precision): Tag[] =>
  tables.flatMap((table) => (precision === 'document' ? wholeTableTags(table) : [tableTag(table)]));

const plainTags = (read: PlainRead, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] => {
  const plan = planOf(read, catalog);
  const { sources, tableTags } = plan;
  const tags = [...tableTags];
  if (precision === 'table') return tags;

  const execution = new Execution(read, plan, result, catalog);
  const covered = sources.map((source) => addAll(tags, execution.keyTags(source)));
  // A source found by key covers the sources joined to it by their primary key, and so on.
  for (let progress = true; progress; ) {
    progress = false;
    for (const [index, source] of sources.entries()) {
      if (covered[index] === true || !source.boundTo.some((other) => covered[other])) continue;
      covered[index] = addAll(tags, execution.boundTags(source));
      progress = true;
    }
  }
  // The rest are lists: rows may come and go.
  for (const [index, source] of sources.entries())
    if (covered[index] !== true) addAll(tags, execution.listTags(source));
  return tags;
};

const valueIn =
  (bindings: readonly unknown[]) =>
  (operand: Operand): unknown =>
    'binding' in operand ? bindings[operand.binding] : operand.literal;

const addAll = (tags: Tag[], more: readonly Tag[] | undefined): boolean => {
  if (more === undefined) return false;
  for (const name of more) tags.push(name);
  return true;
};

/** One execution of a statement: with these bindings, and these rows in answer. */
class Execution {
  readonly #read: PlainRead;
  readonly #plan: ReadPlan;
  readonly #result: ReadResult;
  readonly #catalog: TableCatalog;

  constructor(read: PlainRead, plan: ReadPlan, result: ReadResult, catalog: TableCatalog) {
    this.#read = read;
    this.#plan = plan;
    this.#result = result;
    this.#catalog = catalog;
    this.#valueOf = valueIn(result.bindings);
  }

  readonly #valueOf: ReturnType<typeof valueIn>;

  /** The source's rows are all those with certain values in one column: whatever happens to them stamps these tags. */
  keyTags(plan: SourcePlan): Tag[] | undefined {
    if (plan.lookups.length === 0) return undefined;
    const { table } = plan.source;
    let fewest: { readonly column: string; readonly values: readonly string[] } | undefined;
    for (const { column, values: operands } of plan.lookups) {
      const values = this.#knownValues(table, column, operands);
      if (values === undefined) continue;
      // Values that are not spelled have a tag of their own.
      if (fewest === undefined || tagsFor(fewest.column, fewest.values) > values.length) fewest = { column, values };
    }
    if (fewest === undefined) return undefined;
    const { column, values } = fewest;
    if (column === 'id') return values.map((value) => rowTag(table, value));
    const scope = plan.scope(this.#valueOf);
    const tagOf = plan.tellsMoves(column) ? keyTag : keySubstanceTag;
    return [...values, UNSPELLED].map((value) => tagOf(table, scope, column, value));
  }

  #knownValues(table: string, column: string, operands: readonly Operand[]): string[] | undefined {
    const known: string[] = [];
    for (const operand of operands) {
      const value = this.#valueOf(operand);
      // MySQL compares text with numbers in ways of its own.
      const isComparable = typeof value === 'string' || !this.#catalog.isTextLookup(table, column);
      const key = isComparable ? this.#catalog.lookupKey(table, column, value) : undefined;
      if (key === undefined) return undefined;
      known.push(key);
    }
    return known;
  }

  /** Its rows are reached only through `source.id = other.column`, and what `other` holds is covered already. */
  boundTags(plan: SourcePlan): Tag[] {
    const scope = plan.scope(this.#valueOf);
    const shown = this.#shownTags(plan, scope);
    if (shown === undefined) return [anyRowTag(plan.source.table, scope)];
    // A row that is only asked for whether it is there may go. One that is shown has its own tag.
    const presence = plan.isShown ? [] : [plan.in(scope).membership];
    return [...shown, ...presence, ...decidingTags(plan, scope)];
  }

  listTags(plan: SourcePlan): Tag[] {
    const scope = plan.scope(this.#valueOf);
    const shown = this.#shownTags(plan, scope);
    const order = this.#orderTags(plan, scope);
    if (shown === undefined || order === undefined) return [anyRowTag(plan.source.table, scope)];
    return [plan.in(scope).membership, ...shown, ...order, ...decidingTags(plan, scope)];
  }

  /** What the result shows: its rows one by one, or its columns; `undefined` where that cannot be told. */
  #shownTags(plan: SourcePlan, scope: string): Tag[] | undefined {
    // Rows in the order of primary keys are shown in another when one gets another key.
    const order = plan.source.sort.includes('id') && !this.#read.aggregated ? [plan.in(scope).moves] : [];
    if (!plan.isShown) return order;
    const { idProperty, table, output } = plan.source;
    const { rows } = this.#result;
    if (!this.#read.aggregated && idProperty !== undefined && rows !== undefined) {
      const ids = new Set<string>();
      for (const row of rows) {
        const value = row[idProperty];
        if (value === null) continue;
        const id = wholeNumberKey(value);
        if (id === undefined) return undefined;
        ids.add(id);
      }
      if (ids.size <= MAX_ROWS_TOLD_APART) return [...ids].map((id) => rowTag(table, id));
    }
    if (output === 'all') return undefined;
    const tags = [...order, plan.in(scope).membership, ...output.map((column) => columnTag(table, scope, column))];
    // Rows that move get another primary key, and those that refer to them another reference.
    const { references } = this.#catalog.facts(table) ?? {};
    for (const column of output) if (references?.has(column)) tags.push(movedReferenceTag(table, scope, column));
    return tags;
  }

  /** What a page of a limited list depends on beside its rows; `undefined` where its order is not defined. */
  #orderTags(plan: SourcePlan, scope: string): readonly Tag[] | undefined {
    const { limited, aggregated, sources } = this.#read;
    if (!limited || aggregated) return [];
    if (!sources.some(({ sort }) => sort.length > 0)) return undefined;
    const { source } = plan;
    const others = sources.filter((candidate) => candidate !== source);
    const [first] = source.sort;
    if (first === undefined) {
      // Rows that differ in this source alone have no order; where it is not shown, they do not differ.
      return plan.isShown ? undefined : [];
    }
    const { moves } = plan.in(scope);
    if (others.some(({ sort }) => sort.length > 0)) return [moves];
    if (source.sort.at(-1) !== 'id') return undefined;
    if (first === 'id') return this.#spanTags(plan, scope) ?? [moves];
    if (source.output !== 'all' && !source.output.includes(first)) return [moves];
    // Another source's column may hide the sorted one in the result.
    if (this.#plan.sources.some((other) => other !== plan && other.isShown)) return [moves];
    const { rows } = this.#result;
    if (rows === undefined) return [moves];
    const ties = new Set<Tag>();
    for (const row of rows) {
      if (!(first in row)) return [moves];
      const value = row[first];
      const key = value === null ? '' : valueKey(value);
      if (key === undefined) return [moves];
      ties.add(tieTag(source.table, scope, first, key));
    }
    return ties.size > MAX_ROWS_TOLD_APART ? [moves] : [...ties];
  }

  /**
   * A page in ascending order of primary keys changes only when a row moves out of, or into, the range from the first
   * row of all to the last of the page. Ascending it is if its rows are.
   */
  #spanTags(plan: SourcePlan, scope: string): readonly Tag[] | undefined {
    const { idProperty } = plan.source;
    const { rows } = this.#result;
    if (idProperty === undefined || rows === undefined) return undefined;
    // A move takes no row to a page where there was none.
    if (rows.length === 0) return [];
    let last = -Infinity;
    for (const row of rows) {
      const id = Number(row[idProperty]);
      if (!Number.isSafeInteger(id) || id < last) return undefined;
      last = id;
    }
    if (Number(rows[0]?.[idProperty]) === last) return undefined;
    return spansUpTo(last)?.map((span) => spanTag(plan.source.table, scope, span));
  }
}

const tagsFor = (column: string, values: readonly string[]): number => values.length + (column === 'id' ? 0 : 1);

const decidingTags = (plan: SourcePlan, scope: string): readonly Tag[] =>
  plan.in(scope).deciding ?? [anyRowTag(plan.source.table, scope)];
