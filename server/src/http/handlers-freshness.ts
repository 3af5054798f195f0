import type { EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { because, type Reason } from '../cache/response-cache';
import { said, type Sentence } from '../cache/sentence';
import { type Directive, directivesOf, httpDate } from './field-values';
import { fieldOf, type RouteHeaders } from './response-headers';

/**
 * Header fields with cache directives, in order of precedence. The first two are meant for caches like this one:
 * `Surrogate-Control` of the Edge Architecture Specification, and the targeted field of RFC 9213.
 */
export const DIRECTIVE_FIELDS: readonly string[] = ['surrogate-control', 'cdn-cache-control', 'cache-control'];

/** How long a response may be kept, or why it may not. */
type Lifetime = { readonly maxAge: Milliseconds } | { readonly unstorable: Reason };

interface Asked {
  readonly maxAge: Milliseconds;
  readonly now: EpochMilliseconds;
  /** Whether the database was read for the response: only then do its tags tell whether it is still valid. */
  readonly hasTags: boolean;
}

/**
 * The lifetime of a response: the configured `maxAge`, or less if the handler's own headers say so, but never more.
 *
 * The handler's lifetime is the first that is found in a targeted field, `s-maxage`, `max-age` and `Expires` (RFC 9111,
 * section 4.2.1; RFC 9213, section 2.2), less the age that the response already has (section 4.2.3). A value that
 * cannot be understood counts as 0. `no-cache`, or a lifetime of 0, asks for validation before each use (section
 * 5.2.2.4). Each hit does that by checking the entry's tags. A response without tags is then not stored.
 */
export const lifetimeOf = (produced: Pick<RouteHeaders, 'headers'>, { maxAge, now, hasTags }: Asked): Lifetime => {
  if (produced.headers.length === 0) return { maxAge };
  const field = (name: string): string | undefined => fieldOf(produced, name);
  const fields = DIRECTIVE_FIELDS.map((name) => directivesOf(field(name) ?? ''));
  if (!hasTags && fields.some((directives) => directives.some(([name]) => name === 'no-cache')))
    return refused(said('no-cache')`no-cache, and nothing was read from the database to ask again`);
  const date = httpDate(field('date'));
  const seconds = fields.map(secondsIn).find((found) => found !== undefined);
  const given = seconds === undefined ? untilExpires(field('expires'), date ?? now) : seconds * 1000;
  if (given === undefined) return { maxAge };
  // `max-age=0, must-revalidate` is `no-cache` in other words (RFC 9111, section 5.2.2.2).
  if (given === 0)
    return hasTags
      ? { maxAge }
      : refused(said('no-time')`no time by its own headers, and nothing was read to ask again`);
  const left = given - Math.max(ageIn(field('age')), date === undefined ? 0 : now - date);
  return left > 0
    ? { maxAge: milliseconds(Math.min(maxAge, left)) }
    : refused(said('own-stale')`stale by its own headers`);
};

const refused = (about: Sentence): Lifetime => ({ unstorable: because('cache-control', about) });

/** Greater numbers of seconds count as this one (RFC 9111, section 1.2.2). */
const MAX_SECONDS = 2 ** 31;

const DIGITS = /^\d+$/;

/** The seconds that a field gives, the least if it gives several; `undefined` if it gives none. */
const secondsIn = (directives: readonly Directive[]): number | undefined => {
  for (const wanted of ['s-maxage', 'max-age']) {
    const given = directives.filter(([name]) => name === wanted).map(([, argument = '']) => argument);
    if (given.length > 0)
      return Math.min(MAX_SECONDS, ...given.map((argument) => (DIGITS.test(argument) ? Number(argument) : 0)));
  }
  return undefined;
};

/** Milliseconds. An invalid date, `0` in particular, counts as one in the past (RFC 9111, section 5.3). */
const untilExpires = (expires: string | undefined, from: number): number | undefined =>
  expires === undefined ? undefined : Math.max(0, (httpDate(expires) ?? 0) - from);

/** The value of `Age` in milliseconds; 0 if it is missing or invalid (RFC 9111, section 5.1). */
export const ageIn = (age: string | undefined): number => {
  const first = (age ?? '').split(',')[0]?.trim() ?? '';
  return DIGITS.test(first) ? Math.min(MAX_SECONDS, Number(first)) * 1000 : 0;
};
