import type { EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';

/** In the names of all parameters that tell when a signed URL ends: `X-Amz-Expires`, `Expires`, `expires`; Azure's `se`. */
const MARKS: readonly string[] = ['xpires=', '?se=', '&se=', ';se='];

/** What a URL does not hold as it is written in JSON, HTML, Markdown and CSS. */
const AROUND_URLS = /["'<>()\\\s]/;

/** Bytes before and behind a mark within which its URL begins and ends. */
const LONGEST = 4096;

/**
 * How long an answer may be kept by the signed URLs in it, whoever has signed them; `undefined` where it shows none that
 * tells its end. Half of the time that the first of them has left: who gets the answer last has the other half to use it.
 * What has ended already is text like any other.
 */
export const lifeBySignedUrls = (body: Buffer, now: EpochMilliseconds): Milliseconds | undefined => {
  let first = Infinity;
  for (const mark of MARKS)
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
      const end = endOfSignedUrl(urlAround(body, at));
      if (end !== undefined && end > now && end < first) first = end;
    }
  return first === Infinity ? undefined : milliseconds(Math.ceil((first - now) / 2));
};

const urlAround = (body: Buffer, at: number): string => {
  const before = body.toString('latin1', Math.max(0, at - LONGEST), at);
  const behind = body.toString('latin1', at, at + LONGEST);
  return (before.split(AROUND_URLS).at(-1) ?? '') + (behind.split(AROUND_URLS, 1)[0] ?? '');
};

/**
 * When a signed URL ends, as it says itself; `undefined` where it does not say. By Signature Version 4 of AWS and of
 * Google Cloud Storage (a date and seconds from it), by the second it ends (`Expires` of their Version 2, CloudFront,
 * Alibaba and others), or by Azure's shared access signature (`se`).
 */
export const endOfSignedUrl = (url: string): EpochMilliseconds | undefined => {
  const query = url.slice(url.indexOf('?') + 1).replaceAll('&amp;', '&');
  const parameters = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  for (const service of ['x-amz', 'x-goog']) {
    const begins = basicDate(parameters.get(`${service}-date`));
    const seconds = wholeNumber(parameters.get(`${service}-expires`));
    if (begins !== undefined && seconds !== undefined) return milliseconds(begins + seconds * 1000);
  }
  const second = wholeNumber(parameters.get('expires'));
  if (second !== undefined) return milliseconds(second * 1000);
  const end = Date.parse((parameters.has('sig') && parameters.get('se')) || '');
  return Number.isNaN(end) ? undefined : milliseconds(end);
};

const wholeNumber = (written: string | undefined): number | undefined =>
  written !== undefined && /^\d{1,10}$/.test(written) ? Number(written) : undefined;

/** ISO 8601's basic format: `20261125T120000Z`. */
const basicDate = (written: string | undefined): number | undefined => {
  const iso = written?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const parsed = Date.parse(iso ?? '');
  return Number.isNaN(parsed) ? undefined : parsed;
};
