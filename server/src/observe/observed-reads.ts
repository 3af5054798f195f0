import type { Tag } from '../cache/tag';
import type { ConnectionAccess, QueryOutcome } from '../database/connection-access';
import type { ConnectionNames } from '../database/connection-names';
import type { DescriptionKeeper } from '../database/description-keeper';
import type { TableCatalog } from '../database/table-catalog';
import { wholeTableTags } from '../dependencies/dependency-tags';
import { lookUpKey, type LookUpMemo } from '../dependencies/lookup-memo';
import { readTags, tagsOfTables, type Precision } from '../dependencies/read-plan';
import type { Row } from '../sql/column-value';
import { tablesRead, type Query, type Read } from '../sql/statement';
import type { OpenTransaction } from './open-transactions';
import type { Recording } from './recording';

/** A statement, where it goes, and for whom. */
export interface Asked {
  readonly query: Query;
  readonly access: ConnectionAccess;
  readonly recording: Recording | undefined;
  /** Sent by authentication or authorisation. */
  readonly isForPermission: boolean;
}

/** A statement on its way. */
export interface Sent<Answer> extends Asked {
  proceed(): Promise<Answer>;
  outcomeOf(answer: Answer): QueryOutcome;
  /** What the database would have answered with these rows; `undefined` where the asker wants more than rows. */
  answerWith(rows: readonly Row[]): Answer | undefined;
  /** Its rows are read by somebody else, one by one. */
  readonly isStream: boolean;
}

export interface ReadSettings {
  readonly catalog: () => TableCatalog;
  readonly description?: DescriptionKeeper | undefined;
  /** Knows on which connections names mean other tables; without it they mean the same on all. */
  readonly names?: ConnectionNames | undefined;
  readonly precision: Precision;
  /**
   * Every table that was ever read for something that is kept: grows only. Left out where entries may be of other
   * processes' making.
   */
  readonly tablesRead?: Set<string> | undefined;
  /** Answers what anonymous callers' permissions are read by, where the store can tell at once that nothing has changed. */
  readonly lookUps?: LookUpMemo | undefined;
}

export const DIFFERS = 'a name that may mean another table on this connection';

/** Tells the current request what it reads. */
export class ObservedReads {
  readonly #settings: ReadSettings;
  readonly #sessions = new SessionSettings();

  constructor(settings: ReadSettings) {
    this.#settings = settings;
  }

  /** @param isUndoable whether a rollback may take it back. */
  noteSetting(connection: object, query: Query, isUndoable: boolean): void {
    this.#sessions.note(connection, query, isUndoable);
  }

  /** The first of these names that is no plain table's, and what it is. */
  otherThanTable(tables: readonly string[], connection: object): string | undefined {
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

  /** Reads that are noted table by table. */
  noteTables(tables: readonly string[], { access, recording, isForPermission }: Asked): void {
    const other = this.otherThanTable(tables, access.connection);
    if (other !== undefined) recording?.forbidStoring(`it read ${other}`);
    const tags = tables.flatMap(wholeTableTags);
    this.#mayBeKept(tables, recording, isForPermission);
    if (isForPermission) recording?.readPermission({ tables, tags: () => tags });
    else recording?.readContent(tags);
  }

  observe<Answer>(
    statement: Read,
    sent: Sent<Answer>,
    recording: Recording,
    transaction: OpenTransaction | undefined,
  ): Promise<Answer> {
    if (transaction?.log.isEmpty === false) {
      recording.forbidStoring('it was read inside a transaction that had not been committed');
    } else if (transaction?.isBegunFor(recording) === false) {
      // Its snapshot may be older than the number noted for the answer.
      recording.forbidStoring('it was read inside a transaction that had begun before it was asked for');
    }
    const tables = tablesRead(statement);
    const other = this.otherThanTable(tables, sent.access.connection);
    if (other !== undefined) recording.forbidStoring(`it read ${other}`);
    this.#mayBeKept(tables, recording, sent.isForPermission);
    if (!sent.isForPermission) return this.#readContent(statement, sent, recording);
    const isPlain = transaction === undefined && other === undefined;
    return this.#readPermission(statement, sent, recording, isPlain);
  }

  #mayBeKept(tables: readonly string[], recording: Recording | undefined, isForPermission: boolean): void {
    const { tablesRead: kept } = this.#settings;
    if (kept === undefined || recording === undefined || (recording.namesTablesOnly && !isForPermission)) return;
    for (const table of tables) kept.add(table);
  }

  #readContent<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { proceed, outcomeOf, query, isStream } = sent;
    if (recording.namesTablesOnly) {
      recording.readContent(tagsOfTables(statement));
      if (recording.isOneStatement) return proceed();
      recording.beginRead();
      const answering = proceed();
      // Beside the asker, who waits for no promise more.
      const end = (): void => recording.endRead([]);
      answering.then(end, end);
      return answering;
    }
    const tagsOf = (rows: readonly Row[] | undefined): Tag[] => this.#tags(statement, query, rows);
    // Whoever takes rows from a stream may be done before it is.
    if (isStream) recording.readContent(tagsOf(undefined));
    recording.beginRead();
    return proceed().then(
      (answer) => {
        recording.endRead(tagsOf(outcomeOf(answer).rows));
        return answer;
      },
      (error: unknown) => {
        recording.endRead(tagsOf(undefined));
        throw error;
      },
    );
  }

  /** @param isPlain whether it was made outside any transaction, of plain tables. */
  #readPermission<Answer>(
    statement: Read,
    sent: Sent<Answer>,
    recording: Recording,
    isPlain: boolean,
  ): Promise<Answer> {
    const { proceed, outcomeOf, answerWith, query } = sent;
    // Rows are not looked at: what permissions depend on is told by look-up or by table.
    const tagsRead = (): Tag[] => this.#tags(statement, query, undefined);
    const tables = tablesRead(statement);
    const { lookUps } = this.#settings;
    const { since } = recording;
    const key = lookUps && isPlain ? this.#lookUpKey(statement, sent, recording) : undefined;
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
  #lookUpKey(statement: Read, { query, access }: Sent<unknown>, recording: Recording): string | undefined {
    if (recording.isWriteRequest || !recording.isAnonymous()) return undefined;
    if (statement.shape !== 'plain' || !statement.repeatable) return undefined;
    const session = this.#sessions.of(access.connection);
    return session === undefined ? undefined : lookUpKey(session, query);
  }

  #tags(statement: Read, { bindings }: Query, rows: readonly Row[] | undefined): Tag[] {
    return readTags(statement, { bindings, rows }, this.#settings.catalog(), this.#settings.precision);
  }
}

/** A connection that has been set to more than this, in characters, is not told from others any more. */
const MAX_LENGTH = 1000;

/** What sets nothing that a later statement could notice. */
const HARMLESS = /^\s*(?:show|explain|describe|desc|listen|unlisten|notify)\b/i;

/**
 * What each connection has been set to by statements that are neither reads nor writes: after `SET search_path` the same
 * text asks other tables.
 */
class SessionSettings {
  readonly #settings = new WeakMap<object, string | undefined>();

  /** @param isUndoable whether a rollback may take it back. */
  note(connection: object, query: Query, isUndoable: boolean): void {
    if (HARMLESS.test(query.sql)) return;
    const earlier = isUndoable ? undefined : this.of(connection);
    const setting = query.sql.length > MAX_LENGTH ? undefined : lookUpKey('', query);
    const later = earlier === undefined || setting === undefined ? undefined : earlier + setting;
    this.#settings.set(connection, later === undefined || later.length > MAX_LENGTH ? undefined : later);
  }

  /** Equal for connections on which the same text means the same; `undefined` where that cannot be told. */
  of(connection: object): string | undefined {
    return this.#settings.has(connection) ? this.#settings.get(connection) : '';
  }
}
