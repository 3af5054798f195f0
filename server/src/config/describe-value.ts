import { inspect } from 'node:util';

const LONGEST = 80;

/** A value as it may stand in a message: `0`, `"1h"`, `NaN`, `[ 'a', 'b' ]`, short whatever it is. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 0, breakLength: Infinity, maxArrayLength: 5, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** What kind of value it is, for places where the value itself may be a credential. */
export const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
};
