import { said } from '../cache/sentence';
import type { ConnectionAccess, QueryOutcome } from '../database/connection-access';
import type { Ask } from '../database/ask';
import { UnseenTransactions } from '../database/unseen-transactions';
import type { FunctionNatures } from '../database/function-natures';
import type { Query, Statement } from '../sql/statement';
import { ObservedReads, type Sent } from './observed-reads';
import { ObservedWrites, type WriteSettings } from './observed-writes';
import { OpenTransactions, type HandedOn } from './open-transactions';
import type { ReadsElsewhere } from './reads-elsewhere';
import type { Recording } from './recording';

type Calling = Extract<Statement, { readonly kind: 'calling' }>;

export interface SqlObserverSettings extends WriteSettings {
  readonly classify: (sql: string) => Statement;
  /** Knows what functions may do; without it they may do anything. */
  readonly functions?: FunctionNatures | undefined;
  /** Records statements that no request under way has sent; without it, they are not recorded. */
  readonly readsElsewhere?: ReadsElsewhere | undefined;
  /** The request on whose behalf the current code runs. */
  readonly currentRecording: () => Recording | undefined;
  /** Whether the current code runs for that request's authentication or authorisation. */
  readonly isAuthenticating?: () => boolean;
}

/**
 * Sees every statement of the process on its way to the database: records what the current request reads, and stamps
 * what is written, after the commit and before the writer gets its acknowledgement.
 */
export class SqlObserver {
  readonly #settings: SqlObserverSettings;
  readonly #transactions: OpenTransactions;
  readonly #reads: ObservedReads;
  readonly #writes: ObservedWrites;
  readonly #unseen = new UnseenTransactions();

  constructor(settings: SqlObserverSettings) {
    this.#settings = settings;
    this.#transactions = new OpenTransactions(settings);
    this.#reads = new ObservedReads(settings, this.#unseen);
    this.#writes = new ObservedWrites(settings, this.#transactions, this.#reads, this.#unseen);
  }

  /**
   * Runs one statement. If no request under way has sent it, it is recorded for requests that may wait for it.
   *
   * @param proceed sends the statement to the database; called at most once. `observe` resolves to what it resolves to.
   * For a stream, it settles when the stream has ended or was destroyed.
   * @param outcomeOf takes the outcome from that answer.
   * @param isStream whether the rows are streamed to the caller one by one, so that the observer does not have them.
   */
  observe<Answer>(
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => QueryOutcome,
    isStream = false,
  ): Promise<Answer> {
    const { currentRecording, isAuthenticating, readsElsewhere } = this.#settings;
    const current = currentRecording();
    const take = (recording: Recording | undefined, isForPermission: boolean): Promise<Answer> =>
      this.#take({ query, access, recording, isForPermission, proceed, outcomeOf, isStream });
    if (current?.isOpen === true || readsElsewhere === undefined) return take(current, isAuthenticating?.() === true);
    const isWriteRequest = current?.isWriteRequest === true;
    const transaction = this.#transactions.on(access.connection);
    return transaction === undefined
      ? readsElsewhere.inBackground(isWriteRequest, (own) => take(own, false))
      : take(transaction.inBackground(readsElsewhere, isWriteRequest), false);
  }

  /** Whether a statement may be more than a read. */
  mayWrite(sql: string): boolean {
    return !isHarmless(this.#settings.classify(sql));
  }

  #take<Answer>(sent: Sent<Answer>): Promise<Answer> {
    const { access } = sent;
    const own = this.#transactions.ownOn(access.connection);
    if (own !== undefined) return own.then(() => this.#take(sent));
    const statement = this.#statementOf(sent);
    const transaction = this.#transactions.on(access.connection);
    if (transaction !== undefined) {
      const send = (): HandedOn<Answer> => {
        if (access.isInTransaction === false) transaction.mayBeOver = true;
        return this.#handOn(statement, sent);
      };
      return transaction.inTurn(send, access.failureMayEndTransaction === true);
    }
    if (statement.kind === 'neutral' || !this.#mustAsk(access)) return this.#observe(statement, sent);
    return this.#ask(access).then(() => this.#observe(this.#statementOf(sent), sent));
  }

  #statementOf({ query: { sql }, isStream }: Sent<unknown>): Statement {
    const statement = this.#settings.classify(sql);
    // A stream that is destroyed early returns its connection to the pool as it is, so no transaction may be opened
    // around it: a stream that may write counts as not understood.
    const isTaken = !isStream || isHarmless(statement.kind === 'calling' ? statement.main : statement);
    return isTaken ? statement : { kind: 'unknown' };
  }

  /** Whether the database has to be asked first, because names may have another meaning than before. */
  #mustAsk(access: ConnectionAccess): boolean {
    const { description, names } = this.#settings;
    return description?.isDue === true || names?.isDue(access.connection) === true || this.#unseen.isDue(access);
  }

  async #ask(access: ConnectionAccess): Promise<void> {
    const { description, names } = this.#settings;
    if (this.#unseen.isDue(access)) await this.#unseen.ask(access);
    // Such a connection may not be able to answer, or may see what is not committed.
    if (this.#unseen.mayBeOpen(access)) return;
    if (names?.isDue(access.connection) === true) await names.ask(access.connection, askOn(access));
    // On a connection on which names mean other tables, the database would describe those.
    if (description?.isDue === true && names?.differ(access.connection) !== true) await description.refresh(access);
  }

  #handOn<Answer>(statement: Statement, sent: Sent<Answer>): HandedOn<Answer> {
    if (statement.kind === 'write') return this.#writes.observe(statement, sent);
    return { answer: this.#observe(statement, sent), isSent: isHarmless(statement) };
  }

  /** Passes a statement on by its kind. */
  #observe<Answer>(statement: Statement, sent: Sent<Answer>): Promise<Answer> {
    const { query, access, proceed, recording } = sent;
    const { names } = this.#settings;
    const transactions = this.#transactions;
    const transaction = transactions.on(access.connection);
    switch (statement.kind) {
      case 'neutral':
        names?.set(access.connection, query.sql);
        return proceed();
      case 'read':
        return recording === undefined ? proceed() : this.#reads.observe(statement, sent, recording, transaction);
      case 'begin':
        return this.#begin(sent, transaction !== undefined);
      case 'commit':
        return transactions.commit(access, proceed);
      case 'rollback':
        return transactions.forget(access, proceed);
      case 'savepoint':
        // SQLite begins a transaction by it.
        return onceDone(
          transaction === undefined && access.isInTransaction === false
            ? () => transactions.begin(access, recording, proceed, true)
            : proceed,
          () => transactions.on(access.connection)?.log.savepoint(statement.name),
        );
      case 'release':
        if (transaction?.isBegunBySavepoint === true) return transactions.release(access, statement.name, proceed);
        return onceDone(proceed, () => transaction?.log.release(statement.name));
      case 'rollback-to':
        // If the database refuses, nothing was rolled back.
        return onceDone(proceed, () => transaction?.log.rollbackTo(statement.name));
      case 'write':
        return this.#writes.observe(statement, sent).answer;
      case 'calling':
        return this.#observeCall(statement, sent);
      case 'unknown':
        names?.noteUnknown(access.connection, query.sql);
        this.#unseen.noteUnknown(access, query.sql);
        return this.#writes.observeUnknown(sent);
    }
  }

  /** A BEGIN within another transaction commits it, goes on with it, or fails. */
  async #begin<Answer>(sent: Sent<Answer>, isWithinAnother: boolean): Promise<Answer> {
    const { access, recording, proceed } = sent;
    const isUnclear = this.#unseen.mayBeOpen(access);
    this.#unseen.begin(access);
    if (isWithinAnother) return this.#writes.observeUnknown(sent);
    const begin = (): Promise<Answer> => this.#transactions.begin(access, recording, proceed);
    if (!isUnclear) return begin();
    const answer = await this.#writes.observeUnknown({ ...sent, proceed: begin });
    this.#transactions.on(access.connection)?.noteUnknownWrite();
    return answer;
  }

  /**
   * Observes a statement that calls functions. If one of them may write, everything is stamped. If the result of one
   * may depend on more than its arguments, the answer is not stored.
   */
  async #observeCall<Answer>({ functions, outside, main }: Calling, sent: Sent<Answer>): Promise<Answer> {
    const { functions: natures, names, onEmptied } = this.#settings;
    const { access, query, recording } = sent;
    // In a failed transaction the database cannot be asked: the functions then count as writing.
    const worst =
      functions.length === 0
        ? undefined
        : ((await natures?.worst(functions, askOn(access)).catch(() => undefined)) ?? {
            name: functions[0] ?? '',
            nature: 'writes',
          });
    if (worst?.nature === 'writes') {
      onEmptied?.(said('may-write')`the function ${worst.name}(), which may write`);
      names?.noteUnknown(access.connection, query.sql);
      return this.#writes.observeUnknown(sent, true);
    }
    names?.set(access.connection, query.sql);
    if (outside !== undefined) recording?.forbidStoring(said('read-outside')`it read ${outside}`);
    if (worst?.nature === 'reads')
      recording?.forbidStoring(said('may-read')`it called ${worst.name}(), which may read what cannot be seen`);
    return this.#observe(main, sent);
  }
}

/** Whether a statement writes nothing, calls nothing and controls nothing. */
const isHarmless = ({ kind }: Statement): boolean => kind === 'read' || kind === 'neutral';

const askOn =
  (access: ConnectionAccess): Ask =>
  (sql, bindings = []) =>
    access.select(sql, bindings);

const onceDone = async <Answer>(proceed: () => Promise<Answer>, note: () => void): Promise<Answer> => {
  const answer = await proceed();
  note();
  return answer;
};
