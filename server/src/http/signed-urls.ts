import type { EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';

/** Ends of the parameters that say when a signed URL expires: `X-Amz-Expires`, `Expires`, `expires`; Azure's `se`. */
const MARK = /(?:xpires|[?&;]se)$/;
const LONGEST_MARK = 'xpires'.length;

/** A single byte is found many times as fast as a text. */
const EQUALS = '='.charCodeAt(0);

/** Bytes that end a URL in JSON, HTML, Markdown and CSS. */
const AROUND_URLS: ReadonlySet<number | undefined> = new Set(Buffer.from('"\'<>()\\ \t\r\n'));

/** How many bytes before and after a mark are searched for the beginning and the end of its URL. */
const LONGEST = 4096;

/**
 * How long a response may be stored because of the signed URLs in its body, whoever has signed them: half of the time
 * until the first of them expires, so that the last caller who gets the response has the other half to use the URL.
 * `undefined` if no URL says when it expires. URLs that have expired already do not count.
 */
export const lifeBySignedUrls = (body: Buffer, now: EpochMilliseconds): Milliseconds | undefined => {
  let first = Infinity;
  for (let at = body.indexOf(EQUALS); at !== -1; at = body.indexOf(EQUALS, at + 1)) {
    if (!MARK.test(body.toString('latin1', Math.max(0, at - LONGEST_MARK), at))) continue;
    const [from, to] = urlAround(body, at);
    const end = endOfSignedUrl(body.toString('latin1', from, to));
    if (end !== undefined && end > now && end < first) first = end;
    // Its other marks were read with it: a text of nothing but marks would be parsed once for each.
    at = Math.max(at, to - 1);
  }
  return first === Infinity ? undefined : milliseconds(Math.ceil((first - now) / 2));
};

/** Where the URL begins and ends that includes this place. */
const urlAround = (body: Buffer, at: number): readonly [from: number, to: number] => {
  let [from, to] = [at, at];
  while (from > 0 && at - from < LONGEST && !AROUND_URLS.has(body[from - 1])) from -= 1;
  while (to < body.length && to - at < LONGEST && !AROUND_URLS.has(body[to])) to += 1;
  return [from, to];
};

/**
 * When a signed URL expires, according to its own parameters; `undefined` if they do not say. Understands Signature
 * Version 4 of AWS and Google Cloud Storage (a date and a number of seconds from it), a time in seconds since the epoch
 * (`Expires` of their Version 2, CloudFront, Alibaba and others), and Azure's shared access signature (`se`).
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
