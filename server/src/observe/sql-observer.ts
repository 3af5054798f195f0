import { EVERYTHING, type Tag } from '../cache/tag';
import { Cascades } from '../dependencies/cascades';
import { ChangeLog, type Change } from '../dependencies/change-log';
import { changeTags } from '../dependencies/change-tags';
import type { ConnectionNames } from '../database/connection-names';
import { UNKNOWN_VALUE, valueKey, type Row } from '../sql/column-value';
import { type ConnectionAccess, quotedTable, type QueryOutcome } from '../database/connection-access';
import { commitAndStamp, type InvalidationSink } from './commit-and-stamp';
import type { Ask } from '../database/database-description';
import { tableOf, tableTag, wholeTableTags } from '../dependencies/dependency-tags';
import type { DescriptionKeeper } from '../database/description-keeper';
import type { FunctionNatures } from '../database/function-natures';
import { Insertions } from './insertion';
import { lookUpKey, type LookUpMemo } from '../dependencies/lookup-memo';
import { netChanges } from '../dependencies/net-changes';
import { readTags, type Precision } from '../dependencies/read-tags';
import type { ReadsElsewhere } from './reads-elsewhere';
import type { Recording } from './recording';
import { ReferencedStatuses } from '../dependencies/referenced-statuses';
import { UNKNOWN_STATUS } from '../dependencies/row-scope';
import { SessionSettings } from './session-settings';
import {
  type Delete,
  type Operand,
  type Query,
  type Read,
  type Statement,
  tablesRead,
  tablesWritten,
  type Update,
  type Write,
} from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** What may change rows, or ends a transaction in which some may have. */
type ChangingStatement = Exclude<Statement, Read | Calling | { readonly kind: 'rollback' | 'neutral' }>;

type Calling = Extract<Statement, { readonly kind: 'calling' }>;

/** A statement, and where it goes. */
interface Asked {
  readonly query: Query;
  readonly access: ConnectionAccess;
}

/** A statement on its way. */
interface Sent<Answer> extends Asked {
  proceed(): Promise<Answer>;
  outcomeOf(answer: Answer): QueryOutcome;
  /** What the database would have answered with these rows; `undefined` where the asker wants more than rows. */
  answerWith(rows: readonly Row[]): Answer | undefined;
  /** Its rows are read by somebody else, one by one. */
  readonly isStream: boolean;
}

const NO_OUTCOME: QueryOutcome = { rows: undefined, insertedId: undefined };

export interface SqlObserverSettings {
  readonly sink: InvalidationSink;
  /** What is known of the tables now. */
  readonly catalog: () => TableCatalog;
  /** Knows on which connections names mean other tables; without it they mean the same on all. */
  readonly names?: ConnectionNames | undefined;
  /** Knows what functions may do; without it they may do anything. */
  readonly functions?: FunctionNatures | undefined;
  /** Told each time what makes the observer invalidate everything, in a few words. */
  readonly onEmptied?: ((cause: string) => void) | undefined;
  /** Keeps the catalog up to date; without it what is known stays as it is. */
  readonly description?: DescriptionKeeper | undefined;
  readonly precision: Precision;
  readonly classify: (sql: string) => Statement;
  /** The request on whose behalf the current code runs. */
  readonly currentRecording: () => Recording | undefined;
  /** Where work is noted that no request under way does itself; without it such reads are nobody's concern. */
  readonly readsElsewhere?: ReadsElsewhere | undefined;
  /** Whether the current code runs for that request's authentication or authorisation. */
  readonly isAuthenticating?: () => boolean;
  /** `enableDocumentServiceMiddleware: false`: only writes that arrive on HTTP write routes count. */
  readonly writeRequestsOnly: boolean;
  /** Tables whose writes count wherever they come from: they decide who may see an answer. */
  readonly identityTables: ReadonlySet<string>;
  /** Answers what anonymous callers' permissions are read by, where the store can tell at once that nothing has changed. */
  readonly lookUps?: LookUpMemo | undefined;
}

/** More rows than this changed by one statement are not told apart. */
const MAX_ROWS_TOLD_APART = 500;

/** Deleting a users-permissions role moves its users to another: the specification resets the cache. */
const ROLES_TABLE = 'up_roles';

const UNKNOWN: ChangingStatement = { kind: 'unknown' };

const DIFFERS = 'a name that may mean another table on this connection';

/** What a version of a row goes by among its columns. */
const VERSION = 'rest_cache_version';

/** The rows a statement was about to change. */
interface Found {
  readonly rows: readonly Row[];
  /** By primary key; `undefined` where the database tells none. */
  readonly versions: ReadonlyMap<string | undefined, unknown>;
}

/** What a commit concerns: as far as is known before it, and after it. */
interface Stamps {
  readonly tags: readonly Tag[];
  readonly tagsAfter?: () => Promise<readonly Tag[]>;
}

/** A transaction under way on one connection. */
interface OpenTransaction {
  readonly log: ChangeLog;
  /** Resolves when everything sent so far that later statements must not overtake is dealt with. Never rejects. */
  lastTurn: Promise<void> | undefined;
  /** The request it was begun for, if any, and whether that was in the making of its answer. */
  readonly begunFor: { readonly recording: Recording; readonly makesAnswer: boolean } | undefined;
  /** A statement within that nobody understands may have made, changed or dropped tables, triggers and functions. */
  mayHaveChangedSchema: boolean;
  /**
   * The database may have committed it, or rolled it back, by itself: as MySQL does with every DDL, or after a deadlock.
   * What is written from then on is perhaps committed at once, and no ROLLBACK takes it back.
   */
  mayBeOver: boolean;
}

/**
 * Sees every statement of the process on its way to the database: tells the current request what it read, and stamps
 * what was written once it is committed and before the writer learns of it.
 */
export class SqlObserver {
  readonly #settings: SqlObserverSettings;
  readonly #transactions = new WeakMap<object, OpenTransaction>();
  readonly #cascades: Cascades;
  readonly #insertions: Insertions;
  readonly #sessions = new SessionSettings();

  constructor(settings: SqlObserverSettings) {
    this.#settings = settings;
    this.#cascades = new Cascades(settings.catalog, MAX_ROWS_TOLD_APART);
    this.#insertions = new Insertions(settings.catalog, this.#cascades, MAX_ROWS_TOLD_APART);
  }

  /** Whether a statement may go to the database as if nobody watched: a read of which only the tables matter. */
  ignores(sql: string, connection: object): boolean {
    const { classify, currentRecording, description, isAuthenticating, names } = this.#settings;
    const recording = currentRecording();
    if (recording?.namesTablesOnly !== true || !recording.isOpen) return false;
    const statement = classify(sql);
    // Within a transaction it has to keep its turn, and may end that by failing.
    if (statement.kind !== 'read' || this.#transactions.has(connection)) return false;
    // Names may mean something else than they did.
    if (description?.isDue === true || names?.isDue(connection) === true) return false;
    if (isAuthenticating?.() === true) return true;
    const tables = tablesRead(statement);
    if (this.#otherThanTable(tables, { connection }) !== undefined) return false;
    recording.readContent(tables.flatMap(wholeTableTags));
    return true;
  }

  /**
   * Runs one statement.
   *
   * @param proceed sends it to the database; called once at most. What it answers, `observe` answers.
   * @param outcomeOf looks at that answer.
   * @param answerWith makes an answer of rows that are known already; `proceed` is not called then.
   */
  observe<Answer>(
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => QueryOutcome,
    answerWith: (rows: readonly Row[]) => Answer | undefined = () => undefined,
  ): Promise<Answer> {
    return this.#noted(() => this.#take({ query, access, proceed, outcomeOf, answerWith, isStream: false }));
  }

  /**
   * The same for a statement whose rows go elsewhere one by one, so that none of them is at hand.
   *
   * @param proceed sends it to the database; settles when the stream has ended, in whichever way.
   */
  observeStream<Answer>(query: Query, access: ConnectionAccess, proceed: () => Promise<Answer>): Promise<Answer> {
    const outcomeOf = (): QueryOutcome => NO_OUTCOME;
    return this.#noted(() =>
      this.#take({ query, access, proceed, outcomeOf, answerWith: () => undefined, isStream: true }),
    );
  }

  /** What no request under way has sent, one of them may wait for. */
  #noted<Answer>(take: () => Promise<Answer>): Promise<Answer> {
    const { currentRecording, readsElsewhere } = this.#settings;
    const recording = currentRecording();
    if (readsElsewhere === undefined || recording?.isOpen === true) return take();
    return readsElsewhere.ofNobody(recording?.isWriteRequest === true, take);
  }

  /** Whether a statement may be more than a read. */
  mayWrite(sql: string): boolean {
    const { kind } = this.#settings.classify(sql);
    return kind !== 'read' && kind !== 'neutral';
  }

  #statementOf({ query: { sql }, isStream }: Sent<unknown>): Statement {
    const statement = this.#settings.classify(sql);
    if (!isStream) return statement;
    const { kind } = statement.kind === 'calling' ? statement.main : statement;
    // A stream that is broken off gives its connection back as it is: no transaction may be opened around it.
    return kind === 'read' || kind === 'neutral' ? statement : { kind: 'unknown' };
  }

  #take<Answer>(sent: Sent<Answer>): Promise<Answer> {
    const { access } = sent;
    const statement = this.#statementOf(sent);
    const transaction = this.#transactions.get(access.connection);
    if (transaction === undefined) {
      const { description, names } = this.#settings;
      const isKnown = description?.isDue !== true && names?.isDue(access.connection) !== true;
      if (isKnown || statement.kind === 'neutral') return this.#observe(statement, sent);
      return this.#askBefore(sent).then(() => this.#observe(this.#statementOf(sent), sent));
    }
    // Statements keep the order they were sent in: while the observer looks at the rows a write is about to change, no
    // later statement, least of all COMMIT or ROLLBACK, may overtake the write.
    const { lastTurn: before } = transaction;
    const turn =
      before === undefined ? this.#observe(statement, sent) : before.then(() => this.#observe(statement, sent));
    if (access.failureMayEndTransaction === true) {
      turn.catch(() => {
        transaction.mayBeOver = true;
      });
    }
    if (before === undefined && isSentAtOnce(statement, transaction)) return turn;
    const giveUp = (): void => {
      if (transaction.lastTurn === taken) transaction.lastTurn = undefined;
    };
    const taken = turn.then(giveUp, giveUp);
    transaction.lastTurn = taken;
    return turn;
  }

  async #askBefore({ access }: Sent<unknown>): Promise<void> {
    const { description, names } = this.#settings;
    if (names?.isDue(access.connection) === true) await names.ask(access.connection, askOn(access));
    // Where names mean other tables, the database would describe those.
    if (description?.isDue === true && names?.differ(access.connection) !== true) await description.refresh(access);
  }

  #noteSettings(statement: Statement, { query, access: { connection } }: Asked): void {
    if (statement.kind !== 'neutral' && statement.kind !== 'unknown' && statement.kind !== 'batch') return;
    this.#sessions.note(connection, query, this.#transactions.has(connection));
    // A stream's is taken for more than it is.
    if (mayDoAnything(this.#settings.classify(query.sql))) this.#settings.names?.doAnything(connection, query.sql);
    else this.#settings.names?.set(connection, query.sql);
  }

  #observe<Answer>(statement: Statement, sent: Sent<Answer>): Promise<Answer> {
    this.#noteSettings(statement, sent);
    switch (statement.kind) {
      case 'neutral':
        return sent.proceed();
      case 'read': {
        const recording = this.#settings.currentRecording();
        return recording === undefined ? sent.proceed() : this.#read(statement, sent, recording);
      }
      case 'begin':
        return this.#transactions.has(sent.access.connection)
          ? this.#observeChange(statement, sent)
          : this.#begin(sent);
      case 'commit':
        if (this.#transactions.get(sent.access.connection)?.log.isEmpty !== true)
          return this.#observeChange(statement, sent);
        return this.#forget(sent);
      case 'rollback':
        return this.#forget(sent);
      case 'calling':
        return this.#observeCall(statement, sent);
      default:
        return this.#observeChange(statement, sent);
    }
  }

  /** Functions that cannot write change nothing; what they answer may be kept if their arguments alone decide it. */
  async #observeCall<Answer>({ functions, outside, main }: Calling, sent: Sent<Answer>): Promise<Answer> {
    const { functions: natures, currentRecording } = this.#settings;
    // In a transaction that has failed nobody can be asked.
    const worst =
      functions.length === 0
        ? undefined
        : ((await natures?.worst(functions, askOn(sent.access)).catch(() => undefined)) ?? {
            name: functions[0],
            nature: 'writes',
          });
    if (worst?.nature === 'writes') {
      this.#settings.onEmptied?.(`the function ${worst.name}(), which may write`);
      this.#settings.names?.doAnything(sent.access.connection, sent.query.sql);
      return this.#observeChange(UNKNOWN, sent);
    }
    if (outside !== undefined) currentRecording()?.forbidStoring(`it read ${outside}`);
    if (worst?.nature === 'reads')
      currentRecording()?.forbidStoring(`it called ${worst.name}(), which may read what cannot be seen`);
    return this.#observe(main, sent);
  }

  /** Ends a transaction that leaves nothing to stamp. */
  #forget<Answer>({ access: { connection }, proceed }: Sent<Answer>): Promise<Answer> {
    this.#transactions.delete(connection);
    return proceed();
  }

  #begin<Answer>({ access: { connection }, proceed }: Sent<Answer>): Promise<Answer> {
    const recording = this.#settings.currentRecording();
    const begunFor = recording && { recording, makesAnswer: recording.makesAnswer };
    return proceed().then((answer) => {
      this.#transactions.set(connection, {
        log: new ChangeLog(),
        lastTurn: undefined,
        begunFor,
        mayHaveChangedSchema: false,
        mayBeOver: false,
      });
      return answer;
    });
  }

  async #observeChange<Answer>(
    statement: ChangingStatement,
    { query, access, proceed, outcomeOf }: Sent<Answer>,
  ): Promise<Answer> {
    let sending: Promise<Answer> | undefined;
    await this.#change(statement, query, access, async () => outcomeOf(await (sending = proceed())));
    if (sending === undefined) throw new Error('rest-cache: a statement was not sent to the database');
    return sending;
  }

  #read<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { access } = sent;
    const transaction = this.#transactions.get(access.connection);
    if (transaction?.log.isEmpty === false) {
      recording.forbidStoring('it was read inside a transaction that had not been committed');
    } else if (transaction !== undefined && !isBegunFor(recording, transaction)) {
      // Its snapshot may be older than the number noted for the answer.
      recording.forbidStoring('it was read inside a transaction that had begun before it was asked for');
    }
    const other = this.#otherThanTable(tablesRead(statement), access);
    if (other !== undefined) recording.forbidStoring(`it read ${other}`);
    return this.#readTables(statement, sent, recording);
  }

  #readTables<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    if (this.#settings.isAuthenticating?.() === true) return this.#readPermission(statement, sent, recording);
    const { proceed, outcomeOf, query, isStream } = sent;
    const { bindings } = query;
    // Whoever takes rows from a stream may be done before it is.
    if (isStream) recording.readContent(this.#readTags(statement, bindings, undefined));
    recording.beginRead();
    return proceed().then(
      (answer) => {
        recording.endRead(this.#readTags(statement, bindings, outcomeOf(answer).rows));
        return answer;
      },
      (error: unknown) => {
        recording.endRead(this.#readTags(statement, bindings, undefined));
        throw error;
      },
    );
  }

  #readPermission<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { query, proceed, outcomeOf, answerWith } = sent;
    // Rows are not looked at: what permissions depend on is told by look-up or by table.
    const tagsRead = (): Tag[] => this.#readTags(statement, query.bindings, undefined);
    const tables = tablesRead(statement);
    const { lookUps } = this.#settings;
    const { since } = recording;
    const key = lookUps && this.#lookUpKey(statement, sent, recording);
    if (lookUps === undefined || key === undefined || since === undefined) {
      recording.readPermission({ tables, tags: tagsRead });
      return proceed();
    }
    const kept = lookUps.find(key);
    const known = kept && answerWith(kept.rows);
    if (kept !== undefined && known !== undefined) {
      recording.readPermission({ tables, tags: () => kept.guard.tags });
      return Promise.resolve(known);
    }
    recording.readPermission({ tables, tags: tagsRead });
    return proceed().then((answer) => {
      const { rows } = outcomeOf(answer);
      if (rows !== undefined) lookUps.keep(key, rows, { tags: tagsRead(), since });
      return answer;
    });
  }

  /** Tells a read from every other, if it is the same for every anonymous caller; `undefined` if it may not be. */
  #lookUpKey(statement: Read, { query, access }: Asked, recording: Recording): string | undefined {
    if (recording.isWriteRequest || !recording.isAnonymous()) return undefined;
    if (
      statement.shape !== 'plain' ||
      !statement.repeatable ||
      this.#otherThanTable(tablesRead(statement), access) !== undefined
    )
      return undefined;
    if (this.#transactions.has(access.connection)) return undefined;
    const session = this.#sessions.of(access.connection);
    return session === undefined ? undefined : lookUpKey(session, query);
  }

  /** The first of these names that is no plain table's, and what it is. */
  #otherThanTable(tables: readonly string[], { connection }: Pick<ConnectionAccess, 'connection'>): string | undefined {
    const { catalog, description, names } = this.#settings;
    const [first] = tables;
    if (first !== undefined && names?.differ(connection) === true) return `${first}, ${DIFFERS}`;
    for (const name of tables) {
      const reason = catalog().whyNotPlain(name);
      if (reason === undefined) continue;
      description?.missed();
      return `${name}, ${reason}`;
    }
    return undefined;
  }

  /** For reads that are noted table by table. */
  #noteRead(tags: readonly Tag[]): void {
    const recording = this.#settings.currentRecording();
    if (this.#settings.isAuthenticating?.() === true)
      recording?.readPermission({ tables: tags.map(tableOf), tags: () => tags });
    else recording?.readContent(tags);
  }

  #readTags(statement: Read, bindings: readonly unknown[], rows: readonly Row[] | undefined): Tag[] {
    return readTags(statement, { bindings, rows }, this.#settings.catalog(), this.#settings.precision);
  }

  async #change(
    statement: ChangingStatement,
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const { connection } = access;
    const transaction = this.#transactions.get(connection);
    const { identityTables } = this.#settings;
    switch (statement.kind) {
      case 'commit': {
        // Begun before anybody watched, or by a statement that was not understood.
        if (transaction === undefined) return commitAndStamp(this.#settings.sink, [EVERYTHING], proceed);
        const { tags, tagsAfter } = await this.#stampsOf(transaction, access);
        this.#transactions.delete(connection);
        const commit = transaction.mayHaveChangedSchema ? this.#doubtfully(proceed) : proceed;
        return commitAndStamp(this.#settings.sink, tags, commit, tagsAfter);
      }
      case 'begin':
        return transaction === undefined ? proceed() : this.#commitByTheWay(transaction, access, proceed);
      case 'savepoint': {
        const outcome = await proceed();
        transaction?.log.savepoint(statement.name);
        return outcome;
      }
      case 'release': {
        const outcome = await proceed();
        transaction?.log.release(statement.name);
        return outcome;
      }
      case 'rollback-to': {
        // Where the database refuses, nothing was taken back.
        const outcome = await proceed();
        transaction?.log.rollbackTo(statement.name);
        return outcome;
      }
      case 'write':
        if (this.#settings.names?.differ(connection) === true)
          return this.#writeAnywhere(`${statement.table}, ${DIFFERS}`, proceed, transaction);
        if (!this.#isObservedWriter() && !tablesWritten(statement).some((name) => identityTables.has(name)))
          return proceed();
        if (transaction?.mayBeOver === true) return this.#writeAtOnce(statement, access, proceed, transaction);
        if (statement.verb === 'opaque' && statement.commits) {
          const write = (): Promise<QueryOutcome> => this.#writeAtOnce(statement, access, proceed, transaction);
          return transaction === undefined ? write() : this.#commitByTheWay(transaction, access, write);
        }
        return transaction === undefined
          ? this.#writeAlone(statement, query, access, proceed)
          : this.#write(statement, query, access, proceed, transaction);
      case 'batch':
      case 'unknown':
        return this.#changeAnything(statement, query.sql, access, proceed);
    }
  }

  /** Not every engine takes part in the transaction: stamped now, and again with what surrounds it. */
  #writeAnywhere(
    why: string,
    proceed: () => Promise<QueryOutcome>,
    transaction: Pick<OpenTransaction, 'log'> | undefined,
  ): Promise<QueryOutcome> {
    this.#settings.onEmptied?.(`a write to ${why}`);
    transaction?.log.add([{ kind: 'everything' }]);
    return commitAndStamp(this.#settings.sink, [EVERYTHING], proceed);
  }

  #isObservedWriter(): boolean {
    return !this.#settings.writeRequestsOnly || this.#settings.currentRecording()?.isWriteRequest === true;
  }

  /** Several statements in one text, or one nobody understands: everything they may have written is stamped whole. */
  async #changeAnything(
    statement: Extract<Statement, { kind: 'batch' | 'unknown' }>,
    sql: string,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const tables = statement.kind === 'batch' ? tablesOf(statement.statements) : undefined;
    const recording = this.#settings.currentRecording();
    const other = tables && this.#otherThanTable(tables.read, access);
    const mayWriteOthers =
      this.#settings.names?.differ(access.connection) === true ||
      tables?.written.some((name) => this.#cascades.mayDoAnything(name));
    if (tables?.written.length === 0 && !tables.controlsTransaction) {
      if (other !== undefined) recording?.forbidStoring(`it read ${other}`);
      this.#noteRead(tables.read.flatMap(wholeTableTags));
      return proceed();
    }
    recording?.forbidStoring('it ran a statement that may have written anything');
    const transaction = this.#transactions.get(access.connection);
    if (
      tables !== undefined &&
      mayWriteOthers === false &&
      !tables.controlsTransaction &&
      !tables.written.includes(ROLES_TABLE)
    ) {
      const changes = this.#cascades.ofTables(tables.written);
      transaction?.log.add(changes);
      return transaction === undefined || transaction.mayBeOver
        ? commitAndStamp(this.#settings.sink, changeTagsOfTables(changes), proceed)
        : proceed();
    }
    if (statement !== UNKNOWN) this.#settings.onEmptied?.(`the statement ${withoutTexts(sql)}`);
    // MySQL commits before DDL, and a text may hold its own COMMIT: stamped now, and again with what surrounds it.
    if (transaction !== undefined) {
      transaction.log.add([{ kind: 'everything' }]);
      transaction.mayHaveChangedSchema = true;
      transaction.mayBeOver = true;
    }
    return commitAndStamp(this.#settings.sink, [EVERYTHING], this.#doubtfully(proceed));
  }

  /** What the database has said of itself is doubtful while this is under way, and afterwards. */
  #doubtfully<Answer>(proceed: () => Promise<Answer>): () => Promise<Answer> {
    const { description } = this.#settings;
    if (description === undefined) return proceed;
    return async () => {
      description.doubt();
      try {
        return await proceed();
      } finally {
        description.doubt();
      }
    };
  }

  /**
   * A statement that may commit what was written before it, and end the transaction. Stamped now, and again at the end:
   * elsewhere the transaction goes on as if nothing had happened.
   */
  async #commitByTheWay(
    transaction: OpenTransaction,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const { tags, tagsAfter } = await this.#stampsOf(transaction, access);
    transaction.mayBeOver = true;
    return commitAndStamp(this.#settings.sink, tags, proceed, tagsAfter);
  }

  /** A write that the database may commit by itself, within a transaction or not. */
  #writeAtOnce(
    statement: Write,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
    transaction: OpenTransaction | undefined,
  ): Promise<QueryOutcome> {
    this.#noteReturned(statement, access);
    const written = tablesWritten(statement);
    const changes: readonly Change[] = written.includes(ROLES_TABLE)
      ? [{ kind: 'everything' }]
      : this.#cascades.ofTables(written);
    transaction?.log.add(changes);
    return commitAndStamp(this.#settings.sink, changeTagsOfTables(changes), proceed);
  }

  #noteReturned({ returning, reads }: Write, access: ConnectionAccess): void {
    if (!returning && reads.length === 0) return;
    this.#noteRead(reads.flatMap(wholeTableTags));
    const other = this.#otherThanTable(reads, access);
    if (other !== undefined) this.#settings.currentRecording()?.forbidStoring(`it read ${other}`);
  }

  /** A write outside any transaction gets one of its own, so that what it changes can be read and announced before. */
  async #writeAlone(
    statement: Write,
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const transaction: OpenTransaction = {
      log: new ChangeLog(),
      lastTurn: undefined,
      begunFor: undefined,
      mayHaveChangedSchema: false,
      mayBeOver: false,
    };
    await access.execute('BEGIN');
    this.#transactions.set(access.connection, transaction);
    try {
      const outcome = await this.#write(statement, query, access, proceed, transaction);
      const { tags, tagsAfter } = await this.#stampsOf(transaction, access);
      await commitAndStamp(this.#settings.sink, tags, () => access.execute('COMMIT'), tagsAfter);
      return outcome;
    } catch (error) {
      await access.execute('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.#transactions.delete(access.connection);
    }
  }

  async #write(
    statement: Write,
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
    { log }: OpenTransaction,
  ): Promise<QueryOutcome> {
    this.#noteReturned(statement, access);
    const written = tablesWritten(statement);
    const any = written.find((name) => this.#cascades.mayDoAnything(name));
    if (any !== undefined) {
      const why = this.#settings.catalog().whyNotPlain(any) ?? 'a table with triggers or rules';
      return this.#writeAnywhere(`${any}, ${why}`, proceed, { log });
    }
    if (statement.table === ROLES_TABLE && statement.verb !== 'insert' && statement.verb !== 'update') {
      log.add([{ kind: 'everything' }]);
    }
    if (this.#settings.precision === 'table' || statement.verb === 'opaque') {
      log.add(this.#cascades.ofTables(written));
      return proceed();
    }
    if (statement.verb === 'insert') {
      const rows = statement.rows?.map((operands) => valuesOf(operands, query));
      const { outcome, changes } = await this.#insertions.observe(statement, rows, access, proceed);
      log.add(changes);
      return outcome;
    }
    if (statement.verb === 'update') log.add(this.#cascades.ofUpdate(statement.table, this.#columnsSet(statement)));
    const found = this.#keepsImages(statement) ? await this.#imagesBefore(statement, query, access) : undefined;
    if (found === undefined) {
      log.add(
        statement.verb === 'delete'
          ? this.#cascades.ofTables([statement.table])
          : [{ kind: 'table', table: statement.table }],
      );
      return proceed();
    }
    const { rows: before } = found;
    const cascaded = statement.verb === 'delete' ? await this.#cascades.ofDeleted(statement.table, before, access) : [];
    const outcome = await proceed();
    if (await this.#mayHaveMissedRows(statement, found, outcome, access)) {
      log.add(
        statement.verb === 'delete'
          ? this.#cascades.ofTables([statement.table])
          : [{ kind: 'table', table: statement.table }],
      );
      return outcome;
    }
    for (const row of before) {
      const after = statement.verb === 'delete' ? undefined : updatedRow(row, statement, query);
      log.add([{ kind: 'row', table: statement.table, before: row, after }]);
    }
    log.add(cascaded);
    return outcome;
  }

  /** Whether what a row is afterwards can be told from what it was and what the statement says. */
  #keepsImages({ table, verb }: Update | Delete): boolean {
    const catalog = this.#settings.catalog();
    return catalog.isIdentifiedById(table) && (verb === 'delete' || catalog.facts(table)?.filledOnUpdate.size === 0);
  }

  /** The rows a statement is about to change; `undefined` where they cannot be told or are too many. */
  async #imagesBefore(
    { condition, verb }: Update | Delete,
    query: Query,
    access: ConnectionAccess,
  ): Promise<Found | undefined> {
    if (condition === undefined) return undefined;
    const version = access.rowVersion === undefined ? '' : `, ${access.rowVersion} as ${VERSION}`;
    const rows = await access.select(
      `select *${version} from ${condition.from} limit ${MAX_ROWS_TOLD_APART + 1}${access.rowLock[verb]}`,
      condition.bindings.map((index) => query.bindings[index]),
    );
    if (rows.length > MAX_ROWS_TOLD_APART) return undefined;
    const versions = new Map(rows.map((row) => [valueKey(row.id), row[VERSION]]));
    return { rows: rows.map(({ [VERSION]: _version, ...row }) => row), versions };
  }

  /**
   * Whether another transaction may have made the statement concern other rows than those looked at before. Locked as
   * they are, none of these can have dropped out, so that their number tells; unless it is for what other rows hold: then
   * each must be found gone, or updated.
   */
  async #mayHaveMissedRows(
    { condition, verb, table }: Update | Delete,
    { rows, versions }: Found,
    { affected }: QueryOutcome,
    access: ConnectionAccess,
  ): Promise<boolean> {
    if (access.rowLock.update === '') return false;
    if (affected !== rows.length) return true;
    if (condition?.asksOthers === false || rows.length === 0) return false;
    if (access.rowVersion === undefined) return true;
    const left = await access.select(
      `select id, ${access.rowVersion} as ${VERSION} from ${this.#quote(table, access)} where id in (${rows.map(() => '?').join(', ')})`,
      rows.map(({ id }) => id),
    );
    if (verb === 'delete') return left.length > 0;
    return left.length !== rows.length || left.some((row) => versions.get(valueKey(row.id)) === row[VERSION]);
  }

  #columnsSet({ table, set }: Update): string[] {
    return [...Object.keys(set), ...(this.#settings.catalog().facts(table)?.filledOnUpdate ?? [])];
  }

  #quote(table: string, access: ConnectionAccess): string {
    return quotedTable(table, this.#settings.catalog(), access);
  }

  async #stampsOf({ log }: OpenTransaction, access: ConnectionAccess): Promise<Stamps> {
    if (log.isEmpty) return { tags: [] };
    const catalog = this.#settings.catalog();
    const { changes } = log;
    const net = netChanges(changes, catalog);
    const statuses = new ReferencedStatuses(catalog);
    try {
      await statuses.lookUp(changes, access);
    } catch {
      // PostgreSQL answers nothing any more once a statement has failed, and makes a rollback of the commit.
      const tables = new Set([...net.tables, ...net.rows.map(({ table }) => table)]);
      return { tags: changeTags({ everything: net.everything, tables, rows: [] }, catalog, UNKNOWN_STATUS) };
    }
    const tags = changeTags(net, catalog, statuses.of);
    // A database that locks as a whole has let nobody change a status between the look-up and the commit.
    if (access.rowLock.update === '' || !statuses.wereAskedFor) return { tags };
    const tagsAfter = async (): Promise<readonly Tag[]> =>
      (await statuses.haveChanged(access)) ? [...tags, ...changeTags(net, catalog, statuses.of)] : tags;
    return { tags, tagsAfter };
  }
}

const askOn =
  (access: ConnectionAccess): Ask =>
  (sql, bindings = []) =>
    access.select(sql, bindings);

const mayDoAnything = (statement: Statement): boolean =>
  statement.kind === 'unknown' ||
  statement.kind === 'calling' ||
  (statement.kind === 'batch' && statement.statements.some(mayDoAnything));

/** Whether its snapshot is no older than the number noted for what the request reads now. */
const isBegunFor = (recording: Recording, { begunFor }: OpenTransaction): boolean =>
  begunFor?.recording === recording && begunFor.makesAnswer === recording.makesAnswer;

/** A statement's beginning, without the texts in it: nobody wants to find a password in a log. */
const withoutTexts = (sql: string): string => {
  const bare = sql
    .replace(/'[^']*'?/g, "'…'")
    .replace(/\s+/g, ' ')
    .trim();
  return bare.length > 80 ? `${bare.slice(0, 80)}…` : bare;
};

/** Whether the observer hands it on without looking at any row first, so that nothing can overtake it. */
const isSentAtOnce = ({ kind }: Statement, { log }: OpenTransaction): boolean =>
  kind === 'read' || kind === 'neutral' || kind === 'rollback' || (kind === 'commit' && log.isEmpty);

const changeTagsOfTables = (changes: readonly Change[]): Tag[] =>
  changes.flatMap((change) => (change.kind === 'table' ? [tableTag(change.table)] : [EVERYTHING]));

const tablesOf = (
  statements: readonly Statement[],
): { read: string[]; written: string[]; controlsTransaction: boolean } | undefined => {
  const read: string[] = [];
  const written: string[] = [];
  let controlsTransaction = false;
  for (const statement of statements) {
    switch (statement.kind) {
      case 'unknown':
      case 'batch':
      case 'calling':
        return undefined;
      case 'neutral':
        break;
      case 'read':
        read.push(...tablesRead(statement));
        break;
      case 'write':
        written.push(...tablesWritten(statement));
        read.push(...statement.reads);
        if (statement.verb === 'opaque' && statement.commits) controlsTransaction = true;
        break;
      default:
        controlsTransaction = true;
    }
  }
  return { read, written, controlsTransaction };
};

const valueOf = (operand: Operand | undefined, { bindings }: Query): unknown => {
  if (operand === undefined) return UNKNOWN_VALUE;
  return 'binding' in operand ? bindings[operand.binding] : operand.literal;
};

const valuesOf = (operands: Readonly<Record<string, Operand | undefined>>, query: Query): Row =>
  Object.fromEntries(Object.entries(operands).map(([column, operand]) => [column, valueOf(operand, query)]));

const updatedRow = (before: Row, { set }: Update, query: Query): Row => ({ ...before, ...valuesOf(set, query) });
