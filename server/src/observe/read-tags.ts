import type { Tag } from '../cache/tag';
import { UNSPELLED, valueKey, type Row } from './column-value';
import {
  anyRowTag,
  columnTag,
  existenceTag,
  keySubstanceTag,
  keyTag,
  rowTag,
  spanTag,
  tableTag,
  tieTag,
} from './dependency-tags';
import { spansUpTo } from './key-spans';
import { MAX_ROWS_TOLD_APART, planOf, type ReadPlan, type SourcePlan } from './read-plan';
import type { Operand, PlainRead, Read } from './statement';
import type { TableCatalog } from './table-catalog';

/** How finely dependencies are told apart; see `strategy.precision`. */
export type Precision = 'table' | 'document';

export interface ReadResult {
  readonly bindings: readonly unknown[];
  /** As the driver returned them; `undefined` where they are not at hand (streams, failed statements). */
  readonly rows: readonly Row[] | undefined;
}

/** The tags of everything the answer to a read depended on. */
export const readTags = (read: Read, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] => {
  if (read.shape === 'opaque') {
    const tags = read.tables.map(tableTag);
    if (precision === 'document') for (const table of read.tables) tags.push(anyRowTag(table));
    return tags;
  }
  const plan = planOf(read, catalog);
  const { sources, tableTags } = plan;
  const tags = [...tableTags];
  if (precision === 'table') return tags;

  const execution = new Execution(read, plan, result, catalog);
  const settled = sources.map((source) => addAll(tags, execution.keyTags(source)));
  // A source found by key settles the sources joined to it by their primary key, and so on.
  for (let progress = true; progress; ) {
    progress = false;
    for (const [index, source] of sources.entries()) {
      if (settled[index] === true || !source.boundTo.some((other) => settled[other])) continue;
      settled[index] = addAll(tags, execution.boundTags(source));
      progress = true;
    }
  }
  addListed(tags, execution, sources, settled);
  return tags;
};

const addAll = (tags: Tag[], more: readonly Tag[] | undefined): boolean => {
  if (more === undefined) return false;
  for (const name of more) tags.push(name);
  return true;
};

/**
 * The rest are lists: rows may come and go. But a row that others refer to, and the database sees to it that they do,
 * comes into the answer and leaves it only together with one of those.
 */
const addListed = (
  tags: Tag[],
  execution: Execution,
  sources: readonly SourcePlan[],
  settled: readonly boolean[],
): void => {
  const pending = new Set(sources.keys());
  for (const index of sources.keys()) if (settled[index] === true) pending.delete(index);
  const listed = new Set<number>();
  const followsAny = (index: number, others: ReadonlySet<number>): boolean =>
    sources[index]?.follows.some((other) => others.has(other)) === true;
  while (pending.size > 0) {
    const candidates = [...pending];
    const follower = candidates.find((index) => followsAny(index, listed));
    // Where each follows another, one has to come first.
    const index = follower ?? candidates.find((candidate) => !followsAny(candidate, pending)) ?? candidates[0];
    const source = index === undefined ? undefined : sources[index];
    if (index === undefined || source === undefined) break;
    addAll(tags, execution.listTags(source, follower === undefined));
    pending.delete(index);
    listed.add(index);
  }
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
  }

  readonly #valueOf = (operand: Operand): unknown =>
    'binding' in operand ? this.#result.bindings[operand.binding] : operand.literal;

  /** The source's rows are all those with certain values in one column: whatever happens to them stamps these tags. */
  keyTags(plan: SourcePlan): Tag[] | undefined {
    if (plan.lookups.length === 0) return undefined;
    const { table } = plan.source;
    let fewest: { readonly column: string; readonly values: readonly string[] } | undefined;
    for (const { column, values: operands, isText } of plan.lookups) {
      const values = this.#knownValues(operands, isText);
      if (values === undefined) continue;
      // A database may find row 5 under '5abc'; only numbers surely mean the row of that number.
      if (column === 'id' && values.some((value) => !/^-?\d+$/.test(value))) continue;
      // Values that are not spelled have a tag of their own.
      if (fewest === undefined || tagsFor(fewest.column, fewest.values) > values.length) fewest = { column, values };
    }
    if (fewest === undefined) return undefined;
    const { column, values } = fewest;
    const scope = plan.scope(this.#valueOf);
    if (column !== 'id') {
      const tagOf = plan.showsPlace ? keyTag : keySubstanceTag;
      return [...values, UNSPELLED].map((value) => tagOf(table, scope, column, value));
    }
    if (plan.isShown) return values.map((value) => rowTag(table, value));
    return [...values.map((value) => existenceTag(table, value)), ...decidingTags(plan, scope)];
  }

  #knownValues(operands: readonly Operand[], isText: boolean): string[] | undefined {
    const known: string[] = [];
    for (const operand of operands) {
      const value = this.#valueOf(operand);
      const key = isText && typeof value !== 'string' ? undefined : valueKey(value);
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
    // A row that is only asked for whether it is there: where the database keeps its references intact it is,
    // otherwise it may go. One that is shown has its own tag.
    const presence = plan.isShown || plan.isGuaranteed ? [] : [plan.in(scope).membership];
    return [...shown, ...presence, ...decidingTags(plan, scope)];
  }

  listTags(plan: SourcePlan, comesAndGoes: boolean): Tag[] {
    const scope = plan.scope(this.#valueOf);
    const shown = this.#shownTags(plan, scope);
    const order = this.#orderTags(plan, scope);
    if (shown === undefined || order === undefined) return [anyRowTag(plan.source.table, scope)];
    const presence = comesAndGoes ? [plan.in(scope).membership] : [];
    return [...presence, ...shown, ...order, ...decidingTags(plan, scope)];
  }

  /** What the result shows: its rows one by one, or its columns; `undefined` where that cannot be told. */
  #shownTags(plan: SourcePlan, scope: string): Tag[] | undefined {
    if (!plan.isShown) return [];
    const { idProperty, table, output } = plan.source;
    const { rows } = this.#result;
    if (!this.#read.aggregated && idProperty !== undefined && rows !== undefined) {
      const ids = new Set<string>();
      for (const row of rows) {
        const value = row[idProperty];
        if (value === null) continue;
        const id = valueKey(value);
        if (id === undefined) return undefined;
        ids.add(id);
      }
      if (ids.size <= MAX_ROWS_TOLD_APART) return [...ids].map((id) => rowTag(table, id));
    }
    if (output === 'all') return undefined;
    const { membership, identity } = plan.in(scope);
    const tags = [membership, ...output.map((column) => columnTag(table, scope, column))];
    // Rows that move get another primary key, and those that refer to them another reference.
    const { references } = this.#catalog.facts(table) ?? {};
    if (output.some((column) => references?.has(column))) tags.push(identity);
    return tags;
  }

  /** What a page of a limited list depends on beside its rows; `undefined` where its order is not defined. */
  #orderTags(plan: SourcePlan, scope: string): Tag[] | undefined {
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
    const { identity } = plan.in(scope);
    if (others.some(({ sort }) => sort.length > 0)) return [identity];
    if (source.sort.at(-1) !== 'id') return undefined;
    if (first === 'id') return this.#spanTags(plan, scope) ?? [identity];
    if (source.output !== 'all' && !source.output.includes(first)) return [identity];
    // Another source's column may hide the sorted one in the result.
    if (this.#plan.sources.some((other) => other !== plan && other.isShown)) return [identity];
    const ties = new Set<Tag>();
    for (const row of this.#result.rows ?? []) {
      if (!(first in row)) return [identity];
      const value = row[first];
      const key = value === null ? '' : valueKey(value);
      if (key === undefined) return [identity];
      ties.add(tieTag(source.table, scope, first, key));
    }
    return ties.size > MAX_ROWS_TOLD_APART ? [identity] : [...ties];
  }

  /**
   * A page in ascending order of primary keys changes only when a row moves out of, or into, the range from the first
   * row of all to the last of the page. Ascending it is if its rows are.
   */
  #spanTags({ source: { table, idProperty } }: SourcePlan, scope: string): Tag[] | undefined {
    const { rows } = this.#result;
    if (idProperty === undefined || rows === undefined) return undefined;
    const ids = rows.map((row) => Number(row[idProperty]));
    const isAscending = ids.every(
      (id, index) => Number.isSafeInteger(id) && (index === 0 || id >= (ids[index - 1] ?? 0)),
    );
    const [first] = ids;
    const last = ids.at(-1);
    // A move takes no row to a page where there was none.
    if (ids.length === 0) return [];
    if (!isAscending || first === undefined || last === undefined || first === last) return undefined;
    return spansUpTo(last)?.map((span) => spanTag(table, scope, span));
  }
}

const tagsFor = (column: string, values: readonly string[]): number => values.length + (column === 'id' ? 0 : 1);

const decidingTags = (plan: SourcePlan, scope: string): readonly Tag[] =>
  plan.in(scope).deciding ?? [anyRowTag(plan.source.table, scope)];
