import { quotedTable, type ConnectionAccess, type QueryOutcome } from '../database/connection-access';
import type { TableCatalog } from '../database/table-catalog';
import type { Cascades } from '../dependencies/cascades';
import { MAX_ROWS_CHANGED, type Change, type ChangeLog } from '../dependencies/changes';
import { operandValue } from '../dependencies/row-scope';
import { UNKNOWN_VALUE, valueKey, type Row } from '../sql/column-value';
import type { Delete, Operand, Query, Update } from '../sql/statement';

/** What a version of a row goes by among its columns. */
const VERSION = 'rest_cache_version';

/** The rows a statement was about to change. */
interface Found {
  readonly rows: readonly Row[];
  /** By primary key; `undefined` where the database tells none. */
  readonly versions: ReadonlyMap<string | undefined, unknown>;
}

const NONE: Found = { rows: [], versions: new Map() };

/** Finds out what rows were before and after an UPDATE or DELETE. */
export class RowImages {
  readonly #catalog: () => TableCatalog;
  readonly #cascades: Cascades;

  constructor(catalog: () => TableCatalog, cascades: Cascades) {
    this.#catalog = catalog;
    this.#cascades = cascades;
  }

  async observe(
    statement: Update | Delete,
    query: Query,
    access: ConnectionAccess,
    proceed: () => Promise<QueryOutcome>,
    log: ChangeLog,
  ): Promise<QueryOutcome> {
    const { table, verb } = statement;
    if (verb === 'update') log.add(this.#cascades.ofUpdate(table, this.#columnsSet(statement)));
    const found = this.#areTold(statement) ? await this.#before(statement, query, access) : undefined;
    if (found === undefined) {
      log.add(this.#whole(statement));
      return proceed();
    }
    const cascaded = verb === 'delete' ? await this.#cascades.ofDeleted(table, found.rows, access, log) : [];
    const outcome = await proceed();
    if (await this.#mayHaveMissedRows(statement, found, outcome, access)) {
      log.add(this.#whole(statement));
      return outcome;
    }
    const afterwards = (before: Row): Row | undefined =>
      verb === 'delete' ? undefined : { ...before, ...operandValues(statement.set, query) };
    log.add(found.rows.map((before) => ({ kind: 'row', table, before, after: afterwards(before) })));
    log.add(cascaded);
    return outcome;
  }

  #whole({ table, verb }: Update | Delete): readonly Change[] {
    return verb === 'delete' ? this.#cascades.ofTables([table]) : [{ kind: 'table', table }];
  }

  /** Whether what a row is afterwards can be told from what it was and what the statement says. */
  #areTold({ table, verb }: Update | Delete): boolean {
    const catalog = this.#catalog();
    return catalog.isIdentifiedById(table) && (verb === 'delete' || catalog.facts(table)?.filledOnUpdate.size === 0);
  }

  #columnsSet({ table, set }: Update): string[] {
    return [...Object.keys(set), ...(this.#catalog().facts(table)?.filledOnUpdate ?? [])];
  }

  /** The rows a statement is about to change; `undefined` where they cannot be told or are too many. */
  async #before(
    { condition, verb }: Update | Delete,
    query: Query,
    access: ConnectionAccess,
  ): Promise<Found | undefined> {
    if (condition === undefined) return undefined;
    if (condition.switches.some((index) => query.bindings[index] === 0)) return NONE;
    const version = access.rowVersion === undefined ? '' : `, ${access.rowVersion} as ${VERSION}`;
    const rows = await access.select(
      `select *${version} from ${condition.from} limit ${MAX_ROWS_CHANGED + 1}${access.rowLock[verb]}`,
      condition.bindings.map((index) => query.bindings[index]),
    );
    if (rows.length > MAX_ROWS_CHANGED) return undefined;
    const versions = new Map(rows.map((row) => [valueKey(row.id), row[VERSION]]));
    return { rows: rows.map(({ [VERSION]: _version, ...row }) => row), versions };
  }

  /**
   * Whether another transaction may have made the statement concern other rows than those looked at before. Locked as
   * they are, none of these can have dropped out, so that their number tells; unless it is for what other rows hold: then
   * each must be found gone, or updated.
   */
  async #mayHaveMissedRows(
    { condition, verb, table }: Update | Delete,
    { rows, versions }: Found,
    { affected }: QueryOutcome,
    access: ConnectionAccess,
  ): Promise<boolean> {
    if (access.rowLock.update === '') return false;
    if (affected !== rows.length) return true;
    if (condition?.asksOthers === false || rows.length === 0) return false;
    if (access.rowVersion === undefined) return true;
    const left = await access.select(
      `select id, ${access.rowVersion} as ${VERSION} from ${quotedTable(table, this.#catalog(), access)} where id in (${rows.map(() => '?').join(', ')})`,
      rows.map(({ id }) => id),
    );
    if (verb === 'delete') return left.length > 0;
    return left.length !== rows.length || left.some((row) => versions.get(valueKey(row.id)) === row[VERSION]);
  }
}

/** What a statement writes into one row. */
export const operandValues = (operands: Readonly<Record<string, Operand | undefined>>, { bindings }: Query): Row => {
  const row: Record<string, unknown> = {};
  for (const column of Object.keys(operands)) {
    const operand = operands[column];
    row[column] = operand === undefined ? UNKNOWN_VALUE : operandValue(operand, bindings);
  }
  return row;
};
