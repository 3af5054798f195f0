import type { Context } from 'koa';

/** Header values as node holds them. */
type HeaderValues = Readonly<Record<string, unknown>>;

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

/** What the middlewares in front had set before the route ran: theirs to set again on a hit. */
export const headersBefore = ({ res }: Context): HeaderValues => res.getHeaders();

/** A header as it is set so far, or `''`. Koa's own way to ask copies all of them. */
export const responseHeader = ({ res }: Context, name: string): string => asText(res.getHeader(name) ?? '');

/** Names of the headers set so far as they were spelled (Node.js 15.4; missing from its type definitions). */
export const spelledHeaderNames = ({ res }: Context): string[] =>
  (res as typeof res & { getRawHeaderNames(): string[] }).getRawHeaderNames();

/** Recomputed for each response. */
const PER_RESPONSE: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'date',
  'age',
  'x-cache',
  'cache-status',
  'x-response-time',
]);

/**
 * The headers the route itself produced: those that are new or changed since `before`. Of `Vary` only the fields the
 * route added, since the rest is added again by whoever added it.
 */
export const routeHeaders = (ctx: Context, before: HeaderValues): Array<readonly [string, string]> => {
  const produced: Array<readonly [string, string]> = [];
  const after: HeaderValues = ctx.res.getHeaders();
  for (const spelled of spelledHeaderNames(ctx)) {
    const name = spelled.toLowerCase();
    const value = after[name];
    // Most are what they were, and that is told at once.
    if (value === before[name] || value === undefined || PER_RESPONSE.has(name)) continue;
    if (name === 'vary') {
      const added = varyFields(asText(value)).filter((field) => !varyFields(asText(before.vary ?? '')).includes(field));
      if (added.length > 0) produced.push([spelled, added.join(', ')]);
    } else if (asText(before[name] ?? '') !== asText(value)) {
      produced.push([spelled, asText(value)]);
    }
  }
  return produced;
};

/** Field names of a `Vary` header, lower case (RFC 9110, section 12.5.5). */
export const varyFields = (value: string): string[] =>
  value
    .split(',')
    .map((field) => field.trim().toLowerCase())
    .filter((field) => field !== '');
