/** A row as a driver returns it or as a statement writes it. */
export type Row = Readonly<Record<string, unknown>>;

/** The same row with its columns in lower case, as statements are analysed. */
export const withLowerCaseColumns = (row: Row): Row =>
  Object.keys(row).some((column) => /[A-Z]/.test(column))
    ? Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]))
    : row;

/** Longest text that is told apart by value; longer texts are told apart by column only. */
const LONGEST_KEY = 64;

/**
 * The spelling under which readers and writers meet over a column's value, or `undefined` where equality in the
 * database may be wider than ours can tell (long or non-ASCII text). Deliberately too coarse: databases may compare
 * without case, without trailing blanks, and numbers with their text, so all of these share a spelling.
 */
export const valueKey = (value: unknown): string | undefined => {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? '1' : '0';
    case 'string':
      break;
    default:
      return value instanceof Date ? String(value.getTime()) : undefined;
  }
  const text = value.trim();
  // Control characters count for nothing in some collations.
  if (text.length > LONGEST_KEY || !/^[\x20-\x7e]*$/.test(text)) return undefined;
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (Number.isSafeInteger(number)) return String(number);
  }
  return text.toLowerCase();
};

/** Stands for every value that has no spelling of its own. No spelling is upper case. */
export const UNSPELLED = 'UNSPELLED';

/** The spelling of a whole number or boolean; {@link UNSPELLED} for whatever a database may still take for one. */
export const exactKey = (value: unknown): string => {
  const key = valueKey(value);
  // Drivers round what is greater.
  return key !== undefined && /^-?\d+$/.test(key) && Number.isSafeInteger(Number(key)) ? key : UNSPELLED;
};

/** A value that a statement writes by an expression, so that nobody knows it beforehand. */
export const UNKNOWN_VALUE: unique symbol = Symbol('unknown value');

/**
 * Whether two values of one column are surely the same. Drivers read back other types than were written (dates as
 * numbers, booleans as 0 and 1, JSON as text); an unlike pair counts as different.
 */
export const isSameValue = (one: unknown, other: unknown): boolean => {
  if (one === UNKNOWN_VALUE || other === UNKNOWN_VALUE) return false;
  const left = comparable(one);
  const right = comparable(other);
  return left === right || (typeof left !== typeof right && String(left) === String(right));
};

const comparable = (value: unknown): unknown => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (typeof value === 'object') return JSON.stringify(value);
  return value;
};
