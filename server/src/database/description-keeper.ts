import type { Clock } from '../cache/clock';
import type { Ask } from './ask';
import type { DatabaseDescription } from './database-description';
import type { LookUpAccess } from './connection-access';
import type { TableCatalog } from './table-catalog';

/** Milliseconds before the database is asked again because of a doubt, or because it did not answer. */
const PATIENCE = 30_000;

export interface DescriptionSettings {
  /** The catalog before the database is asked. */
  readonly catalog: TableCatalog;
  readonly clock: Clock;
  readonly describe: (ask: Ask) => Promise<DatabaseDescription>;
  readonly onDescribed: (description: DatabaseDescription) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the description up to date: asks the database at boot, and again after anything that may have changed it. */
export class DescriptionKeeper {
  readonly #settings: DescriptionSettings;
  /** The present knowledge. */
  catalog: TableCatalog;
  #isExpired = true;
  #isDoubted = false;
  #expiries = 0;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(settings: DescriptionSettings) {
    this.#settings = settings;
    this.catalog = settings.catalog;
  }

  /** Whether the database has to be asked before the next statement is looked at. */
  get isDue(): boolean {
    return this.#isExpired || (this.#isDoubted && this.#settings.clock.now() - this.#askedAt > PATIENCE);
  }

  /** Tables, keys, triggers or functions may have changed: nothing is known until the database is asked again. */
  expire(): void {
    this.#expiries += 1;
    this.#isExpired = true;
    this.catalog = this.catalog.expired();
  }

  /**
   * Another process may have changed the schema: a statement named something that the description does not list as a
   * plain table, or another process has stamped everything.
   */
  doubt(): void {
    this.#isDoubted = true;
  }

  /**
   * Asks the database; callers that come meanwhile share the answer. Not to be used on a connection within a
   * transaction: the transaction may have failed, or may not be committed.
   */
  refresh(access: Pick<LookUpAccess, 'select'>): Promise<void> {
    this.#asking ??= this.#ask((sql, bindings = []) => access.select(sql, bindings)).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(ask: Ask): Promise<void> {
    const { clock, describe, onDescribed, onFailure } = this.#settings;
    const expiries = this.#expiries;
    this.#askedAt = clock.now();
    this.#isDoubted = false;
    try {
      const description = await describe(ask);
      // `expire` was called meanwhile: the next statement asks again.
      if (expiries !== this.#expiries) return;
      this.#isExpired = false;
      this.catalog = this.catalog.describedBy(description);
      onDescribed(description);
    } catch (error) {
      this.#isExpired = false;
      this.catalog = this.catalog.expired();
      onFailure(error);
    }
  }
}
