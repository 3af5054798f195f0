import { isSameValue, valueKey, wholeNumberKey, type Row } from '../sql/column-value';
import { statusOf, LOCALE, localeOf, PUBLISHED_AT } from './row-scope';
import type { TableCatalog } from '../database/table-catalog';

export type Change =
  /** What a write did to one row. Either image may be missing, never both. */
  | { readonly kind: 'row'; readonly table: string; readonly before: Row | undefined; readonly after: Row | undefined }
  /** A write of which only the table is known. */
  | { readonly kind: 'table'; readonly table: string }
  /** A write of which nothing is known, or one that concerns everything. */
  | { readonly kind: 'everything' };

/**
 * If more rows of one table than this change, the whole table is stamped: tags for each row would cost more than they
 * save, and lists are invalidated anyway.
 */
export const MAX_ROWS_CHANGED = 300;

/**
 * If one transaction changes rows of one table more often than this, the table is noted instead, so that an import of any
 * length fits in memory.
 */
const MAX_CHANGES_NOTED = 10 * MAX_ROWS_CHANGED;

/** The changes of one transaction in order, with savepoints: what is rolled back leaves no trace. */
export class ChangeLog {
  #changes: Change[] = [];
  /** The index of the change by which a table was first noted as a whole. */
  readonly #whole = new Map<string, number>();
  /** How many changes of rows were noted, by table. */
  readonly #noted = new Map<string, number>();
  readonly #savepoints: Array<{ readonly name: string; readonly length: number }> = [];

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  add(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'everything') this.#changes.push(change);
      else if (!this.#whole.has(change.table)) this.#note(change);
    }
  }

  #note(change: Exclude<Change, { readonly kind: 'everything' }>): void {
    const { kind, table } = change;
    if (kind === 'table') this.#whole.set(table, this.#changes.length);
    this.#changes.push(change);
    const noted = (this.#noted.get(table) ?? 0) + 1;
    this.#noted.set(table, noted);
    if (kind === 'row' && noted > MAX_CHANGES_NOTED) this.#note({ kind: 'table', table });
  }

  /** Whether a table is stamped as a whole anyway, so that nothing more has to be known of its rows. */
  holdsWhole(table: string): boolean {
    return this.#whole.has(table);
  }

  savepoint(name: string): void {
    this.#savepoints.push({ name, length: this.#changes.length });
  }

  /** Forgets the savepoint and those opened after it; their changes now belong to the surrounding one. */
  release(name: string): void {
    const index = this.#find(name);
    if (index >= 0) this.#savepoints.length = index;
  }

  /** Forgets the changes since the savepoint, which itself stays open (as in SQL). */
  rollbackTo(name: string): void {
    const index = this.#find(name);
    const savepoint = this.#savepoints[index];
    if (savepoint === undefined) return;
    this.#changes.length = savepoint.length;
    for (const [table, index] of this.#whole) if (index >= savepoint.length) this.#whole.delete(table);
    this.#noted.clear();
    this.#savepoints.length = index + 1;
  }

  /** Names may repeat; the latest counts. */
  #find(name: string): number {
    return this.#savepoints.findLastIndex((savepoint) => savepoint.name === name);
  }
}

/** What a whole transaction did to one row in the end. Either image may be missing, never both. */
export interface NetChange {
  readonly table: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /**
   * Columns that differ between the two images; empty if one is missing. For a moved row, without the primary key and
   * the references of a join row.
   */
  readonly changed: readonly string[];
  /** The row was deleted and inserted again under another primary key, as publishing does. */
  readonly moved: boolean;
}

export interface NetChanges {
  readonly everything: boolean;
  /** Tables whose changes are not known row by row. */
  readonly tables: ReadonlySet<string>;
  readonly rows: readonly NetChange[];
}

interface Images {
  before: Row | undefined;
  after: Row | undefined;
}

/** A name for one row among the rows of all tables. */
export const rowName = (table: string, id: unknown): string => `${table}#${valueKey(id) ?? ''}`;

/**
 * Sums up a transaction's changes row by row, and recognises rows that were only moved: deleted and inserted again
 * under another primary key.
 */
export const netChanges = (changes: readonly Change[], catalog: TableCatalog): NetChanges => {
  let everything = false;
  const tables = new Set<string>();
  const images = new Map<string, Map<string, Images>>();
  for (const change of changes) {
    if (change.kind === 'everything') everything = true;
    else if (change.kind === 'table') tables.add(change.table);
    else if (!catalog.isIdentifiedById(change.table) || !addImages(images, change.table, change.before, change.after))
      tables.add(change.table);
  }
  const replaced = new Map<string, unknown>();
  const rows: NetChange[] = [];
  const holdsDocuments = (table: string): boolean => catalog.has(table, 'document_id');
  // Documents first: join rows are identified by the documents that they connect, whose rows may have been moved.
  const ordered = [...images].sort(([one], [other]) => Number(holdsDocuments(other)) - Number(holdsDocuments(one)));
  for (const [table, byId] of ordered) {
    if (tables.has(table)) continue;
    if (byId.size > MAX_ROWS_CHANGED) {
      tables.add(table);
    } else if (holdsDocuments(table)) {
      const net = pairRows(table, byId, documentIdentity, ['id']);
      for (const { before, after, moved } of net) if (moved) replaced.set(rowName(table, before?.id), after?.id);
      rows.push(...net);
    } else {
      const references = catalog.facts(table)?.references ?? new Map<string, string>();
      const identity = (row: Row): string | undefined => joinIdentity(row, references, replaced);
      rows.push(...pairRows(table, byId, identity, ['id', ...references.keys()]));
    }
  }
  return { everything, tables, rows };
};

/** Merges one change, in the order of changes, into the images of its row; `false` if the row cannot be identified. */
const addImages = (
  images: Map<string, Map<string, Images>>,
  table: string,
  before: Row | undefined,
  after: Row | undefined,
): boolean => {
  const id = wholeNumberKey((before ?? after)?.id);
  if (id === undefined) return false;
  if (before !== undefined && after !== undefined && wholeNumberKey(after.id) !== id) return false;
  const byId = images.get(table) ?? new Map<string, Images>();
  images.set(table, byId);
  const known = byId.get(id);
  if (known === undefined) byId.set(id, { before, after });
  else known.after = after;
  return true;
};

/** One document in one locale has at most one row in each status. */
const documentIdentity = (row: Row): string | undefined => {
  const documentId = valueKey(row.document_id);
  return documentId === undefined
    ? undefined
    : JSON.stringify([
        documentId,
        LOCALE in row ? localeOf(row[LOCALE]) : '',
        PUBLISHED_AT in row ? statusOf(row) : '',
      ]);
};

const joinIdentity = (
  row: Row,
  references: ReadonlyMap<string, string>,
  replaced: ReadonlyMap<string, unknown>,
): string | undefined => {
  const ends = [...references].map(([column, target]) =>
    valueKey(replaced.get(rowName(target, row[column])) ?? row[column]),
  );
  return ends.length < 2 || ends.includes(undefined) ? undefined : ends.join(' ');
};

/**
 * Pairs deleted rows with inserted rows of the same identity, as moved. Rows that cannot be paired one to one count as
 * inserted or deleted.
 */
const pairRows = (
  table: string,
  byId: ReadonlyMap<string, Images>,
  identityOf: (row: Row) => string | undefined,
  identityColumns: readonly string[],
): NetChange[] => {
  const result: NetChange[] = [];
  const gone = new Map<string, Row[]>();
  const come: Row[] = [];
  for (const { before, after } of byId.values()) {
    if (before !== undefined && after !== undefined) {
      const changed = changedColumns(before, after, []);
      if (changed.length > 0) result.push({ table, before, after, changed, moved: false });
    } else if (before !== undefined) {
      const identity = identityOf(before) ?? `#${String(before.id)}`;
      gone.set(identity, [...(gone.get(identity) ?? []), before]);
    } else if (after !== undefined) come.push(after);
  }
  for (const after of come) {
    const identity = identityOf(after) ?? '';
    const [before, another] = gone.get(identity) ?? [];
    if (before === undefined || another !== undefined) {
      result.push({ table, before: undefined, after, changed: [], moved: false });
      continue;
    }
    gone.delete(identity);
    result.push({ table, before, after, changed: changedColumns(before, after, identityColumns), moved: true });
  }
  for (const before of [...gone.values()].flat())
    result.push({ table, before, after: undefined, changed: [], moved: false });
  return result;
};

const changedColumns = (before: Row, after: Row, except: readonly string[]): string[] => {
  const columns = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const column of except) columns.delete(column);
  return [...columns].filter((column) => !isSameValue(before[column], after[column]));
};
