/** A cache directive: its name in lower case, and its argument without quotes. */
export type Directive = readonly [name: string, argument: string | undefined];

/**
 * A token, optionally with `=` and another token or a quoted string (RFC 9111, section 5.2). A semicolon ends a
 * directive as well: it begins parameters in structured fields (RFC 9213, section 2.1), and some write it by mistake
 * for a comma.
 */
const DIRECTIVE = /([^\s,;="]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g;

export const directivesOf = (field: string): Directive[] =>
  field === ''
    ? []
    : [...field.matchAll(DIRECTIVE)].map(([, name = '', quoted, token]) => [name.toLowerCase(), quoted ?? token]);

/** The date format to send, and the two obsolete ones that must still be understood (RFC 9110, section 5.6.7). */
const FIXDATE = /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} gmt$/i;
const RFC_850 = /^[a-z]{6,9}, \d{2}-[a-z]{3}-\d{2} \d{2}:\d{2}:\d{2} gmt$/i;
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/**
 * Upper and lower case are accepted, because senders use both. A year of two digits is one from 1950 to 2049.
 *
 * @returns milliseconds since the epoch; `undefined` if the text is not an HTTP date.
 */
export const httpDate = (text = ''): number | undefined => {
  const isComplete = FIXDATE.test(text) || RFC_850.test(text);
  const time = isComplete ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : NaN;
  return Number.isNaN(time) ? undefined : time;
};
