const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method are not meant to change anything (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => SAFE.has(method);
