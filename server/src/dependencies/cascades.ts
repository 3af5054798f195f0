import { MAX_ROWS_CHANGED, rowName, type Change, type ChangeLog } from './changes';
import { wholeNumberKey, type Row } from '../sql/column-value';
import type { ForeignKey } from '../database/database-description';
import { type LookUpAccess, selectWith } from '../database/connection-access';
import type { Insert } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** A connection on which rows can be locked as they are looked at. */
interface LockingAccess extends LookUpAccess {
  readonly rowLock: { readonly delete: string };
}

/** Works out what foreign keys change in rows that no statement names. */
export class Cascades {
  readonly #catalog: () => TableCatalog;
  readonly #tablesRead: ReadonlySet<string> | undefined;

  /** @param tablesRead every table that was ever read for a response that may be stored; left out if not known. */
  constructor(catalog: () => TableCatalog, tablesRead?: ReadonlySet<string>) {
    this.#catalog = catalog;
    this.#tablesRead = tablesRead;
  }

  /**
   * Changes of these whole tables and of every table that foreign keys may change with them; `everything` if a write to
   * one of them may do anything.
   */
  ofTables(tables: readonly string[]): Change[] {
    const all = new Set(tables);
    for (const table of all) {
      if (this.hasUnknownEffects(table)) return [{ kind: 'everything' }];
      for (const { table: referring, onDelete, onUpdate } of this.#referencesTo(table))
        if (onDelete !== 'none' || onUpdate !== 'none') all.add(referring);
    }
    return [...all].map((table) => ({ kind: 'table', table }));
  }

  /**
   * A change of the whole table of an INSERT. If the INSERT may delete rows or give them another key, the tables that
   * change with it are included.
   */
  ofInsert({ table, conflict }: Pick<Insert, 'table' | 'conflict'>): Change[] {
    return conflict === 'replace' || conflict === 'update' ? this.ofTables([table]) : [{ kind: 'table', table }];
  }

  /**
   * Whether it is enough to stamp these tables as a whole, without looking at their rows: each of them is stamped as a
   * whole anyway, or was never read for a response that may be stored. A response that reads it from now on carries its
   * tag, and is invalidated by this write like any other.
   */
  areEnough(changes: readonly Change[], log: ChangeLog): boolean {
    return changes.every(
      (change) =>
        change.kind === 'table' && (log.holdsWhole(change.table) || this.#tablesRead?.has(change.table) === false),
    );
  }

  /**
   * Whether a write to this table may change rows that no foreign key leads to: by triggers or rules, or in other
   * tables if the name is not a plain table's.
   */
  hasUnknownEffects(table: string): boolean {
    return this.#catalog().whyNotPlain(table) !== undefined || this.#catalog().facts(table)?.hasTriggers === true;
  }

  /** Changes that an UPDATE of these columns of a table causes in the tables that refer to them. */
  ofUpdate(table: string, columns: readonly string[]): Change[] {
    const references = this.#referencesTo(table).filter(
      ({ onUpdate, targetColumns }) =>
        onUpdate !== 'none' && targetColumns.some((column) => columns.includes(column.toLowerCase())),
    );
    return references.length === 0 ? [] : this.ofTables(references.map((reference) => reference.table));
  }

  /**
   * What foreign keys delete or change when these rows are deleted, on all levels. The referring rows are locked when
   * they are selected: this also finds rows that a snapshot hides (MySQL), and no other transaction can change them
   * before they are deleted.
   */
  async ofDeleted(table: string, rows: readonly Row[], access: LockingAccess, log: ChangeLog): Promise<Change[]> {
    const changes: Change[] = [];
    const gone = [{ table, rows }];
    const seen = new Set(rows.map((row) => rowName(table, row.id)));
    for (const deleted of gone) {
      for (const reference of this.#referencesTo(deleted.table)) {
        if (reference.onDelete === 'none' || deleted.rows.length === 0) continue;
        const whole = this.ofTables([reference.table]);
        const found = this.areEnough(whole, log) ? undefined : await this.#referring(reference, deleted.rows, access);
        if (found === undefined) {
          changes.push(...whole);
          continue;
        }
        const { table: referring } = reference;
        const fresh = found.filter(({ id }) => !seen.has(rowName(referring, id)));
        for (const before of fresh) {
          seen.add(rowName(referring, before.id));
          changes.push({ kind: 'row', table: referring, before, after: undefined });
        }
        gone.push({ table: referring, rows: fresh });
      }
    }
    return changes;
  }

  /**
   * The rows that are deleted with these; `undefined` if they are unknown, too many, or kept with another reference.
   */
  async #referring(
    { table, columns, targetColumns, onDelete }: ForeignKey,
    rows: readonly Row[],
    access: LockingAccess,
  ): Promise<readonly Row[] | undefined> {
    const [column, another] = columns;
    const [target] = targetColumns;
    const facts = this.#catalog().facts(table);
    if (column === undefined || another !== undefined || target === undefined || facts === undefined) return undefined;
    if (onDelete !== 'cascade' || this.hasUnknownEffects(table) || facts.primaryKey.join() !== 'id') return undefined;
    const present = rows.map((row) => row[target.toLowerCase()]).filter((value) => value !== null);
    // A driver may cut other values, and the two columns may compare them in different ways.
    if (present.some((value) => wholeNumberKey(value) === undefined)) return undefined;
    if (present.length === 0) return [];
    const selected = selectWith({ table, column, count: present.length }, this.#catalog(), access);
    const found = await access.select(`${selected} limit ${MAX_ROWS_CHANGED + 1}${access.rowLock.delete}`, present);
    return found.length > MAX_ROWS_CHANGED ? undefined : found;
  }

  #referencesTo(table: string): readonly ForeignKey[] {
    return this.#catalog().facts(table)?.referencedBy ?? [];
  }
}
