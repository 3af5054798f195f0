import type { ConnectionAccess } from './connection-access';

/** The part of a connection that says whether a transaction is open. */
type StatefulAccess = Pick<ConnectionAccess, 'connection' | 'isInTransaction' | 'askIfIdle'>;

/**
 * Statements that may lock tables outside any transaction: `lock tables`, `flush tables … with read lock` or `… for
 * export`, and those whose text is in a variable. No database says of a connection whether it holds locks.
 */
const MAY_LOCK = /\b(?:lock|export)\b|\b(?:from|immediate)\s+@/i;
const UNLOCKS = /^\s*unlock\b/i;

/** After this setting, MySQL follows each COMMIT and ROLLBACK with a new transaction. */
const CHAINS = /completion_type/i;

/**
 * Knows on which connections a transaction or a lock on tables may be open that was not seen to begin: by XA, LOCK
 * TABLES, a procedure, several statements in one text, with autocommit off. A transaction of the plugin's own would
 * fail there, commit what the application has not, or release the lock.
 */
export class UnseenTransactions {
  /** Whether the connection was idle when it was last asked; it is asked again after anything that may change it. */
  readonly #idle = new WeakMap<object, boolean>();
  readonly #locked = new WeakSet<object>();
  readonly #chaining = new WeakSet<object>();

  /** Whether the connection, on which no transaction was seen to begin, has to be asked. */
  isDue(access: StatefulAccess): boolean {
    return access.isInTransaction === undefined && this.#idle.get(access.connection) !== true;
  }

  /** @throws Error if asking may have aborted the application's transaction: see {@link ConnectionAccess.askIfIdle}. */
  async ask(access: StatefulAccess): Promise<void> {
    this.#idle.set(access.connection, (await access.askIfIdle?.()) ?? true);
  }

  mayBeOpen({ connection, isInTransaction }: StatefulAccess): boolean {
    if (this.#locked.has(connection) || this.#chaining.has(connection)) return true;
    return isInTransaction ?? this.#idle.get(connection) === false;
  }

  /** The application begins a transaction, which releases the locks on tables. */
  begin({ connection }: StatefulAccess): void {
    this.#locked.delete(connection);
  }

  /** A statement whose effects are not known is about to be sent on the connection. */
  noteUnknown({ connection }: StatefulAccess, sql: string): void {
    this.#idle.delete(connection);
    if (UNLOCKS.test(sql)) this.#locked.delete(connection);
    else if (MAY_LOCK.test(sql)) this.#locked.add(connection);
    if (CHAINS.test(sql)) this.#chaining.add(connection);
  }
}
