import { z } from 'zod';
import { type Milliseconds, milliseconds } from '../cache/milliseconds';

/** The schema of a value of type `T` that passes `test`. `expected` tells users what would pass. */
export const value = <T>(expected: string, test: (written: unknown) => boolean) =>
  z.custom<T>(test, { error: expected });

/** A list. A problem with an element is reported at the path of that element. */
export const listOf = <T extends z.ZodType>(expected: string, element: T) =>
  z.array(element, { error: expected }).readonly();

export const isBoolean = (written: unknown): boolean => typeof written === 'boolean';
export const isFunction = (written: unknown): boolean => typeof written === 'function';
export const isText = (written: unknown): written is string => typeof written === 'string';
export const isNumberFrom =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (written: unknown): boolean =>
    typeof written === 'number' && written >= least && written <= most;
export const isPositive = isNumberFrom(Number.MIN_VALUE);
export const isCount = (written: unknown): boolean => Number.isSafeInteger(written) && isPositive(written);
/** A field name of HTTP (RFC 9110, section 5.6.2). */
export const isHeaderName = (written: unknown): boolean =>
  typeof written === 'string' && /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(written);

/** The longest delay of a timer in milliseconds. With a longer one, Node.js fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const flag = value<boolean>('true or false', isBoolean).optional();
/** An option without effect, which may hold anything. */
export const ignored = <T>() => z.custom<T>().optional();
export const text = value<string>('a string', isText).optional();
/** A text that does not consist of spaces alone. */
export const filled = (expected: string) =>
  value<string>(expected, (written) => isText(written) && written.trim() !== '');
export const names = (expected: string) => listOf(expected, filled('a name'));

/** Rounds milliseconds up: stores count whole ones, and a fraction must not become 0. */
export const whole = <T>(written: T): Exclude<T, number> | Milliseconds =>
  typeof written === 'number' ? milliseconds(Math.ceil(written)) : (written as Exclude<T, number>);
const time = (expected: string, test: (written: unknown) => boolean) =>
  value<number>(expected, test).transform(whole).optional();

export const lifetime = time('a number of milliseconds greater than 0', isPositive);
export const duration = time('a number of milliseconds, 0 or greater', isNumberFrom(0));
export const deadline = time(`a number of milliseconds from 1 to ${LONGEST_TIMER}`, isNumberFrom(1, LONGEST_TIMER));
/** A number of milliseconds, 0 or greater, or one of the keywords. */
export const lifetimeOr = <const T extends string | null>(...keywords: readonly T[]) =>
  value<number | T>(
    `${keywords.map((keyword) => JSON.stringify(keyword)).join(', ')} or a number of milliseconds, 0 or greater`,
    (written) => keywords.includes(written as T) || isNumberFrom(0)(written),
  )
    .transform(whole)
    .optional();

export const sortedSet = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
export const headerNames = listOf('a list of header names', value<string>('the name of a header', isHeaderName))
  .transform((names) => sortedSet(names.map((name) => name.toLowerCase())))
  .optional();

export const oneOf = <const T extends readonly string[]>(options: T) =>
  z.enum(options, { error: options.map((option) => JSON.stringify(option)).join(' or ') }).optional();

export const object = <T extends z.core.$ZodLooseShape>(shape: T, expected = 'an object') =>
  z.strictObject(shape, { error: expected });

/** An object, or `true` for its defaults; `false` is the same as leaving the option out. */
export const switched = <T extends z.ZodType>(options: T) =>
  z.preprocess(
    (written: boolean | z.input<T>) => (written === true ? {} : written === false ? undefined : written),
    options.optional(),
  );

/** An object, or the value of its option `name` alone. */
export const shorthand = <Short, T extends z.ZodType>(
  name: string,
  isShort: (written: unknown) => written is Short,
  options: T,
) => z.preprocess((written: Short | z.input<T>) => (isShort(written) ? { [name]: written } : written), options);

export const count = value<number>('a whole number greater than 0', isCount).optional();
