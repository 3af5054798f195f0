import { rowName, type Change } from './changes';
import { UNKNOWN_VALUE } from '../sql/column-value';
import { quotedTable, type LookUpAccess } from '../database/connection-access';
import { statusOf, morphOf, PUBLISHED_AT, type Status, type ReferencedStatus } from './row-scope';
import type { TableCatalog } from '../database/table-catalog';

/** Maximum number of rows that one transaction asks for: PostgreSQL fails beyond 65,535 bindings, and aborts it. */
const MAX_ASKED_FOR = 10_000;

/** The statuses (draft or published) of the rows that one transaction's join rows refer to. */
export class ReferencedStatuses {
  readonly #catalog: TableCatalog;
  readonly #statuses = new Map<string, Status | undefined>();
  /** By table, the primary keys of rows whose statuses the database was asked for. */
  readonly #askedFor = new Map<string, Set<string>>();

  constructor(catalog: TableCatalog) {
    this.#catalog = catalog;
  }

  /** Bound to this instance, so that it can be passed on as a function. */
  readonly of: ReferencedStatus = (table, id) => this.#statuses.get(rowName(table, id));

  /**
   * Learns the statuses of the rows that changed join rows refer to. If such a row was changed itself, its status is
   * taken from its images, because it may be deleted already; otherwise the database is asked.
   *
   * @returns `false`, without having asked anything, if the rows are too many, or if the database might find another
   * value equal to a primary key, or fail for a value that none can have.
   * @throws Error if the database cannot be asked.
   */
  async lookUp(changes: readonly Change[], access: LookUpAccess): Promise<boolean> {
    const wanted: Array<readonly [table: string, id: unknown]> = [];
    for (const change of changes) {
      if (change.kind !== 'row') continue;
      const hasStatus = this.#catalog.has(change.table, PUBLISHED_AT);
      for (const row of [change.before, change.after]) {
        if (row === undefined) continue;
        if (hasStatus) {
          this.#statuses.set(rowName(change.table, row.id), statusOf(row));
          continue;
        }
        for (const [column, table] of this.#catalog.facts(change.table)?.references ?? [])
          wanted.push([table, row[column]]);
        const morph = morphOf(this.#catalog, change.table, row);
        if (morph !== undefined) wanted.push([morph.target, row[morph.column]]);
      }
    }
    for (const [table, id] of wanted) {
      if (id === null || id === undefined || id === UNKNOWN_VALUE) continue;
      if (!this.#catalog.has(table, PUBLISHED_AT) || this.#statuses.has(rowName(table, id))) continue;
      const key = this.#catalog.lookupKey(table, 'id', id);
      if (key === undefined) return false;
      this.#askedFor.set(table, (this.#askedFor.get(table) ?? new Set()).add(key));
    }
    const count = [...this.#askedFor.values()].reduce((sum, ids) => sum + ids.size, 0);
    if (count > MAX_ASKED_FOR) return false;
    await this.#ask(access);
    return true;
  }

  /** Whether the database was asked for any status: another transaction may have changed it since. */
  get wereAskedFor(): boolean {
    return this.#askedFor.size > 0;
  }

  /**
   * Asks the database again, once the transaction is committed. A row that no longer exists keeps its status: the
   * transaction that deleted it stamps the deletion.
   *
   * @returns whether a row has another status than before.
   */
  async haveChanged(access: LookUpAccess): Promise<boolean> {
    const earlier = new Map(this.#statuses);
    await this.#ask(access);
    return [...earlier].some(([name, status]) => this.#statuses.get(name) !== status);
  }

  /** Asks for all tables in one statement: each statement is a round trip to the database. */
  async #ask(access: LookUpAccess): Promise<void> {
    const tables = [...this.#askedFor];
    if (tables.length === 0) return;
    const selects = tables.map(([table, ids], place) => {
      const name = quotedTable(table, this.#catalog, access);
      const placeholders = [...ids].map(() => '?').join(', ');
      // A number stands for the date, because the column may have another type in another table of the union.
      const status = `case when ${PUBLISHED_AT} is null then null else 1 end as ${PUBLISHED_AT}`;
      return `select ${place} as rest_cache_place, id, ${status} from ${name} where id in (${placeholders})`;
    });
    const rows = await access.select(
      selects.join(' union all '),
      tables.flatMap(([, ids]) => [...ids].map(Number)),
    );
    for (const row of rows) {
      const [table] = tables[Number(row.rest_cache_place)] ?? [];
      if (table !== undefined) this.#statuses.set(rowName(table, row.id), statusOf(row));
    }
  }
}
