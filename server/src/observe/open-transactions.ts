import { EVERYTHING, type Tag } from '../cache/tag';
import type { ConnectionAccess } from '../database/connection-access';
import type { DescriptionKeeper } from '../database/description-keeper';
import type { TableCatalog } from '../database/table-catalog';
import { ChangeLog, netChanges } from '../dependencies/changes';
import { changeTags } from '../dependencies/change-tags';
import { ReferencedStatuses } from '../dependencies/referenced-statuses';
import { UNKNOWN_STATUS } from '../dependencies/row-scope';
import { commitAndStamp, type InvalidationSink } from './commit-and-stamp';
import type { BackgroundWork, ReadsElsewhere } from './reads-elsewhere';
import type { Recording } from './recording';
import { unlessFailedBefore } from './row-images';

/** The request that a transaction was begun for, and whether its handler was making the answer then. */
interface BegunFor {
  readonly recording: Recording;
  readonly makesAnswer: boolean;
}

/** A statement of a transaction on its way to the database. */
export interface HandedOn<Answer> {
  readonly answer: Promise<Answer>;
  /** Whether it has gone to the database, and no rows are selected for it afterwards, so that nothing can overtake it. */
  readonly isSent: boolean;
}

/** A transaction under way on one connection. */
export class OpenTransaction {
  readonly log = new ChangeLog();
  readonly #begunFor: BegunFor | undefined;
  /** A statement that is not understood may have created, changed or dropped tables, triggers or functions. */
  mayHaveChangedSchema = false;
  /**
   * The database may have committed it, or rolled it back, by itself: as MySQL does with every DDL, or after a
   * deadlock. What is written from then on is perhaps committed at once, and no ROLLBACK takes it back.
   */
  mayBeOver = false;
  /** SQLite's SAVEPOINT outside any transaction begins one, which ends when the savepoint is released. */
  isBegunBySavepoint = false;
  #holdsWriteLock = false;
  /** All its statements that no request under way has sent count as one piece of work. */
  #background: BackgroundWork | undefined;
  /** Settles when the latest statement that must not be overtaken may be followed by others. Never rejects. */
  #turn: Promise<void> | undefined;

  constructor(begunFor: BegunFor | undefined) {
    this.#begunFor = begunFor;
  }

  /** Whether its snapshot is no older than the sequence number noted for what the request reads now. */
  isBegunFor(recording: Recording): boolean {
    return this.#begunFor?.recording === recording && this.#begunFor.makesAnswer === recording.makesAnswer;
  }

  /**
   * The recording for a statement that no request under way has sent. All of them share one: the transaction of a bulk
   * publish has hundreds.
   */
  inBackground(readsElsewhere: ReadsElsewhere, isWriteRequest: boolean): Recording {
    if (this.#background === undefined) this.#background = readsElsewhere.ofTransaction(isWriteRequest);
    else readsElsewhere.goesOn(this.#background.recording);
    return this.#background.recording;
  }

  /** Ends the shared recording when this answer, to the transaction's last statement, has come. */
  endingWith<Answer>(answer: Promise<Answer>): Promise<Answer> {
    if (this.#background !== undefined) answer.then(this.#background.end, this.#background.end);
    return answer;
  }

  /**
   * Takes SQLite's one lock for writing, if rows are to be looked at before the first write: a transaction that has
   * read fails at once where it has to wait for that lock, however long the application would wait.
   *
   * @param table a table, quoted.
   * @returns `undefined` where there is nothing to do. Rejects if the write itself would fail.
   */
  lockForWriting(access: ConnectionAccess, table: string): Promise<void> | undefined {
    if (access.rowLock.update !== '' || this.#holdsWriteLock || !this.log.isEmpty) return undefined;
    return access.execute(`delete from ${table} where 0`).then(() => this.holdWriteLock());
  }

  holdWriteLock(): void {
    this.#holdsWriteLock = true;
  }

  noteUnknownWrite(): void {
    this.log.add([{ kind: 'everything' }]);
    this.mayHaveChangedSchema = true;
    this.mayBeOver = true;
  }

  /**
   * Sends a statement in its turn: while the observer selects the rows that a write is about to change, no later
   * statement, least of all COMMIT or ROLLBACK, may overtake the write. Statements wait for nothing else: a queue of
   * all of them cost a fifth of a bulk publish.
   */
  inTurn<Answer>(send: () => HandedOn<Answer>, failureMayEndIt: boolean): Promise<Answer> {
    const before = this.#turn;
    let isSent = false;
    const handOn = (): Promise<Answer> => {
      const handedOn = send();
      isSent = handedOn.isSent;
      return handedOn.answer;
    };
    const answer = before === undefined ? handOn() : before.then(handOn);
    if (failureMayEndIt) answer.catch(() => (this.mayBeOver = true));
    if (before === undefined && isSent) return answer;
    const end = (): void => {
      if (this.#turn === turn) this.#turn = undefined;
    };
    const untilFollowed = (): Promise<void> | void => (isSent ? end() : answer.then(end, end));
    // A statement that waits has a turn of its own, so that those which come later are sent after it.
    const turn = before === undefined ? answer.then(end, end) : before.then(untilFollowed);
    this.#turn = turn;
    return answer;
  }
}

/** The tags of a commit, as known before it and after it: see {@link commitAndStamp}. */
interface Stamps {
  readonly tags: readonly Tag[];
  readonly tagsAfter?: () => Promise<readonly Tag[]>;
}

type WriteAlone<Answer> = [write: (transaction: OpenTransaction) => Promise<Answer>, otherwise: () => Promise<Answer>];

export interface TransactionSettings {
  readonly sink: InvalidationSink;
  /** What is known about the tables now. */
  readonly catalog: () => TableCatalog;
  /** Keeps the catalog up to date; without it, the catalog stays as it is. */
  readonly description?: DescriptionKeeper | undefined;
}

/** The transactions under way, by connection: how they begin, and how what they wrote is stamped when they end. */
export class OpenTransactions {
  readonly #settings: TransactionSettings;
  readonly #open = new WeakMap<object, OpenTransaction>();
  /** By connection: when the plugin's own transaction on it has ended. */
  readonly #own = new WeakMap<object, Promise<void>>();

  constructor(settings: TransactionSettings) {
    this.#settings = settings;
  }

  on(connection: object): OpenTransaction | undefined {
    return this.#open.get(connection);
  }

  /** Settles when the plugin's own transaction on a connection has ended; `undefined` where there is none. */
  ownOn(connection: object): Promise<void> | undefined {
    return this.#own.get(connection);
  }

  async begin<Answer>(
    { connection }: ConnectionAccess,
    recording: Recording | undefined,
    proceed: () => Promise<Answer>,
    isBySavepoint = false,
  ): Promise<Answer> {
    const begunFor = recording && { recording, makesAnswer: recording.makesAnswer };
    const answer = await proceed();
    const transaction = new OpenTransaction(begunFor);
    transaction.isBegunBySavepoint = isBySavepoint;
    this.#open.set(connection, transaction);
    return answer;
  }

  /** Releases a savepoint of a transaction that one has begun: which may end it, as its names may repeat. */
  async release<Answer>(access: ConnectionAccess, name: string, proceed: () => Promise<Answer>): Promise<Answer> {
    const transaction = this.#open.get(access.connection);
    if (transaction === undefined) return proceed();
    const { tags, tagsAfter } = await this.#stampsOf(transaction, access);
    const answer = await commitAndStamp(this.#settings.sink, tags, proceed, tagsAfter);
    if (access.isInTransaction !== false) transaction.log.release(name);
    else await this.forget(access, () => Promise.resolve());
    return answer;
  }

  /** Ends a transaction that leaves nothing to stamp. */
  forget<Answer>({ connection }: ConnectionAccess, proceed: () => Promise<Answer>): Promise<Answer> {
    const transaction = this.#open.get(connection);
    this.#open.delete(connection);
    return transaction === undefined ? proceed() : transaction.endingWith(proceed());
  }

  async commit<Answer>(access: ConnectionAccess, proceed: () => Promise<Answer>): Promise<Answer> {
    const transaction = this.#open.get(access.connection);
    // It was begun before the observer was in place, or by a statement that was not understood.
    if (transaction === undefined) return commitAndStamp(this.#settings.sink, [EVERYTHING], proceed);
    if (transaction.log.isEmpty) return this.forget(access, proceed);
    const { tags, tagsAfter } = await this.#stampsOf(transaction, access).catch(async (error: unknown) => {
      // After a COMMIT that fails, knex returns the connection to the pool as it is.
      await this.forget(access, () => access.execute('ROLLBACK')).catch(() => undefined);
      throw error;
    });
    this.#open.delete(access.connection);
    const commit = transaction.mayHaveChangedSchema ? this.changingSchema(proceed) : proceed;
    return transaction.endingWith(commitAndStamp(this.#settings.sink, tags, commit, tagsAfter));
  }

  /**
   * Gives a write outside any transaction one of its own, so that what it changes can be read, and its tags announced,
   * before the commit. Other statements on the connection wait for its end: knex returns it to the pool while a
   * statement is under way that it has cancelled after `timeout(ms, { cancel: true })`.
   *
   * @param otherwise sends the write without one, if none can be begun: it then fails in its own words.
   */
  around<Answer>(access: ConnectionAccess, ...write: WriteAlone<Answer>): Promise<Answer> {
    const answer = this.#around(access, ...write);
    const end = (): void => void this.#own.delete(access.connection);
    this.#own.set(access.connection, answer.then(end, end));
    return answer;
  }

  async #around<Answer>(access: ConnectionAccess, ...[write, otherwise]: WriteAlone<Answer>): Promise<Answer> {
    const transaction = new OpenTransaction(undefined);
    const hasOneWriter = access.rowLock.update === '';
    try {
      await access.execute(hasOneWriter ? 'BEGIN IMMEDIATE' : 'BEGIN');
    } catch {
      return otherwise();
    }
    if (hasOneWriter) transaction.holdWriteLock();
    this.#open.set(access.connection, transaction);
    try {
      const answer = await write(transaction);
      const { tags, tagsAfter } = await this.#stampsOf(transaction, access);
      await commitAndStamp(this.#settings.sink, tags, () => access.execute('COMMIT'), tagsAfter);
      return answer;
    } catch (error) {
      await access.execute('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.#open.delete(access.connection);
    }
  }

  /**
   * Wraps a statement that may change the schema: the database's description is doubtful while it runs, and afterwards
   * until the database is asked again.
   */
  changingSchema<Answer>(proceed: () => Promise<Answer>): () => Promise<Answer> {
    const { description } = this.#settings;
    if (description === undefined) return proceed;
    return async () => {
      description.expire();
      try {
        return await proceed();
      } finally {
        description.expire();
      }
    };
  }

  /**
   * The tags of a transaction that is about to be committed.
   *
   * @throws Error if a query of the plugin's own has failed. That may have ended the transaction, or aborted it, and then
   * the database answers its COMMIT with success although nothing is written.
   */
  async #stampsOf({ log }: OpenTransaction, access: ConnectionAccess): Promise<Stamps> {
    if (log.isEmpty) return { tags: [] };
    const catalog = this.#settings.catalog();
    const net = netChanges(log.changes, catalog);
    const statuses = new ReferencedStatuses(catalog);
    // For a table that is stamped as a whole, no status matters: what goes by a row's status has read its table as well.
    const asked = log.changes.filter((change) => change.kind === 'row' && !net.tables.has(change.table));
    if ((await statuses.lookUp(asked, access).catch(unlessFailedBefore)) !== true) {
      const tables = new Set([...net.tables, ...net.rows.map(({ table }) => table)]);
      return { tags: changeTags({ everything: net.everything, tables, rows: [] }, catalog, UNKNOWN_STATUS) };
    }
    const tags = changeTags(net, catalog, statuses.of);
    // A database without row locks has one writer at a time: no status changes between the look-up and the commit.
    if (access.rowLock.update === '' || !statuses.wereAskedFor) return { tags };
    const tagsAfter = async (): Promise<readonly Tag[]> =>
      (await statuses.haveChanged(access)) ? [...tags, ...changeTags(net, catalog, statuses.of)] : tags;
    return { tags, tagsAfter };
  }
}
