import type { Row } from '../../server/src/sql/column-value';
import type { ConnectionAccess, QueryOutcome } from '../../server/src/database/connection-access';
import type { Query } from '../../server/src/sql/statement';
import { describedCatalog } from '../application/described-catalog';
import type { Interleaving } from './interleaving';
import type { Process } from './process';

/** The unique id of a write. A response shows from which writes it was computed. */
export type WriteId = number;

/** The primary keys of all rows. */
export const ROWS = [0, 1, 2] as const;

/** The value of every row before the first write. */
const INITIAL: WriteId = 0;

export const CATALOG = describedCatalog({
  tables: [{ name: 'articles', columns: [{ name: 'id' }, { name: 'value' }], foreignKeys: [] }],
});

/** The SQL this database understands. */
export const SQL = {
  begin: 'BEGIN',
  beginAsWriter: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT s',
  rollbackTo: 'ROLLBACK TO s',
  release: 'RELEASE s',
  readRow: 'select * from articles where id = ?',
  readAll: 'select * from articles where id in (select id from articles)',
  update: 'update articles set value = ? where id = ?',
  lockForWriting: 'delete from main.articles where 0',
} as const;

/** What happens to a COMMIT on its way to the database and back. */
export type CommitFate =
  | 'carried out'
  /** Nothing is committed, and the client learns this. */
  | 'refused'
  /** The COMMIT is carried out, but the client learns only that the connection broke. */
  | 'unanswered';

/** The client does not get confirmation of its COMMIT. */
export class CommitFailed extends Error {}

/** Every committed version of every row, in the order of the commits. */
export class DatabaseModel {
  readonly #versions = ROWS.map((): WriteId[] => [INITIAL]);
  #writes = INITIAL;

  newWrite(): WriteId {
    this.#writes += 1;
    return this.#writes;
  }

  latest(row: number): WriteId {
    return this.#versions[row]?.at(-1) ?? INITIAL;
  }

  /** How many times the row had been overwritten when this write was committed; `undefined` if it never was. */
  versionOf(row: number, write: WriteId): number | undefined {
    const version = this.#versions[row]?.indexOf(write) ?? -1;
    return version < 0 ? undefined : version;
  }

  commit(writes: ReadonlyMap<number, WriteId>): void {
    for (const [row, write] of writes) this.#versions[row]?.push(write);
  }
}

export interface SessionSettings {
  readonly database: DatabaseModel;
  readonly interleaving: Interleaving;
  readonly process: Process;
  /**
   * `read committed`: a statement sees what is committed when it is carried out. `repeatable read`: it sees what was
   * committed when its transaction's first statement was carried out. In both, it sees the uncommitted writes of its
   * own transaction.
   */
  readonly isolation: 'read committed' | 'repeatable read';
  readonly slowCommits: boolean;
}

/** One connection to the database. It carries out its statements one by one, in the order in which they were sent. */
export class Session implements ConnectionAccess {
  readonly connection: object = this;
  readonly rowLock = { update: '', delete: '' };
  /** Everything that this session has written, committed or not. */
  readonly written = new Set<WriteId>();
  /** The fate of the next COMMIT. */
  commitFate: CommitFate = 'carried out';
  readonly #settings: SessionSettings;
  #uncommitted: Map<number, WriteId> | undefined;
  #snapshot: readonly WriteId[] | undefined;
  #savepoints: Array<ReadonlyMap<number, WriteId>> = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  quote(name: string): string {
    return name;
  }

  async select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.perform({ sql, bindings })).rows ?? [];
  }

  async execute(sql: string): Promise<void> {
    await this.perform({ sql, bindings: [] });
  }

  perform(query: Query): Promise<QueryOutcome> {
    const outcome = this.#last.then(() => this.#perform(query));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  newWrite(): WriteId {
    return this.#settings.database.newWrite();
  }

  get hasSavepoint(): boolean {
    return this.#savepoints.length > 0;
  }

  async #perform({ sql, bindings }: Query): Promise<QueryOutcome> {
    const { process, interleaving, slowCommits } = this.#settings;
    process.mustBeAlive();
    if (sql === SQL.commit && slowCommits) await interleaving.longPause('COMMIT takes long');
    await interleaving.pause(sql);
    process.mustBeAlive();
    const rows = this.#carryOut(sql, bindings);
    if (sql === SQL.commit) {
      await interleaving.pause('COMMIT is answered');
      process.mustBeAlive();
      if (this.commitFate !== 'carried out') throw new CommitFailed(this.commitFate);
    }
    return { rows, insertedId: undefined };
  }

  #carryOut(sql: string, bindings: readonly unknown[]): readonly Row[] | undefined {
    switch (sql) {
      case SQL.begin:
      case SQL.beginAsWriter:
        this.#uncommitted = new Map();
        return undefined;
      case SQL.commit:
        if (this.commitFate !== 'refused')
          this.#settings.database.commit(this.#uncommitted ?? new Map<number, WriteId>());
        this.#end();
        return undefined;
      case SQL.rollback:
        this.#end();
        return undefined;
      // The model keeps no writer waiting: it allows more schedules than a database with locks.
      case SQL.lockForWriting:
        return undefined;
      case SQL.savepoint:
        this.#savepoints.push(new Map(this.#uncommitted));
        return undefined;
      case SQL.rollbackTo:
        this.#uncommitted = new Map(this.#savepoints.at(-1));
        return undefined;
      case SQL.release:
        this.#savepoints.pop();
        return undefined;
      case SQL.update: {
        const [write, row] = bindings as [WriteId, number];
        this.#takeSnapshot();
        this.written.add(write);
        // Outside of a transaction, a write is committed at once.
        if (this.#uncommitted === undefined) this.#settings.database.commit(new Map([[row, write]]));
        else this.#uncommitted.set(row, write);
        return undefined;
      }
      case SQL.readAll:
        return ROWS.map((row) => this.#row(row));
    }
    if (sql.startsWith(SQL.readRow)) return [this.#row(bindings[0] as number)];
    throw new Error(`The model has no statement ${sql}`);
  }

  #row(id: number): Row {
    this.#takeSnapshot();
    const { database } = this.#settings;
    return { id, value: this.#uncommitted?.get(id) ?? this.#snapshot?.[id] ?? database.latest(id) };
  }

  #takeSnapshot(): void {
    const { isolation, database } = this.#settings;
    if (isolation === 'read committed' || this.#uncommitted === undefined) return;
    this.#snapshot ??= ROWS.map((row) => database.latest(row));
  }

  #end(): void {
    this.#uncommitted = undefined;
    this.#snapshot = undefined;
    this.#savepoints = [];
  }
}
