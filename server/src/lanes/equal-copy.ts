import { isDeepStrictEqual } from 'node:util';

/** A copy that equals the value; `undefined` if there is none, because the value holds more than data. */
export const equalCopy = <T>(value: T): T | undefined => {
  try {
    const copy = structuredClone(value);
    return isDeepStrictEqual(copy, value) ? copy : undefined;
  } catch {
    return undefined;
  }
};
