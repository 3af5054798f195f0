import { ROWS, type DatabaseModel, type WriteId } from './database-model';
import type { Run } from './origin';

/** What a reader may rely on from the time of its request. */
export interface Promised {
  /** For each row, the version that was acknowledged. */
  readonly versions: readonly number[];
  /** Everything computed before this moment is purged. */
  readonly purgedUntil: number;
}

/** Records what was promised to each reader, and which promises were broken. */
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

  /** The next position in the order of all events. */
  moment(): number {
    this.#moments += 1;
    return this.#moments;
  }

  /** The writer learns that these writes are committed. */
  acknowledgeWrites(writes: ReadonlySet<WriteId>): void {
    for (const row of ROWS) {
      for (const write of writes) {
        const version = this.#database.versionOf(row, write) ?? 0;
        this.#acknowledged[row] = Math.max(this.#acknowledged[row] ?? 0, version);
      }
    }
  }

  /** These writes must never be committed. The set may still grow with further writes of their transaction. */
  withdrawWrites(writes: ReadonlySet<WriteId>): void {
    this.#withdrawn.push(writes);
  }

  /** An administrator learns that everything computed before `asked` is purged. */
  acknowledgePurge(asked: number): void {
    this.#purgedUntil = Math.max(this.#purgedUntil, asked);
  }

  promised(): Promised {
    return { versions: [...this.#acknowledged], purgedUntil: this.#purgedUntil };
  }

  /**
   * Checks a response that has reached its reader.
   *
   * @param own the writes of the reader's own transaction, which may see them before they are committed.
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

  /** Checks a response when nothing happens any more: it must show exactly what the database holds. */
  judgeAtRest(run: Run): void {
    for (const row of run.page.rows) {
      const write = run.saw.get(row);
      const latest = this.#database.latest(row);
      if (write !== latest) this.accuse(`stale for good: row ${row} is shown as of write ${write}, not ${latest}`);
    }
  }

  /** Checks, when nothing happens any more, that no write that was rolled back is committed. */
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
