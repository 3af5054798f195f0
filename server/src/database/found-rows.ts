import type { Row } from '../sql/column-value';
import {
  referentialAction,
  type Findings,
  type FoundColumn,
  type FoundForeignKey,
  type FoundRelation,
} from './database-description';

/*
 * What a database's own tables answer, whichever it is: the questions of all dialects give their columns the same names.
 */

/** Some versions of MySQL answer names as bytes. */
export const text = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString() : '';

export const relationsIn = (rows: readonly Row[], whatIs: (row: Row) => string | null): FoundRelation[] =>
  rows.map((row) => ({ schema: text(row.schema), name: text(row.name), what: whatIs(row) }));

export const columnsIn = (rows: readonly Row[], isFilledOnUpdate: (row: Row) => boolean): FoundColumn[] =>
  rows.map((row) => ({ ...tableOf(row), name: text(row.name), onUpdate: isFilledOnUpdate(row) }));

export const tableOf = (row: Row): Findings['triggered'][number] => ({
  schema: text(row.schema),
  table: text(row.table),
});

export const namesIn = (rows: readonly Row[]): string[] => rows.map(({ name }) => text(name));

export const foreignKeyOf = (
  row: Row,
  columns: readonly string[],
  targetColumns: readonly string[],
): FoundForeignKey => ({
  ...tableOf(row),
  columns,
  targetSchema: text(row.target_schema),
  target: text(row.target),
  targetColumns,
  onDelete: referentialAction(row.on_delete),
  onUpdate: referentialAction(row.on_update),
});

/** Where a key has a row for each of its columns: the rows of one key each, in their order, and the first of them. */
export const keysIn = <T>(rows: readonly Row[], read: (first: Row, parts: readonly Row[]) => T): T[] => {
  const keys = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const name = JSON.stringify([row.schema, row.table, row.name]);
    const known = keys.get(name);
    if (known === undefined) keys.set(name, [row]);
    else known.push(row);
  }
  return [...keys.values()].map((parts) => read(parts[0], parts));
};

/** The columns of a key in parts. */
export const columnsOf = (parts: readonly Row[], property = 'column'): string[] =>
  parts.map((part) => text(part[property]));
