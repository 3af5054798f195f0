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
const RFC_850 = /^[a-z]{6,9}, (\d{2}-[a-z]{3}-)(\d{2})( \d{2}:\d{2}:\d{2} gmt)$/i;
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/** @returns milliseconds since the epoch; `undefined` if the text is not an HTTP date. */
export const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const time = Date.parse(spelledOut(text) ?? '');
  return Number.isNaN(time) ? undefined : time;
};

/** The date with its zone and century, for `Date.parse`, which accepts upper and lower case: senders use both. */
const spelledOut = (text: string): string | undefined => {
  if (FIXDATE.test(text)) return text;
  if (ASCTIME.test(text)) return `${text} GMT`;
  const [, day, year, time] = RFC_850.exec(text) ?? [];
  return day === undefined || year === undefined || time === undefined ? undefined : day + fullYear(year) + time;
};

/** The year that two digits stand for: at most 50 years in the future. */
const fullYear = (digits: string): string => {
  const now = new Date().getUTCFullYear();
  const year = now - (now % 100) + Number(digits);
  return String(year > now + 50 ? year - 100 : year);
};
