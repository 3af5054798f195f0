/** The form that is sent, and the two obsolete ones that are still to be understood (RFC 9110, section 5.6.7). */
const FORMS: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** @returns milliseconds since the epoch; `undefined` for what is no HTTP date. */
export const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const isAsctime = ASCTIME.test(text);
  if (!isAsctime && !FORMS.some((form) => form.test(text))) return undefined;
  const time = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(time) ? undefined : time;
};
