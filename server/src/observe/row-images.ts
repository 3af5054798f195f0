import type { MaybePromise } from '../cache/provider';
import type { ConnectionAccess, QueryOutcome } from '../database/connection-access';
import type { TableCatalog } from '../database/table-catalog';
import type { Cascades } from '../dependencies/cascades';
import { MAX_ROWS_CHANGED, type Change, type ChangeLog } from '../dependencies/changes';
import { operandValue } from '../dependencies/row-scope';
import { UNKNOWN_VALUE, type Row } from '../sql/column-value';
import type { Delete, Operand, Query, Update } from '../sql/statement';

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
    const cascaded = verb === 'delete' ? await this.#cascades.ofDeleted(table, found, access, log) : [];
    const outcome = await proceed();
    if (mayHaveMissedRows(statement, found, outcome, access)) {
      log.add(this.#whole(statement));
      return outcome;
    }
    const afterwards = (before: Row): Row | undefined =>
      verb === 'delete' ? undefined : { ...before, ...operandValues(statement.set, query) };
    log.add(found.map((before) => ({ kind: 'row', table, before, after: afterwards(before) })));
    log.add(cascaded);
    return outcome;
  }

  #whole({ table, verb }: Update | Delete): readonly Change[] {
    return verb === 'delete' ? this.#cascades.ofTables([table]) : [{ kind: 'table', table }];
  }

  /** Whether a row's image afterwards follows from its image before and from the statement. */
  #areTold({ table, verb }: Update | Delete): boolean {
    const catalog = this.#catalog();
    return catalog.isIdentifiedById(table) && (verb === 'delete' || catalog.facts(table)?.filledOnUpdate.size === 0);
  }

  #columnsSet({ table, set }: Update): string[] {
    return [...Object.keys(set), ...(this.#catalog().facts(table)?.filledOnUpdate ?? [])];
  }

  /** The rows that a statement is about to change; `undefined` if they are not known or too many. */
  #before(
    { condition, verb }: Update | Delete,
    query: Query,
    access: ConnectionAccess,
  ): MaybePromise<readonly Row[] | undefined> {
    if (condition === undefined) return undefined;
    if (condition.switches.some((index) => query.bindings[index] === 0)) return [];
    return access
      .select(
        `select * from ${condition.from} limit ${MAX_ROWS_CHANGED + 1}${access.rowLock[verb]}`,
        condition.bindings.map((index) => query.bindings[index]),
      )
      .then((rows) => (rows.length > MAX_ROWS_CHANGED ? undefined : rows), unlessFailedBefore);
  }
}

/**
 * Whether the statement may have concerned other rows than those selected before, because of another transaction. The
 * selected rows are locked, so none of them can have dropped out, and the number of affected rows shows whether others
 * were added. That is not certain if the condition depends on other rows.
 */
const mayHaveMissedRows = (
  { condition }: Update | Delete,
  rows: readonly Row[],
  { affected }: QueryOutcome,
  { rowLock }: ConnectionAccess,
): boolean =>
  rowLock.update !== '' && (affected !== rows.length || (condition?.asksOthers !== false && rows.length > 0));

/**
 * Ignores the error of a query in a PostgreSQL transaction that had failed before (25P02): the statement itself is sent
 * next, and fails with its own message.
 *
 * @throws every other error.
 */
export const unlessFailedBefore = (error: unknown): undefined => {
  if ((error as { readonly code?: unknown } | null)?.code !== '25P02') throw error;
};

/** What a statement writes into one row. */
export const operandValues = (operands: Readonly<Record<string, Operand | undefined>>, { bindings }: Query): Row => {
  const row: Record<string, unknown> = {};
  for (const column of Object.keys(operands)) {
    const operand = operands[column];
    row[column] = operand === undefined ? UNKNOWN_VALUE : operandValue(operand, bindings);
  }
  return row;
};
