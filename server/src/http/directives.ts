/** A cache directive: its name in lower case, and its argument without quotes. */
export type Directive = readonly [name: string, argument: string | undefined];

/**
 * A token, and after `=` another or a quoted string (RFC 9111, section 5.2). A semicolon ends one as well: it begins
 * parameters in structured fields (RFC 9213, section 2.1), and stands by mistake where a comma should.
 */
const DIRECTIVE = /([^\s,;="]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g;

export const directivesOf = (field: string): Directive[] =>
  field === ''
    ? []
    : [...field.matchAll(DIRECTIVE)].map(([, name = '', quoted, token]) => [name.toLowerCase(), quoted ?? token]);
