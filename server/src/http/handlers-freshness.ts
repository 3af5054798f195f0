import type { EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Reason } from '../cache/response-cache';
import { type Directive, directivesOf, httpDate } from './field-values';
import { fieldOf, type RouteHeaders } from './response-headers';

/**
 * Fields with cache directives, those before the others that are meant for caches like this one: `Surrogate-Control` of
 * the Edge Architecture Specification, and the targeted field of RFC 9213.
 */
export const DIRECTIVE_FIELDS: readonly string[] = ['surrogate-control', 'cdn-cache-control', 'cache-control'];

/** How long a response may be kept, or why it may not. */
type Lifetime = { readonly maxAge: Milliseconds } | { readonly unstorable: Reason };

interface Asked {
  readonly maxAge: Milliseconds;
  readonly now: EpochMilliseconds;
  /** Whether the database was read for the answer: its tags can be asked then whether it still holds. */
  readonly hasTags: boolean;
}

/**
 * What the handler says of its answer's freshness limits what is configured, and never extends it.
 *
 * Its lifetime is the first of a targeted field's, `s-maxage`, `max-age` and `Expires` (RFC 9111, section 4.2.1; RFC
 * 9213, section 2.2), less the age that it has already (section 4.2.3). What cannot be understood counts as no time.
 * `no-cache`, or no time at all, asks for validation before each use (section 5.2.2.4): each hit has its tags checked,
 * where there are any.
 */
export const lifetimeOf = (produced: Pick<RouteHeaders, 'headers'>, { maxAge, now, hasTags }: Asked): Lifetime => {
  const field = (name: string): string | undefined => fieldOf(produced, name);
  const fields = DIRECTIVE_FIELDS.map((name) => directivesOf(field(name) ?? ''));
  if (!hasTags && fields.some((directives) => directives.some(([name]) => name === 'no-cache')))
    return refused('no-cache, and nothing was read from the database to ask again');
  const date = httpDate(field('date'));
  const seconds = fields.map(secondsIn).find((found) => found !== undefined);
  const given = seconds === undefined ? untilExpires(field('expires'), date ?? now) : seconds * 1000;
  if (given === undefined) return { maxAge };
  // `max-age=0, must-revalidate` is `no-cache` in other words (RFC 9111, section 5.2.2.2).
  if (given === 0)
    return hasTags ? { maxAge } : refused('no time by its own headers, and nothing was read to ask again');
  const left = given - Math.max(ageIn(field('age')), date === undefined ? 0 : now - date);
  return left > 0 ? { maxAge: milliseconds(Math.min(maxAge, left)) } : refused('stale by its own headers');
};

const refused = (detail: string): Lifetime => ({ unstorable: { code: 'cache-control', detail } });

/** RFC 9111, section 1.2.2: caches count up to here at least. */
const MAX_SECONDS = 2 ** 31;

const DIGITS = /^\d+$/;

/** Of several, the least; `undefined` where the field tells no time. */
const secondsIn = (directives: readonly Directive[]): number | undefined => {
  for (const wanted of ['s-maxage', 'max-age']) {
    const given = directives.filter(([name]) => name === wanted).map(([, argument = '']) => argument);
    if (given.length > 0)
      return Math.min(MAX_SECONDS, ...given.map((argument) => (DIGITS.test(argument) ? Number(argument) : 0)));
  }
  return undefined;
};

/** A date that is none, `0` above all, is in the past (RFC 9111, section 5.3). */
const untilExpires = (expires: string | undefined, from: number): number | undefined =>
  expires === undefined ? undefined : Math.max(0, (httpDate(expires) ?? 0) - from);

/** Milliseconds; 0 where there is none, or none that can be understood (RFC 9111, section 5.1). */
export const ageIn = (age: string | undefined): number => {
  const first = (age ?? '').split(',')[0]?.trim() ?? '';
  return DIGITS.test(first) ? Math.min(MAX_SECONDS, Number(first)) * 1000 : 0;
};
