/** Whether a value is made of nothing but texts, numbers, dates, lists and plain objects, so that a copy is its equal. */
export const isPlain = (value: unknown): boolean => {
  switch (typeof value) {
    case 'object':
      if (value === null || value instanceof Date) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
      return true;
    default:
      return false;
  }
};

/** A copy of a plain value down to its last part: many times as fast as `structuredClone`. */
export const copyOfPlain = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) return value.map(copyOfPlain);
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) copy[name] = copyOfPlain(part);
  return copy;
};
