import type { Clock } from '../cache/clock';
import type { Ask } from './ask';
import type { DatabaseDescription } from './database-description';
import type { LookUpAccess } from './connection-access';
import type { TableCatalog } from './table-catalog';

/** Milliseconds before the database is asked again because of an unknown name, or because it did not answer. */
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
  /** Whether the database has to be asked before the next statement is looked at. */
  isDue = true;
  #expiries = 0;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(settings: DescriptionSettings) {
    this.#settings = settings;
    this.catalog = settings.catalog;
  }

  /** Tables, keys, triggers or functions may have changed: nothing is known until the database is asked again. */
  expire(): void {
    this.#expiries += 1;
    this.isDue = true;
    this.catalog = this.catalog.expired();
  }

  /**
   * A statement named something that the description does not list as a plain table. Another process may have created
   * the table since.
   */
  missed(): void {
    if (this.#settings.clock.now() - this.#askedAt > PATIENCE) this.isDue = true;
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
    try {
      const description = await describe(ask);
      // `expire` was called meanwhile: the next statement asks again.
      if (expiries !== this.#expiries) return;
      this.isDue = false;
      this.catalog = this.catalog.describedBy(description);
      onDescribed(description);
    } catch (error) {
      this.isDue = false;
      this.catalog = this.catalog.expired();
      onFailure(error);
    }
  }
}
