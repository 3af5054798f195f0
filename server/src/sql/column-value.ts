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
  if (text.length > LONGEST_KEY || hasOtherSpellings(text)) return undefined;
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (Number.isSafeInteger(number)) return String(number);
  }
  return text.toLowerCase();
};

/** Whether collations may find the text equal to one of other letters: accents, and control characters, count for nothing. */
export const hasOtherSpellings = (text: string): boolean => !/^[\x20-\x7e]*$/.test(text);

/**
 * The spelling of a whole number, however it is given; `undefined` for whatever a database may still take for one: MySQL
 * finds 5 under '5abc', and drivers round what is greater than a number can tell.
 */
export const wholeNumberKey = (value: unknown): string | undefined => {
  const key = value instanceof Date ? undefined : valueKey(value);
  return key !== undefined && /^-?\d+$/.test(key) && Number.isSafeInteger(Number(key)) ? key : undefined;
};

/** The same for text; numbers that are written into it are spelled by the database. */
export const textKey = (value: unknown): string | undefined =>
  typeof value === 'string' ? valueKey(value) : typeof value === 'boolean' ? undefined : wholeNumberKey(value);

/** Stands for every value that has no spelling of its own. No spelling is upper case. */
export const UNSPELLED = 'UNSPELLED';

/** A value that a statement writes by an expression, so that nobody knows it beforehand. */
export const UNKNOWN_VALUE: unique symbol = Symbol('unknown value');

/** What a driver has made of JSON: nobody knows any more how it is spelled in the database. */
export class ParsedJson {
  constructor(readonly value: unknown) {}
}

/**
 * Whether two values of one column are surely the same. Drivers read back other types than were written (dates as
 * numbers, booleans as 0 and 1); an unlike pair counts as different, and so does everything that a
 * driver has parsed, unless it is the very object: a value nobody has touched.
 */
export const isSameValue = (one: unknown, other: unknown): boolean => {
  const [left, right] = [comparable(one), comparable(other)];
  if (left === UNKNOWN_VALUE || right === UNKNOWN_VALUE) return false;
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
  if (typeof left === 'object' || typeof right === 'object') return left === right;
  if (typeof left === 'boolean' || typeof right === 'boolean')
    return typeof left !== 'string' && typeof right !== 'string' && Number(left) === Number(right);
  // SQLite writes the number 5 into a text as '5.0'.
  return !isRounded(left) && !isRounded(right) && Object.is(left, right);
};

const comparable = (value: unknown): unknown => {
  if (value === undefined) return null;
  return value instanceof Date ? value.getTime() : value;
};

/** A number that may stand for its neighbours as well. */
const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
