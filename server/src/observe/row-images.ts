import type { MaybePromise } from '../cache/provider';
import { type ConnectionAccess, type QueryOutcome, selectWith } from '../database/connection-access';
import type { TableCatalog } from '../database/table-catalog';
import type { Cascades } from '../dependencies/cascades';
import { MAX_ROWS_CHANGED, rowName, type Change, type ChangeLog } from '../dependencies/changes';
import { operandValue } from '../dependencies/row-scope';
import { UNKNOWN_VALUE, type Row } from '../sql/column-value';
import type { Delete, Operand, Query, Update } from '../sql/statement';

/** A write on its way to the database, and what its changes are noted with. */
export interface ObservedWrite {
  readonly query: Query;
  readonly access: ConnectionAccess;
  readonly proceed: () => Promise<QueryOutcome>;
  readonly log: ChangeLog;
  readonly catalog: TableCatalog;
  readonly cascades: Cascades;
}

/** Sends an UPDATE or DELETE, and notes what its rows were before and after. */
export const observeRows = async (statement: Update | Delete, write: ObservedWrite): Promise<QueryOutcome> => {
  const { query, access, proceed, log, catalog, cascades } = write;
  const { table, verb } = statement;
  const filledOnUpdate = catalog.facts(table)?.filledOnUpdate ?? new Set<string>();
  if (verb === 'update') log.add(cascades.ofUpdate(table, [...Object.keys(statement.set), ...filledOnUpdate]));
  // Whether a row's image afterwards follows from its image before and from the statement.
  const areTold = catalog.isIdentifiedById(table) && (verb === 'delete' || filledOnUpdate.size === 0);
  const found = areTold ? await rowsBefore(statement, query, access) : undefined;
  const whole = (): readonly Change[] => (verb === 'delete' ? cascades.ofTables([table]) : [{ kind: 'table', table }]);
  if (found === undefined) {
    log.add(whole());
    return proceed();
  }
  const cascaded = verb === 'delete' ? await cascades.ofDeleted(table, found, access, log) : [];
  const outcome = await proceed();
  if (mayHaveMissedRows(statement, found, outcome, access)) {
    log.add(whole());
    return outcome;
  }
  const stored = verb === 'update' ? await computedRows(statement, found, write) : undefined;
  const afterwards = (before: Row): Row | undefined =>
    verb === 'delete'
      ? undefined
      : (stored?.get(rowName(table, before.id)) ?? { ...before, ...operandValues(statement.set, query) });
  log.add(found.map((before) => ({ kind: 'row', table, before, after: afterwards(before) })));
  log.add(cascaded);
  return outcome;
};

/** The rows that a statement is about to change; `undefined` if they are not known or too many. */
const rowsBefore = (
  { condition, verb }: Update | Delete,
  { bindings }: Query,
  access: ConnectionAccess,
): MaybePromise<readonly Row[] | undefined> => {
  if (condition === undefined) return undefined;
  if (condition.switches.some((index) => bindings[index] === 0)) return [];
  return access
    .select(
      `select * from ${condition.from} limit ${MAX_ROWS_CHANGED + 1}${access.rowLock[verb]}`,
      condition.bindings.map((index) => bindings[index]),
    )
    .then((rows) => (rows.length > MAX_ROWS_CHANGED ? undefined : rows), unlessFailedBefore);
};

/**
 * The rows as they are after an UPDATE that sets a column to an expression, read again because the database alone knows
 * the value. It is often the one that was there: a media folder that is renamed has its path replaced by the same path
 * in all its files. `undefined` if the statement gives all values, but for a place among siblings: Strapi numbers join rows
 * anew with every save, and what a new place stamps is known without its value.
 */
const computedRows = async (
  { table, set }: Update,
  found: readonly Row[],
  { access, catalog }: ObservedWrite,
): Promise<ReadonlyMap<string, Row> | undefined> => {
  const isComputed = (column: string): boolean => set[column] === undefined && !catalog.isPlaceColumn(table, column);
  if (found.length === 0 || !Object.keys(set).some(isComputed)) return undefined;
  const ids = found.map(({ id }) => id);
  const selected = selectWith({ table, column: 'id', count: ids.length }, catalog, access);
  const rows = await access.select(`${selected}${access.rowLock.update}`, ids).catch(unlessFailedBefore);
  return new Map(rows?.map((row) => [rowName(table, row.id), row]));
};

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
