import { said, type Sentence } from '../cache/sentence';
import { EVERYTHING } from '../cache/tag';
import { quotedTable, type QueryOutcome } from '../database/connection-access';
import type { UnseenTransactions } from '../database/unseen-transactions';
import { Cascades } from '../dependencies/cascades';
import type { Change } from '../dependencies/changes';
import { tablesWritten, type Write } from '../sql/statement';
import { commitAndStamp } from './commit-and-stamp';
import { observeInsert } from './insertion';
import { DIFFERS, tableThat, type Asked, type ObservedReads, type ReadSettings, type Sent } from './observed-reads';
import type { HandedOn, OpenTransaction, OpenTransactions, TransactionSettings } from './open-transactions';
import { observeRows } from './row-images';

export interface WriteSettings extends ReadSettings, TransactionSettings {
  /** Called each time the observer invalidates everything, with the cause in a few words. */
  readonly onEmptied?: ((cause: Sentence) => void) | undefined;
  /** `enableDocumentServiceMiddleware: false`: only writes that arrive on HTTP write routes count. */
  readonly writeRequestsOnly: boolean;
  /** Tables whose writes count wherever they come from: they decide who may see an answer. */
  readonly identityTables: ReadonlySet<string>;
}

/** Deleting a users-permissions role moves its users to another. By the specification, that resets the cache. */
const ROLES_TABLE = 'up_roles';

const ALL: readonly Change[] = [{ kind: 'everything' }];

/** Finds out what statements write, and has it stamped when their transaction commits, or at once. */
export class ObservedWrites {
  readonly #settings: WriteSettings;
  readonly #transactions: OpenTransactions;
  readonly #reads: ObservedReads;
  readonly #unseen: UnseenTransactions;
  readonly #cascades: Cascades;

  constructor(
    settings: WriteSettings,
    transactions: OpenTransactions,
    reads: ObservedReads,
    unseen: UnseenTransactions,
  ) {
    this.#settings = settings;
    this.#transactions = transactions;
    this.#reads = reads;
    this.#unseen = unseen;
    this.#cascades = new Cascades(settings.catalog, settings.tablesRead);
  }

  /** Observes a single write whose table is known. */
  observe<Answer>(statement: Write, sent: Sent<Answer>): HandedOn<Answer> {
    const { access, proceed, recording } = sent;
    const transactions = this.#transactions;
    const transaction = transactions.on(access.connection);
    if (!sent.isForPermission && recording?.makesAnswer === true) recording.hasWritten = true;
    if (this.#settings.names?.differ(access.connection) === true)
      return waitedFor(this.#writeAnywhere(tableThat(statement.table, DIFFERS), proceed, transaction));
    if (!this.#counts(statement, sent)) return waitedFor(proceed());
    if (transaction === undefined && this.#unseen.mayBeOpen(access))
      return waitedFor(
        this.#writeAnywhere(tableThat(statement.table, 'in a transaction not seen to begin'), proceed, undefined),
      );
    if (transaction !== undefined) return this.#write(statement, sent, transaction);
    return waitedFor(
      transactions.around(
        access,
        (own) => this.#write(statement, sent, own).answer,
        () => this.#writeAnywhere(tableThat(statement.table, 'in no transaction'), proceed, undefined),
      ),
    );
  }

  /**
   * Observes a statement that is not understood, or begins a second transaction. It stamps everything.
   *
   * @param isNamed whether `onEmptied` was already called with the cause.
   */
  observeUnknown<Answer>(sent: Sent<Answer>, isNamed = false): Promise<Answer> {
    const { query, access, recording, proceed } = sent;
    const { sink, onEmptied } = this.#settings;
    recording?.forbidStoring(said('may-have-written')`it ran a statement that may have written anything`);
    if (!isNamed) onEmptied?.(said('statement')`the statement ${withoutTexts(query.sql)}`);
    // MySQL commits before DDL and before a second BEGIN, and the text may hold a COMMIT of its own. So everything is
    // stamped now, and again when the surrounding transaction commits.
    this.#transactions.on(access.connection)?.noteUnknownWrite();
    return commitAndStamp(sink, [EVERYTHING], this.#transactions.changingSchema(proceed));
  }

  #counts(statement: Write, { recording }: Asked): boolean {
    const { writeRequestsOnly, identityTables } = this.#settings;
    if (!writeRequestsOnly || recording?.isWriteRequest === true) return true;
    return tablesWritten(statement).some((name) => identityTables.has(name));
  }

  /**
   * Observes a write that may change anything. Not every engine takes part in transactions, so everything is stamped
   * now, and again when the surrounding transaction commits.
   */
  #writeAnywhere<Answer>(
    why: Sentence,
    proceed: () => Promise<Answer>,
    transaction: OpenTransaction | undefined,
  ): Promise<Answer> {
    this.#settings.onEmptied?.(said('write-to')`a write to ${why}`);
    transaction?.log.add(ALL);
    return commitAndStamp(this.#settings.sink, [EVERYTHING], proceed);
  }

  #noteReturned(statement: Write, asked: Asked): void {
    const { reads } = statement;
    const shown = showsRows(statement) ? [...reads, ...tablesWritten(statement)] : reads;
    if (shown.length > 0) this.#reads.noteTables(shown, asked);
  }

  #write<Answer>(statement: Write, sent: Sent<Answer>, transaction: OpenTransaction): HandedOn<Answer> {
    const { query, access, proceed } = sent;
    const { catalog, precision } = this.#settings;
    const { log } = transaction;
    this.#noteReturned(statement, sent);
    if (transaction.mayBeOver)
      return waitedFor(
        this.#writeAnywhere(tableThat(statement.table, 'in a transaction that may be over'), proceed, transaction),
      );
    const written = tablesWritten(statement);
    const any = written.find((name) => this.#cascades.hasUnknownEffects(name));
    if (any !== undefined) {
      const why = catalog().whyNotPlain(any) ?? 'a table with triggers, rules, or a default or check that may write';
      return waitedFor(this.#writeAnywhere(tableThat(any, why), proceed, transaction));
    }
    if (statement.table === ROLES_TABLE && statement.verb !== 'insert' && statement.verb !== 'update') log.add(ALL);
    const whole = statement.verb === 'insert' ? this.#cascades.ofInsert(statement) : this.#cascades.ofTables(written);
    if (precision === 'table' || statement.verb === 'opaque' || this.#cascades.areEnough(whole, log)) {
      log.add(whole);
      return { answer: proceed(), isSent: true };
    }
    const looks = statement.verb !== 'insert' || statement.conflict !== undefined;
    const locking = looks
      ? transaction.lockForWriting(access, quotedTable(statement.table, catalog(), access))
      : undefined;
    const answer = withOutcome(sent, (send) => {
      const observed = { query, access, proceed: send, log, catalog: catalog(), cascades: this.#cascades };
      const observe = (): Promise<QueryOutcome> =>
        statement.verb === 'insert' ? observeInsert(statement, observed) : observeRows(statement, observed);
      if (locking === undefined) return observe();
      return locking.then(observe, () => {
        log.add(whole);
        return send();
      });
    });
    return waitedFor(answer);
  }
}

/** Other statements of the transaction wait until this one is answered. */
const waitedFor = <Answer>(answer: Promise<Answer>): HandedOn<Answer> => ({ answer, isSent: false });

/** Whether the statement returns more than the primary key of a row that it has just inserted. */
const showsRows = (statement: Write): boolean =>
  statement.returning !== undefined &&
  !(statement.returning === 'id' && statement.verb === 'insert' && statement.conflict === undefined);

/**
 * Runs work that has to see the outcome of a statement before the caller gets the answer. It uses few promises:
 * Strapi's asynchronous contexts make each of them expensive, and a bulk publish has thousands of writes.
 */
const withOutcome = <Answer>(
  { proceed, outcomeOf }: Sent<Answer>,
  work: (send: () => Promise<QueryOutcome>) => Promise<QueryOutcome>,
): Promise<Answer> => {
  let answered: { readonly answer: Answer } | undefined;
  const send = (): Promise<QueryOutcome> =>
    proceed().then((answer) => {
      answered = { answer };
      return outcomeOf(answer);
    });
  return work(send).then(() => {
    if (answered === undefined) throw new Error('rest-cache: a statement was not sent to the database');
    return answered.answer;
  });
};

/** The beginning of a statement, without its string literals: one of them may be a password, and this is logged. */
const withoutTexts = (sql: string): string => {
  const bare = sql
    .replace(/'[^']*'?/g, "'…'")
    .replace(/\s+/g, ' ')
    .trim();
  return bare.length > 80 ? `${bare.slice(0, 80)}…` : bare;
};
