import type { Row } from '../sql/column-value';

/** What a write did to one row. Either image may be missing, never both. */
export interface RowChange {
  readonly kind: 'row';
  readonly table: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A write of which only the table is known. */
export interface TableChange {
  readonly kind: 'table';
  readonly table: string;
}

/** A write of which nothing is known, or one that concerns everything. */
export interface UnknownChange {
  readonly kind: 'everything';
}

export type Change = RowChange | TableChange | UnknownChange;

/** The changes of one transaction in order, with savepoints: what is rolled back leaves no trace. */
export class ChangeLog {
  #changes: Change[] = [];
  readonly #savepoints: Array<{ readonly name: string; readonly length: number }> = [];

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  add(changes: readonly Change[]): void {
    for (const change of changes) this.#changes.push(change);
  }

  savepoint(name: string): void {
    this.#savepoints.push({ name, length: this.#changes.length });
  }

  /** Forgets the savepoint and those opened after it; their changes now belong to what surrounds them. */
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
    this.#savepoints.length = index + 1;
  }

  /** Names may repeat; the latest counts. */
  #find(name: string): number {
    return this.#savepoints.findLastIndex((savepoint) => savepoint.name === name);
  }
}
