import { said, type Sentence } from '../cache/sentence';
import type { Tag } from '../cache/tag';
import type { ConnectionAccess, QueryOutcome } from '../database/connection-access';
import type { ConnectionNames } from '../database/connection-names';
import type { DescriptionKeeper } from '../database/description-keeper';
import type { UnseenTransactions } from '../database/unseen-transactions';
import type { TableCatalog } from '../database/table-catalog';
import { wholeTableTags } from '../dependencies/tags';
import { readTags, type Precision } from '../dependencies/read-plan';
import type { Row } from '../sql/column-value';
import type { Query, Read } from '../sql/statement';
import type { OpenTransaction } from './open-transactions';
import type { Recording } from './recording';

/** A statement, its connection, and the request that has sent it. */
export interface Asked {
  readonly query: Query;
  readonly access: ConnectionAccess;
  readonly recording: Recording | undefined;
  /** Sent by authentication or authorisation. */
  readonly isForPermission: boolean;
}

/** A statement that can be sent to the database. */
export interface Sent<Answer> extends Asked {
  proceed(): Promise<Answer>;
  outcomeOf(answer: Answer): QueryOutcome;
  /** Its rows are streamed to the caller one by one, so the observer does not have them. */
  readonly isStream: boolean;
}

export interface ReadSettings {
  readonly catalog: () => TableCatalog;
  readonly description?: DescriptionKeeper | undefined;
  /** Knows on which connections names mean other tables; without it they mean the same on all. */
  readonly names?: ConnectionNames | undefined;
  readonly precision: Precision;
  /**
   * Every table that was ever read for a response that may be stored, or for permissions, up to {@link MOST_TABLES}.
   * Tables are only added. Left out if other processes may make entries.
   */
  readonly tablesRead?: Set<string> | undefined;
}

/**
 * Tables that are remembered as read: an application may give temporary ones ever new names. A write to any other stamps
 * it as a whole, which is less precise.
 */
export const MOST_TABLES = 10_000;

/** A table that is not a plain one, or not read or written as one. */
export const tableThat = (name: string, is: string): Sentence => said('table-that')`${name}, ${is}`;

export const DIFFERS = 'a name that may mean another table on this connection';

// Made once: a transaction may read a thousand times.
const UNCOMMITTED = said('uncommitted')`it was read inside a transaction that had not been committed`;
const BEGUN_BEFORE = said('begun-before')`it was read inside a transaction that had begun before it was asked for`;
const UNSEEN_BEGIN = said('unseen-begin')`it was read inside a transaction that was not seen to begin`;

/** Sends a read whose rows do not matter: the recording only has to know when it is answered. */
const untilAnswered = <Answer>({ proceed }: Sent<Answer>, recording: Recording): Promise<Answer> => {
  recording.beginRead();
  const answering = proceed();
  // The caller gets the same promise, so it waits for no further one.
  const end = (): void => recording.endRead([]);
  answering.then(end, end);
  return answering;
};

/** Notes in its recording what a request reads. */
export class ObservedReads {
  readonly #settings: ReadSettings;
  readonly #unseen: UnseenTransactions;

  constructor(settings: ReadSettings, unseen: UnseenTransactions) {
    this.#settings = settings;
    this.#unseen = unseen;
  }

  /** The first of these names that may not mean a plain table, and why; `undefined` if there is none. */
  otherThanTable(tables: readonly string[], connection: object): Sentence | undefined {
    const { catalog, description, names } = this.#settings;
    const [first] = tables;
    if (first !== undefined && names?.differ(connection) === true) return tableThat(first, DIFFERS);
    const known = catalog();
    for (const name of tables) {
      const reason = known.whyNotPlain(name);
      if (reason === undefined) continue;
      description?.doubt();
      return tableThat(name, reason);
    }
    return undefined;
  }

  /** Notes reads of which only the tables are known. */
  noteTables(tables: readonly string[], { access, recording, isForPermission }: Asked): void {
    const other = this.otherThanTable(tables, access.connection);
    if (other !== undefined) recording?.forbidStoring(said('it-read')`it read ${other}`);
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
      recording.forbidStoring(UNCOMMITTED);
    } else if (transaction?.isBegunFor(recording) === false) {
      // The transaction's snapshot may be older than the sequence number noted for the answer.
      recording.forbidStoring(BEGUN_BEFORE);
    } else if (transaction === undefined && this.#unseen.mayBeOpen(sent.access)) {
      recording.forbidStoring(UNSEEN_BEGIN);
    }
    const isOfNoUse = recording.namesTablesOnly && recording.unstorable !== undefined;
    if (isOfNoUse && !sent.isForPermission) return untilAnswered(sent, recording);
    const { tables } = statement;
    const other = this.otherThanTable(tables, sent.access.connection);
    if (other !== undefined) recording.forbidStoring(said('it-read')`it read ${other}`);
    this.#mayBeKept(tables, recording, sent.isForPermission);
    if (!sent.isForPermission) return this.#readContent(statement, sent, recording);
    // The rows are not looked at: without them, the tags are those of look-ups, columns or tables.
    recording.readPermission({ tables, tags: () => this.#tags(statement, sent.query, undefined) });
    return sent.proceed();
  }

  #mayBeKept(tables: readonly string[], recording: Recording | undefined, isForPermission: boolean): void {
    const { tablesRead: kept } = this.#settings;
    if (kept === undefined || recording === undefined || (recording.namesTablesOnly && !isForPermission)) return;
    for (const table of tables) if (kept.size < MOST_TABLES) kept.add(table);
  }

  #readContent<Answer>(statement: Read, sent: Sent<Answer>, recording: Recording): Promise<Answer> {
    const { proceed, outcomeOf, query, isStream } = sent;
    if (recording.namesTablesOnly) {
      recording.readContent(statement.tables.flatMap(wholeTableTags));
      return untilAnswered(sent, recording);
    }
    const tagsOf = (rows: readonly Row[] | undefined): Tag[] => this.#tags(statement, query, rows);
    // Noted at once: the caller may finish its answer before the stream has ended.
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

  #tags(statement: Read, { bindings }: Query, rows: readonly Row[] | undefined): Tag[] {
    return readTags(statement, { bindings, rows }, this.#settings.catalog(), this.#settings.precision);
  }
}
