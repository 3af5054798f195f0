/** A row as a driver returns it or as a statement writes it. */
export type Row = Readonly<Record<string, unknown>>;

/** The same row with its column names in lower case, as they are in analysed statements. */
export const withLowerCaseColumns = (row: Row): Row =>
  Object.keys(row).some((column) => /[A-Z]/.test(column))
    ? Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]))
    : row;

/** Longest text, in characters, that is distinguished by value; longer texts are distinguished by column only. */
const LONGEST_KEY = 64;

/**
 * The spelling of a column's value in tags, the same for values that a database may find equal. `undefined` where the
 * database may find more values equal than this function can tell (long or non-ASCII text). Deliberately too coarse:
 * databases may ignore case and trailing blanks and compare numbers with their text, so all of these share a spelling.
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

/**
 * Whether a collation may find the text equal to a text of other characters, because it ignores accents or control
 * characters.
 */
export const hasOtherSpellings = (text: string): boolean => !/^[\x20-\x7e]*$/.test(text);

/**
 * The spelling of a whole number, given as a number or as text; `undefined` for everything else, even if the database
 * may find it equal to a whole number: MySQL finds 5 under '5abc', and drivers round integers beyond
 * `Number.MAX_SAFE_INTEGER`.
 */
export const wholeNumberKey = (value: unknown): string | undefined => {
  // Most are primary keys as drivers return them.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  const key = value instanceof Date ? undefined : valueKey(value);
  return key !== undefined && /^-?\d+$/.test(key) && Number.isSafeInteger(Number(key)) ? key : undefined;
};

/**
 * The spelling of a value of a text column. The database decides how a number written into it is spelled, so only whole
 * numbers have one.
 */
export const textKey = (value: unknown): string | undefined =>
  typeof value === 'string' ? valueKey(value) : typeof value === 'boolean' ? undefined : wholeNumberKey(value);

/** Stands for every value that has no spelling of its own. Differs from all spellings, which have no capitals. */
export const UNSPELLED = 'UNSPELLED';

/** A value that a statement writes by an expression, so that it is not known beforehand. */
export const UNKNOWN_VALUE: unique symbol = Symbol('unknown value');

/** JSON that a driver has parsed: its text in the database is no longer known. */
export class ParsedJson {
  constructor(readonly value: unknown) {}
}

/**
 * Whether two values of one column are certainly the same. Drivers read back other types than were written: dates as
 * numbers, booleans as 0 and 1, which are compared as numbers. All other pairs of different types count as different,
 * and so do values that a driver has parsed, unless both are the same object: a value that no statement has written.
 */
export const isSameValue = (one: unknown, other: unknown): boolean => {
  const [left, right] = [comparable(one), comparable(other)];
  if (left === UNKNOWN_VALUE || right === UNKNOWN_VALUE) return false;
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
  if (typeof left === 'object' || typeof right === 'object') return left === right;
  if (typeof left === 'boolean' || typeof right === 'boolean')
    return typeof left !== 'string' && typeof right !== 'string' && Number(left) === Number(right);
  // A number never equals a text: SQLite writes the number 5 into a text column as '5.0'.
  return !isRounded(left) && !isRounded(right) && Object.is(left, right);
};

const comparable = (value: unknown): unknown => {
  if (value === undefined) return null;
  return value instanceof Date ? value.getTime() : value;
};

/** Whether an integer is beyond `Number.MAX_SAFE_INTEGER`, so that it may stand for its neighbours as well. */
const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
