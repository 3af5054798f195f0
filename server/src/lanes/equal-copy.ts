import { isDeepStrictEqual } from 'node:util';

/** `undefined` for what holds more than data, of which no copy is its equal. */
export const equalCopy = <T>(value: T): T | undefined => {
  try {
    const copy = structuredClone(value);
    return isDeepStrictEqual(copy, value) ? copy : undefined;
  } catch {
    return undefined;
  }
};
