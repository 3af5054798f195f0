import type { Row } from '../sql/column-value';

/** Sends a query that the observer does not see, and resolves to its rows. */
export type Ask = (sql: string, bindings?: readonly unknown[]) => Promise<readonly Row[]>;

/** A name in a row, as a string: some versions of MySQL return names as bytes. */
export const text = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString() : '';
