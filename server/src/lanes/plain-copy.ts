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
