import { ROWS, type DatabaseModel, type WriteId } from './database-model';
import type { Run } from './origin';

/** What a reader may rely on from the moment it asks. */
export interface Promised {
  /** For each row, the version that had been acknowledged. */
  readonly versions: readonly number[];
  /** Computations begun before this moment had been purged. */
  readonly purgedUntil: number;
}

/** Keeps the minutes of a world: what was promised to whom, and which promises were broken. */
export class Judge {
  readonly violations: string[] = [];
  readonly #database: DatabaseModel;
  readonly #acknowledged = ROWS.map(() => 0);
  readonly #withdrawn: Array<ReadonlySet<WriteId>> = [];
  #purgedUntil = 0;
  #moments = 0;

  constructor(database: DatabaseModel) {
    this.#database = database;
  }

  /** The next position in the order of everything that happens. */
  moment(): number {
    this.#moments += 1;
    return this.#moments;
  }

  /** The writer has learned that these writes are committed. */
  acknowledgeWrites(writes: ReadonlySet<WriteId>): void {
    for (const row of ROWS) {
      for (const write of writes) {
        const version = this.#database.versionOf(row, write) ?? 0;
        this.#acknowledged[row] = Math.max(this.#acknowledged[row] ?? 0, version);
      }
    }
  }

  /** These writes, and whatever their transaction may still add to them, must never be committed. */
  withdrawWrites(writes: ReadonlySet<WriteId>): void {
    this.#withdrawn.push(writes);
  }

  /** An administrator has learned that everything computed before `asked` is purged. */
  acknowledgePurge(asked: number): void {
    this.#purgedUntil = Math.max(this.#purgedUntil, asked);
  }

  promised(): Promised {
    return { versions: [...this.#acknowledged], purgedUntil: this.#purgedUntil };
  }

  /**
   * A response has reached its reader.
   *
   * @param own what the reader's own transaction has written: it alone may see that before it is committed.
   */
  judgeResponse(run: Run, promised: Promised, own: ReadonlySet<WriteId>): void {
    for (const row of run.page.rows) {
      const write = run.saw.get(row);
      if (write === undefined) {
        this.accuse(`a response lacks row ${row}`);
        continue;
      }
      if (own.has(write)) continue;
      const version = this.#database.versionOf(row, write);
      const acknowledged = promised.versions[row] ?? 0;
      if (version === undefined) this.accuse(`a reader saw write ${write} to row ${row}, which is not committed`);
      else if (version < acknowledged) {
        this.accuse(`stale: a reader saw version ${version} of row ${row} when ${acknowledged} had been acknowledged`);
      }
    }
  }

  /** Nothing happens any more: now every response must be exactly what the database holds. */
  judgeAtRest(run: Run): void {
    for (const row of run.page.rows) {
      const write = run.saw.get(row);
      const latest = this.#database.latest(row);
      if (write !== latest) this.accuse(`stale for good: row ${row} is shown as of write ${write}, not ${latest}`);
    }
  }

  /** Nothing happens any more: what was rolled back must not have come back. */
  judgeTransactions(): void {
    for (const writes of this.#withdrawn) {
      for (const write of writes) {
        const isCommitted = ROWS.some((row) => this.#database.versionOf(row, write) !== undefined);
        if (isCommitted) this.accuse(`write ${write} was rolled back, but is committed`);
      }
    }
  }

  accuse(violation: string): void {
    this.violations.push(violation);
  }
}
