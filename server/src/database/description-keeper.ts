import type { Clock } from '../cache/clock';
import type { Ask } from './ask';
import type { DatabaseDescription } from './database-description';
import type { LookUpAccess } from './connection-access';
import type { TableCatalog } from './table-catalog';

/** A name nobody knows, or a database that did not answer, is asked about again after this long at the earliest. Milliseconds. */
const PATIENCE = 30_000;

export interface DescriptionSettings {
  /** What is known before the database is asked. */
  readonly catalog: TableCatalog;
  readonly clock: Clock;
  /** Given what it has described before, it may answer that: it still holds. */
  readonly describe: (ask: Ask, known: DatabaseDescription | undefined) => Promise<DatabaseDescription>;
  readonly onDescribed: (description: DatabaseDescription) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps what is known of the database up to date: asks it at boot, and again after anything that may have changed it. */
export class DescriptionKeeper {
  readonly #settings: DescriptionSettings;
  /** What is known now. */
  catalog: TableCatalog;
  /** Whether the database has to be asked before the next statement is looked at. */
  isDue = true;
  #doubts = 0;
  /** What the database last said, and the catalog made of it. */
  #described: { readonly description: DatabaseDescription; readonly catalog: TableCatalog } | undefined;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(settings: DescriptionSettings) {
    this.#settings = settings;
    this.catalog = settings.catalog;
  }

  /** Tables, keys, triggers or functions may have changed: until the database is asked again, nothing is known of them. */
  doubt(): void {
    this.#doubts += 1;
    this.isDue = true;
    this.catalog = this.catalog.doubted();
  }

  /** A name was met that is not in the description; somebody else may have made the table since. */
  missed(): void {
    if (this.#settings.clock.now() - this.#askedAt > PATIENCE) this.isDue = true;
  }

  /** Asks, once for all who wait. Not on a connection within a transaction: that may have failed, or may not be committed. */
  refresh(access: Pick<LookUpAccess, 'select'>): Promise<void> {
    this.#asking ??= this.#ask((sql, bindings = []) => access.select(sql, bindings)).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(ask: Ask): Promise<void> {
    const { clock, describe, onDescribed, onFailure } = this.#settings;
    const doubts = this.#doubts;
    this.#askedAt = clock.now();
    try {
      const before = this.#described;
      const description = await describe(ask, before?.description);
      // Something has happened meanwhile: the next statement asks again.
      if (doubts !== this.#doubts) return;
      this.isDue = false;
      if (before?.description === description) {
        this.catalog = before.catalog;
        return;
      }
      this.catalog = this.catalog.describedBy(description);
      this.#described = { description, catalog: this.catalog };
      onDescribed(description);
    } catch (error) {
      this.isDue = false;
      this.catalog = this.catalog.doubted();
      onFailure(error);
    }
  }
}
