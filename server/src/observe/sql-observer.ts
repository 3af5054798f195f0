import { EVERYTHING, type Tag } from '../cache/tag';
import { ChangeLog, type Change } from './change-log';
import { changeTags } from './change-tags';
import { UNKNOWN_VALUE, valueKey, type Row } from './column-value';
import { commitAndStamp, type InvalidationSink } from './commit-and-stamp';
import { tableTag, wholeTableTags } from './dependency-tags';
import { lookUpKey, type LookUpMemo } from './lookup-memo';
import { netChanges } from './net-changes';
import { readTags, type Precision } from './read-tags';
import type { Recording } from './recording';
import { NO_SURROUNDINGS } from './row-scope';
import { SessionSettings } from './session-settings';
import {
  type Delete,
  type Insert,
  type Operand,
  type Query,
  type Read,
  type Statement,
  tablesRead,
  tablesWritten,
  type Update,
  type Write,
} from './statement';
import { TransactionSurroundings, type LookUpAccess } from './surroundings';
import type { ForeignKey, TableCatalog } from './table-catalog';

/** What may change rows, or ends a transaction in which some may have. */
type ChangingStatement = Exclude<Statement, Read | { readonly kind: 'begin' | 'rollback' | 'neutral' }>;

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
}

/** What the driver answered, as far as the observer looks at it. */
export interface QueryOutcome {
  /** `undefined` for statements that return none. */
  readonly rows: readonly Row[] | undefined;
  /** Primary key of the first inserted row, where the driver tells instead of returning rows. */
  readonly insertedId: unknown;
  /** Rows that an UPDATE or DELETE matched, where the driver tells. */
  readonly affected?: number | undefined;
}

/** One connection, asked beneath the observer: these queries are not observed. */
export interface ConnectionAccess extends LookUpAccess {
  /** Identifies the physical connection. */
  readonly connection: object;
  execute(sql: string): Promise<void>;
  /** Locks selected rows as the statement itself is about to; empty where the database locks as a whole. */
  readonly rowLock: { readonly update: string; readonly delete: string };
  /** An expression that is another after each update of a row, where the database has one. */
  readonly rowVersion?: string | undefined;
  /** Whether this name (in lower case) is a view's: whatever it shows is kept in other tables. */
  isView?(name: string): Promise<boolean>;
}

export interface SqlObserverSettings {
  readonly sink: InvalidationSink;
  readonly catalog: TableCatalog;
  readonly precision: Precision;
  readonly classify: (sql: string) => Statement;
  /** The request on whose behalf the current code runs. */
  readonly currentRecording: () => Recording | undefined;
  /** `enableDocumentServiceMiddleware: false`: only writes that arrive on HTTP write routes count. */
  readonly writeRequestsOnly: boolean;
  /** Tables whose writes count wherever they come from: they decide who may see an answer. */
  readonly identityTables: ReadonlySet<string>;
  /** Answers what anonymous callers' permissions are read by, where the store can tell at once that nothing has changed. */
  readonly lookUps?: LookUpMemo | undefined;
}

/** More rows than this changed by one statement are not told apart. */
const MAX_ROWS_TOLD_APART = 500;

/** Names that are no table of Strapi's are few; a CTE's may be any. */
const MAX_VIEWS_REMEMBERED = 1000;

/** Deleting a users-permissions role moves its users to another: the specification resets the cache. */
const ROLES_TABLE = 'up_roles';

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
  readonly settle?: () => Promise<readonly Tag[]>;
}

/** A transaction under way on one connection. */
interface OpenTransaction {
  readonly log: ChangeLog;
  /** Settles when everything sent so far that later statements must not overtake is dealt with. Never rejects. */
  settled: Promise<void> | undefined;
  /** The recording of the answer in whose making it was begun, if it was. */
  readonly begunFor: Recording | undefined;
}

/**
 * Sees every statement of the process on its way to the database: tells the current request what it read, and stamps
 * what was written once it is committed and before the writer learns of it.
 */
export class SqlObserver {
  readonly #settings: SqlObserverSettings;
  readonly #transactions = new WeakMap<object, OpenTransaction>();
  /** Names that are no table of Strapi's, and whether they are views. */
  readonly #views = new Map<string, boolean>();
  readonly #unknown = new WeakMap<Read, readonly string[]>();
  readonly #sessions = new SessionSettings();

  constructor(settings: SqlObserverSettings) {
    this.#settings = settings;
  }

  /** Whether a statement may go to the database as if nobody watched: a read that nobody wants to know of. */
  ignores(sql: string, connection: object): boolean {
    const { kind } = this.#settings.classify(sql);
    if (kind !== 'read' || this.#settings.currentRecording() !== undefined) return false;
    return this.#transactions.get(connection)?.settled === undefined;
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
    const sent: Sent<Answer> = { query, access, proceed, outcomeOf, answerWith };
    const statement = this.#settings.classify(query.sql);
    const transaction = this.#transactions.get(access.connection);
    if (statement.kind === 'neutral' || statement.kind === 'unknown' || statement.kind === 'batch')
      this.#sessions.note(access.connection, query, transaction !== undefined);
    if (transaction === undefined) return this.#observe(statement, sent);
    // Statements keep the order they were sent in: while the observer looks at the rows a write is about to change, no
    // later statement, least of all COMMIT or ROLLBACK, may overtake the write.
    const { settled: before } = transaction;
    if (before === undefined && isSentAtOnce(statement, transaction)) return this.#observe(statement, sent);
    const turn =
      before === undefined ? this.#observe(statement, sent) : before.then(() => this.#observe(statement, sent));
    const settle = (): void => {
      if (transaction.settled === settled) transaction.settled = undefined;
    };
    const settled = turn.then(settle, settle);
    transaction.settled = settled;
    return turn;
  }

  #observe<Answer>(statement: Statement, sent: Sent<Answer>): Promise<Answer> {
    switch (statement.kind) {
      case 'neutral':
        return sent.proceed();
      case 'read': {
        const recording = this.#settings.currentRecording();
        return recording === undefined ? sent.proceed() : this.#read(statement, sent, recording);
      }
      case 'begin':
        return this.#begin(sent);
      case 'commit':
        if (this.#transactions.get(sent.access.connection)?.log.isEmpty === false)
          return this.#observeChange(statement, sent);
        return this.#forget(sent);
      case 'rollback':
        return this.#forget(sent);
      default:
        return this.#observeChange(statement, sent);
    }
  }

  /** Ends a transaction that leaves nothing to stamp. */
  #forget<Answer>({ access: { connection }, proceed }: Sent<Answer>): Promise<Answer> {
    this.#transactions.delete(connection);
    return proceed();
  }

  #begin<Answer>({ access: { connection }, proceed }: Sent<Answer>): Promise<Answer> {
    const recording = this.#settings.currentRecording();
    const begunFor = recording?.makesAnswer === true ? recording : undefined;
    return proceed().then((answer) => {
      this.#transactions.set(connection, {
        log: new ChangeLog(),
        settled: undefined,
        begunFor,
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

  /** Tells the current request that it read a stream of rows, none of which is at hand. */
  observeStream(sql: string): void {
    const statement = this.#settings.classify(sql);
    const recording = this.#settings.currentRecording();
    if (statement.kind === 'read') this.#noteRead(this.#readTags(statement, [], undefined));
    else recording?.forbidStoring('a statement was streamed that is not a read');
  }

  #read<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { access } = sent;
    const transaction = this.#transactions.get(access.connection);
    if (transaction?.log.isEmpty === false) {
      recording.forbidStoring('it was read inside a transaction that had not been committed');
    } else if (transaction !== undefined && transaction.begunFor !== recording) {
      // Its snapshot may be older than the number noted for the answer.
      recording.forbidStoring('it was read inside a transaction that had begun before it was asked for');
    }
    const names = this.#unknownTables(statement);
    if (names.length === 0) return this.#readTables(statement, sent, recording);
    return this.#viewAmong(names, access).then((view) => {
      if (view !== undefined) recording.forbidStoring(`it read the view ${view}, whose tables are not known`);
      return this.#readTables(statement, sent, recording);
    });
  }

  #readTables<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    if (!recording.makesAnswer) return this.#readPermission(statement, sent, recording);
    const { proceed, outcomeOf, query } = sent;
    const { bindings } = query;
    return proceed().then(
      (answer) => {
        recording.readContent(this.#readTags(statement, bindings, outcomeOf(answer).rows));
        return answer;
      },
      (error: unknown) => {
        recording.readContent(this.#readTags(statement, bindings, undefined));
        throw error;
      },
    );
  }

  #readPermission<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { query, proceed, outcomeOf, answerWith } = sent;
    // Rows are not looked at: what permissions depend on is told by look-up or by table.
    const tagsRead = (): Tag[] => this.#readTags(statement, query.bindings, undefined);
    const { lookUps } = this.#settings;
    const { since } = recording;
    const key = lookUps && this.#lookUpKey(statement, sent, recording);
    if (lookUps === undefined || key === undefined || since === undefined) {
      recording.readPermission(tagsRead);
      return proceed();
    }
    const kept = lookUps.find(key);
    const known = kept && answerWith(kept.rows);
    if (kept !== undefined && known !== undefined) {
      recording.readPermission(() => kept.guard.tags);
      return Promise.resolve(known);
    }
    recording.readPermission(tagsRead);
    return proceed().then((answer) => {
      const { rows } = outcomeOf(answer);
      if (rows !== undefined) lookUps.keep(key, rows, { tags: tagsRead(), since });
      return answer;
    });
  }

  /** Tells a read from every other, if it is the same for every anonymous caller; `undefined` if it may not be. */
  #lookUpKey(statement: Read, { query, access }: Asked, recording: Recording): string | undefined {
    if (recording.isWriteRequest || !recording.isAnonymous()) return undefined;
    if (statement.shape !== 'plain' || !statement.repeatable || this.#unknownTables(statement).length > 0)
      return undefined;
    if (this.#transactions.has(access.connection)) return undefined;
    const session = this.#sessions.of(access.connection);
    return session === undefined ? undefined : lookUpKey(session, query);
  }

  /** Names in the statement that are no table of Strapi's. */
  #unknownTables(statement: Read): readonly string[] {
    let names = this.#unknown.get(statement);
    if (names === undefined) {
      names = tablesRead(statement).filter((name) => this.#settings.catalog.facts(name) === undefined);
      this.#unknown.set(statement, names);
    }
    return names;
  }

  /** For reads that are noted table by table. */
  #noteRead(tags: readonly Tag[]): void {
    const recording = this.#settings.currentRecording();
    if (recording?.makesAnswer === true) recording.readContent(tags);
    else recording?.readPermission(() => tags);
  }

  /** The first of these names that is a view's, or may be. */
  async #viewAmong(names: readonly string[], access: ConnectionAccess): Promise<string | undefined> {
    for (const name of names) {
      if (this.#settings.catalog.facts(name) !== undefined || access.isView === undefined) continue;
      let isView = this.#views.get(name);
      if (isView === undefined) {
        // In a transaction that has failed nobody can be asked.
        isView = await access.isView(name).catch(() => undefined);
        if (isView === undefined) return name;
        if (this.#views.size >= MAX_VIEWS_REMEMBERED) this.#views.clear();
        this.#views.set(name, isView);
      }
      if (isView) return name;
    }
    return undefined;
  }

  #readTags(statement: Read, bindings: readonly unknown[], rows: readonly Row[] | undefined): Tag[] {
    return readTags(statement, { bindings, rows }, this.#settings.catalog, this.#settings.precision);
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
        if (transaction === undefined) return proceed();
        const { tags, settle } = await this.#stampsOf(transaction, access);
        this.#transactions.delete(connection);
        return commitAndStamp(this.#settings.sink, tags, proceed, settle);
      }
      case 'savepoint':
        transaction?.log.savepoint(statement.name);
        return proceed();
      case 'release':
        transaction?.log.release(statement.name);
        return proceed();
      case 'rollback-to':
        transaction?.log.rollbackTo(statement.name);
        return proceed();
      case 'write':
        if (!this.#isObservedWriter() && !tablesWritten(statement).some((name) => identityTables.has(name)))
          return proceed();
        return transaction === undefined
          ? this.#writeAlone(statement, query, access, proceed)
          : this.#write(statement, query, access, proceed, transaction);
      case 'batch':
      case 'unknown':
        return this.#changeAnything(statement, access, proceed);
    }
  }

  #isObservedWriter(): boolean {
    return !this.#settings.writeRequestsOnly || this.#settings.currentRecording()?.isWriteRequest === true;
  }

  /** Several statements in one text, or one nobody understands: everything they may have written is stamped whole. */
  async #changeAnything(
    statement: Extract<Statement, { kind: 'batch' | 'unknown' }>,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const tables = statement.kind === 'batch' ? tablesOf(statement.statements) : undefined;
    const recording = this.#settings.currentRecording();
    const view = tables && (await this.#viewAmong([...tables.read, ...tables.written], access));
    if (view === undefined && tables?.written.length === 0 && !tables.controlsTransaction) {
      this.#noteRead(tables.read.flatMap(wholeTableTags));
      return proceed();
    }
    recording?.forbidStoring('it ran a statement that may have written anything');
    const transaction = this.#transactions.get(access.connection);
    if (
      tables !== undefined &&
      view === undefined &&
      !tables.controlsTransaction &&
      !tables.written.includes(ROLES_TABLE)
    ) {
      const changes = this.#withReferences(tables.written);
      if (transaction === undefined) return commitAndStamp(this.#settings.sink, changeTagsOfTables(changes), proceed);
      transaction.log.add(changes);
      return proceed();
    }
    this.#views.clear();
    // MySQL commits before DDL, and a text may hold its own COMMIT: stamped now, and again with what surrounds it.
    transaction?.log.add([{ kind: 'everything' }]);
    return commitAndStamp(this.#settings.sink, [EVERYTHING], proceed);
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
      settled: undefined,
      begunFor: undefined,
    };
    await access.execute('BEGIN');
    this.#transactions.set(access.connection, transaction);
    try {
      const outcome = await this.#write(statement, query, access, proceed, transaction);
      const { tags, settle } = await this.#stampsOf(transaction, access);
      await commitAndStamp(this.#settings.sink, tags, () => access.execute('COMMIT'), settle);
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
    if (statement.returning || statement.reads.length > 0) {
      this.#noteRead(statement.reads.flatMap(wholeTableTags));
    }
    const written = tablesWritten(statement);
    if ((await this.#viewAmong(written, access)) !== undefined) {
      log.add([{ kind: 'everything' }]);
      return proceed();
    }
    if (statement.table === ROLES_TABLE && statement.verb !== 'insert' && statement.verb !== 'update') {
      log.add([{ kind: 'everything' }]);
    }
    if (this.#settings.precision === 'table' || statement.verb === 'opaque') {
      log.add(this.#withReferences(written));
      return proceed();
    }
    if (statement.verb === 'insert') return this.#insert(statement, query, access, proceed, log);
    const found = await this.#imagesBefore(statement, query, access);
    if (found === undefined) {
      log.add(
        statement.verb === 'delete'
          ? this.#withReferences([statement.table])
          : [{ kind: 'table', table: statement.table }],
      );
      return proceed();
    }
    const { rows: before } = found;
    const cascaded = statement.verb === 'delete' ? await this.#cascades(statement.table, before, access) : [];
    const outcome = await proceed();
    if (await this.#mayHaveMissedRows(statement, found, outcome, access)) {
      log.add(
        statement.verb === 'delete'
          ? this.#withReferences([statement.table])
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

  async #insert(
    statement: Insert,
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
    log: ChangeLog,
  ): Promise<QueryOutcome> {
    const rows = statement.rows?.map((operands) => valuesOf(operands, query));
    if (rows === undefined) {
      log.add([{ kind: 'table', table: statement.table }]);
      return proceed();
    }
    if (!statement.conflict) {
      const outcome = await proceed();
      const inserted =
        insertedRows(rows, outcome) ?? (await this.#insertedFrom(statement.table, rows, outcome, access));
      if (inserted !== undefined) {
        log.add(inserted.map((after) => ({ kind: 'row', table: statement.table, before: undefined, after })));
        return outcome;
      }
      log.add([{ kind: 'table', table: statement.table }]);
      return outcome;
    }
    // Which rows it inserts, updates or leaves alone is the database's decision: compare before and after.
    const neighbours = this.#neighbours(statement.table, rows, access);
    const before = await neighbours?.();
    const outcome = await proceed();
    const after = await neighbours?.();
    log.add(
      before === undefined || after === undefined
        ? [{ kind: 'table', table: statement.table }]
        : differences(statement.table, before, after),
    );
    return outcome;
  }

  /**
   * The inserted rows where the database tells the first one's primary key alone, as MySQL does; perhaps with some that
   * another transaction has inserted beside them.
   */
  async #insertedFrom(
    table: string,
    rows: readonly Row[],
    { insertedId }: QueryOutcome,
    access: ConnectionAccess,
  ): Promise<readonly Row[] | undefined> {
    if (rows.length < 2 || typeof insertedId !== 'number' || insertedId <= 0) return undefined;
    const found = await this.#neighbours(table, rows, access, insertedId)?.();
    return found === undefined || found.length < rows.length ? undefined : found;
  }

  /**
   * Selects all rows that share a look-up value with the given ones, from this primary key on; `undefined` where there is
   * no such column.
   */
  #neighbours(
    table: string,
    rows: readonly Row[],
    access: ConnectionAccess,
    from?: number,
  ): (() => Promise<readonly Row[] | undefined>) | undefined {
    const { catalog } = this.#settings;
    const columns = [...(catalog.facts(table)?.references.keys() ?? [])];
    const column = columns.find((candidate) => rows.every((row) => valueKey(row[candidate]) !== undefined));
    if (column === undefined || rows.length > MAX_ROWS_TOLD_APART) return undefined;
    const values = [...new Set(rows.map((row) => row[column]))];
    const sql = `select * from ${this.#quote(table, access)} where ${access.quoteColumn(column)} in (${values.map(() => '?').join(', ')})${from === undefined ? '' : ' and id >= ?'} limit ${MAX_ROWS_TOLD_APART + 1}`;
    return async () => {
      const found = await access.select(sql, from === undefined ? values : [...values, from]);
      return found.length > MAX_ROWS_TOLD_APART ? undefined : found;
    };
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

  /** Rows of other tables that go or change with these, by foreign keys and without a statement of their own. */
  async #cascades(table: string, deleted: readonly Row[], access: ConnectionAccess): Promise<Change[]> {
    const changes: Change[] = [];
    if (deleted.length === 0) return changes;
    const ids = deleted.map((row) => row.id);
    for (const reference of this.#referencesTo(table)) {
      const placeholders = ids.map(() => '?').join(', ');
      const rows = await access.select(
        `select * from ${this.#quote(reference.table, access)} where ${access.quoteColumn(reference.column)} in (${placeholders}) limit ${MAX_ROWS_TOLD_APART + 1}`,
        ids,
      );
      if (rows.length > MAX_ROWS_TOLD_APART) {
        changes.push({ kind: 'table', table: reference.table });
        continue;
      }
      for (const before of rows) {
        const after = reference.cascades ? undefined : { ...before, [reference.column.toLowerCase()]: null };
        changes.push({ kind: 'row', table: reference.table, before, after });
      }
    }
    return changes;
  }

  #withReferences(tables: readonly string[]): Change[] {
    const all = new Set(tables);
    for (const table of all) for (const reference of this.#referencesTo(table)) all.add(reference.table);
    return [...all].map((table) => ({ kind: 'table', table }));
  }

  #quote(table: string, access: ConnectionAccess): string {
    return access.quoteTable(this.#settings.catalog.facts(table)?.name ?? table);
  }

  #referencesTo(table: string): readonly ForeignKey[] {
    return this.#settings.catalog.facts(table)?.referencedBy ?? [];
  }

  async #stampsOf({ log }: OpenTransaction, access: ConnectionAccess): Promise<Stamps> {
    if (log.isEmpty) return { tags: [] };
    const { catalog } = this.#settings;
    const { changes } = log;
    const net = netChanges(changes, catalog);
    const surroundings = new TransactionSurroundings(catalog);
    try {
      await surroundings.lookUpHalves(changes, access);
    } catch {
      // PostgreSQL answers nothing any more once a statement has failed, and makes a rollback of the commit.
      const tables = new Set([...net.tables, ...net.rows.map(({ table }) => table)]);
      return { tags: changeTags({ everything: net.everything, tables, rows: [] }, catalog, NO_SURROUNDINGS) };
    }
    const tags = changeTags(net, catalog, surroundings);
    const lacksOwners = surroundings.lacksOwners(changes);
    // A database that locks as a whole has let nobody change a half between the look-up and the commit.
    const isOvertakable = access.rowLock.update !== '' && surroundings.hasAskedForHalves;
    if (!lacksOwners && !isOvertakable) return { tags };
    const settle = async (): Promise<readonly Tag[]> => {
      const isOvertaken = isOvertakable && (await surroundings.haveHalvesChanged(access));
      if (!lacksOwners && !isOvertaken) return tags;
      if (lacksOwners) await surroundings.lookUpOwners(changes, access);
      const settled = changeTags(net, catalog, surroundings);
      return isOvertaken ? [...tags, ...settled] : settled;
    };
    return { tags, settle };
  }
}

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
        return undefined;
      case 'neutral':
        break;
      case 'read':
        read.push(...tablesRead(statement));
        break;
      case 'write':
        written.push(...tablesWritten(statement));
        read.push(...statement.reads);
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

/** The inserted rows with their primary keys, or `undefined` where the database did not tell them all. */
const insertedRows = (rows: readonly Row[], { rows: returned, insertedId }: QueryOutcome): Row[] | undefined => {
  const inserted: Row[] = [];
  for (const [index, row] of rows.entries()) {
    const id = row.id ?? returned?.[index]?.id ?? (rows.length === 1 ? insertedId : undefined);
    if (valueKey(id) === undefined) return undefined;
    inserted.push({ ...row, id });
  }
  return inserted;
};

const differences = (table: string, before: readonly Row[], after: readonly Row[]): Change[] => {
  const left = new Map(before.map((row) => [valueKey(row.id), row]));
  const changes: Change[] = [];
  for (const row of after) {
    const id = valueKey(row.id);
    const earlier = left.get(id);
    left.delete(id);
    changes.push({ kind: 'row', table, before: earlier, after: row });
  }
  for (const row of left.values()) changes.push({ kind: 'row', table, before: row, after: undefined });
  return changes;
};
