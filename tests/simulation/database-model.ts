import type { Row } from '../../server/src/observe/column-value';
import type { ConnectionAccess, Query, QueryOutcome } from '../../server/src/observe/sql-observer';
import { TableCatalog } from '../../server/src/observe/table-catalog';
import type { Interleaving } from './interleaving';
import type { Process } from './process';

/** Names one write for ever, so that a response tells which writes it was computed from. */
export type WriteId = number;

/** Primary keys of the rows there are. */
export const ROWS = [0, 1, 2] as const;

/** What stands in every row before the first write. */
const INITIAL: WriteId = 0;

export const CATALOG = new TableCatalog({
  tables: [{ name: 'articles', columns: [{ name: 'id' }, { name: 'value' }], foreignKeys: [] }],
});

/** The SQL this database understands. */
export const SQL = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT s',
  rollbackTo: 'ROLLBACK TO s',
  release: 'RELEASE s',
  readRow: 'select * from articles where id = ?',
  readAll: 'select * from articles where id in (select id from articles)',
  update: 'update articles set value = ? where id = ?',
} as const;

/** What becomes of a COMMIT on its way to the database and back. */
export type CommitFate =
  | 'carried out'
  /** Nothing was committed, and the client is told so. */
  | 'refused'
  /** It was committed, but the client is told that the connection broke. */
  | 'unanswered';

/** The client does not learn of a commit what it wanted to hear. */
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

/**
 * One connection to the database. Read committed: a statement sees what was committed when it is carried out, and the
 * uncommitted writes of its own transaction. Statements of one connection are carried out in the order they were sent.
 */
export class Session implements ConnectionAccess {
  readonly connection: object = this;
  readonly rowLock = { update: '', delete: '' };
  /** Everything this session ever wrote, committed or not. */
  readonly written = new Set<WriteId>();
  /** What the next COMMIT will meet. */
  commitFate: CommitFate = 'carried out';
  readonly #database: DatabaseModel;
  readonly #interleaving: Interleaving;
  readonly #process: Process;
  #uncommitted = new Map<number, WriteId>();
  #savepoints: Array<ReadonlyMap<number, WriteId>> = [];
  #last: Promise<unknown> = Promise.resolve();
  readonly #slowCommits: boolean;

  constructor(database: DatabaseModel, interleaving: Interleaving, process: Process, slowCommits: boolean) {
    this.#slowCommits = slowCommits;
    this.#database = database;
    this.#interleaving = interleaving;
    this.#process = process;
  }

  quoteTable(name: string): string {
    return name;
  }

  quoteColumn(name: string): string {
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

  get hasSavepoint(): boolean {
    return this.#savepoints.length > 0;
  }

  async #perform({ sql, bindings }: Query): Promise<QueryOutcome> {
    this.#process.mustBeAlive();
    if (sql === SQL.commit && this.#slowCommits) await this.#interleaving.longPause('COMMIT takes long');
    await this.#interleaving.pause(sql);
    this.#process.mustBeAlive();
    if (sql === SQL.commit) await this.#commit();
    return { rows: this.#carryOut(sql, bindings), insertedId: undefined };
  }

  #carryOut(sql: string, bindings: readonly unknown[]): readonly Row[] | undefined {
    switch (sql) {
      case SQL.begin:
      case SQL.rollback:
        this.#uncommitted = new Map();
        this.#savepoints = [];
        return undefined;
      case SQL.commit:
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
        this.#uncommitted.set(row, write);
        this.written.add(write);
        return undefined;
      }
      case SQL.readAll:
        return ROWS.map((row) => this.#row(row));
    }
    if (sql.startsWith(SQL.readRow)) return [this.#row(bindings[0] as number)];
    throw new Error(`The model has no statement ${sql}`);
  }

  #row(id: number): Row {
    return { id, value: this.#uncommitted.get(id) ?? this.#database.latest(id) };
  }

  async #commit(): Promise<void> {
    if (this.commitFate !== 'refused') this.#database.commit(this.#uncommitted);
    this.#uncommitted = new Map();
    this.#savepoints = [];
    await this.#interleaving.pause('COMMIT is answered');
    this.#process.mustBeAlive();
    if (this.commitFate !== 'carried out') throw new CommitFailed(this.commitFate);
  }
}
