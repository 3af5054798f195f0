import type { Row } from '../sql/column-value';

/** One connection, asked beneath the observer. */
export type Ask = (sql: string, bindings?: readonly unknown[]) => Promise<readonly Row[]>;

/** A name in an answer: some versions of MySQL answer names as bytes. */
export const text = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString() : '';
