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

/** The form that is sent, and the two obsolete ones that are still to be understood (RFC 9110, section 5.6.7). */
const FIXDATE = /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} gmt$/i;
const RFC_850 = /^[a-z]{6,9}, (\d{2}-[a-z]{3}-)(\d{2})( \d{2}:\d{2}:\d{2} gmt)$/i;
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/** @returns milliseconds since the epoch; `undefined` for what is no HTTP date. */
export const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const time = Date.parse(spelledOut(text) ?? '');
  return Number.isNaN(time) ? undefined : time;
};

/** The same with zone and century. Node.js reads any case, as others send it. */
const spelledOut = (text: string): string | undefined => {
  if (FIXDATE.test(text)) return text;
  if (ASCTIME.test(text)) return `${text} GMT`;
  const [, day, year, time] = RFC_850.exec(text) ?? [];
  return day === undefined || year === undefined || time === undefined ? undefined : day + fullYear(year) + time;
};

/** Of two digits, the year that is at most 50 years ahead. */
const fullYear = (digits: string): string => {
  const now = new Date().getUTCFullYear();
  const year = now - (now % 100) + Number(digits);
  return String(year > now + 50 ? year - 100 : year);
};
