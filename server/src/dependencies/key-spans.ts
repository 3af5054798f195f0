/**
 * A span is a range of primary keys. Each holds eight spans of the level below, so a row lies in a handful of spans,
 * and a few spans make up any range from 0.
 */
const FACTOR = 8;

/** The uppermost level's spans hold 8⁷ (two million) keys each. */
const LEVELS = 8;

const nameOf = (level: number, index: number): string => `${level}.${index}`;

/** `undefined` for anything but a whole number from 0. */
const keyOf = (value: unknown): number | undefined => {
  const key = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof key === 'number' && Number.isSafeInteger(key) && key >= 0 ? key : undefined;
};

/** Every span that a key lies in; none for anything but a whole number from 0. */
export const spansOf = (value: unknown): string[] => {
  let index = keyOf(value);
  const spans: string[] = [];
  for (let level = 0; index !== undefined && level < LEVELS; level += 1) {
    spans.push(nameOf(level, index));
    index = Math.floor(index / FACTOR);
  }
  return spans;
};

/**
 * The fewest spans that hold exactly the keys from 0 to `last`; `undefined` if `last` is too great or is not a whole
 * number from 0.
 */
export const spansUpTo = (last: unknown): string[] | undefined => {
  const key = keyOf(last);
  if (key === undefined) return undefined;
  const spans: string[] = [];
  let end = key + 1;
  for (let level = 0; end > 0; level += 1) {
    const above = level === LEVELS - 1 ? 0 : Math.floor(end / FACTOR);
    if (end - above * FACTOR > 100) return undefined;
    for (let index = above * FACTOR; index < end; index += 1) spans.push(nameOf(level, index));
    end = above;
  }
  return spans;
};
