import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { setTimeout as pause } from 'node:timers/promises';
import { milliseconds } from '../cache/milliseconds';
import { tablesWritten, type Statement } from '../sql/statement';

/** How long the boot waits for writes that were begun before the observer was in place. */
const PATIENCE = milliseconds(5000);

const POLL = milliseconds(20);

/** The part of knex' connection pool that tells whether it is in use (tarn 3). */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingCreates(): number;
  numPendingAcquires(): number;
}

/**
 * Notices whether anything was written before the observer is in place: migrations, the schema's synchronisation, what
 * plugins and the application do in `register`. The observer needs the schema, which is known only after all of these.
 */
export class BootWatch {
  readonly #knex: Knex;
  readonly #classify: (sql: string) => Statement;
  readonly #own = new AsyncLocalStorage<true>();
  #changed: boolean;

  constructor(knex: Knex, classify: (sql: string) => Statement) {
    this.#knex = knex;
    this.#classify = classify;
    // What was sent before the watch began may have written.
    this.#changed = this.#hasConnected;
    knex.on('query', this.#note);
  }

  /**
   * Runs the queries that describe the database. Not all of them are understood by the analysis of statements, so they
   * are left out of the watch.
   */
  asking<T>(work: () => Promise<T>): Promise<T> {
    return this.#own.run(true, work);
  }

  /**
   * Ends the watch, once the observer is in place. Resolves to whether the database may have been changed before.
   *
   * @throws Error if knex' client has no pool, so that nothing shows whether statements are still running.
   */
  async end(): Promise<boolean> {
    this.#knex.removeListener('query', this.#note);
    // Node.js passes every `AsyncLocalStorage` that was ever used from promise to promise, until it is disabled.
    this.#own.disable();
    if (this.#pool === undefined) throw new Error("knex' client has no pool");
    if (!this.#changed) return false;
    // Waits for writes that are not committed yet: they must be stamped afterwards. Later transactions are observed.
    for (let waited = 0; this.#isBusy && waited < PATIENCE; waited += POLL) await pause(POLL);
    return true;
  }

  readonly #note = ({ sql, bindings }: { readonly sql: string; readonly bindings?: readonly unknown[] }): void => {
    if (this.#own.getStore() !== true) this.#changed ||= mayChange(this.#classify(sql), bindings ?? []);
  };

  get #pool(): Partial<Pool> | undefined {
    return (this.#knex.client as { readonly pool?: Partial<Pool> }).pool;
  }

  /** Whether the pool has opened a connection; also true if the pool does not look as expected. */
  get #hasConnected(): boolean {
    const pool = this.#pool;
    return pool?.numUsed?.() !== 0 || pool.numFree?.() !== 0 || pool.numPendingCreates?.() !== 0;
  }

  get #isBusy(): boolean {
    const pool = this.#pool;
    return (pool?.numUsed?.() ?? 0) + (pool?.numPendingAcquires?.() ?? 0) > 0;
  }
}

/** Strapi's Enterprise Edition writes here, at every boot, when it last checked its licence. */
const SETTINGS_TABLE = 'strapi_core_store_settings';
const LICENCE = 'ee_information';

const mayChange = (statement: Statement, bindings: readonly unknown[]): boolean => {
  if (statement.kind === 'calling') return statement.functions.length > 0 || mayChange(statement.main, bindings);
  if (statement.kind !== 'write') return statement.kind === 'unknown';
  return !(tablesWritten(statement).every((name) => name === SETTINGS_TABLE) && bindings.includes(LICENCE));
};
