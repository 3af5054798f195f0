import type { ResolvedKeys } from './resolved-config';
import type { Hitpass, HitpassFunction } from './user-config';

/** The request headers that tell callers apart. With `hitpass: true`, a request with one of them bypasses the cache. */
export const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'cookie'];

/** Whether each caller has answers of their own, which no other cache may keep for others. */
export const isOfOneCaller = ({ keys }: { readonly keys: ResolvedKeys }): boolean =>
  keys.useAuth !== false || CREDENTIAL_HEADERS.some((name) => keys.useHeaders.includes(name));

/** A made-up context that has what `hitpass` functions usually look at. */
const requestWith = (headers: Readonly<Record<string, string>>): unknown => {
  const get = (name: string): string => headers[name.toLowerCase()] ?? '';
  const request = { method: 'GET', url: '/', path: '/', headers, header: headers, query: {}, get };
  return { ...request, request, req: request, state: {}, cookies: { get: () => undefined } };
};

const asked = new WeakMap<HitpassFunction, boolean>();

/**
 * Whether requests with credentials reach the cache. A function is called with made-up requests. If it bypasses the
 * cache for a request with an `authorization` header and for one with a `cookie` header, but not for one without both,
 * it does the same as `hitpass: true`: many users have written out this default of @strapi-community/plugin-rest-cache.
 * A function that throws or returns a promise counts as one that lets credentials reach the cache.
 */
export const letsCredentialsIn = (hitpass: Hitpass): boolean => {
  if (typeof hitpass !== 'function') return !hitpass;
  const known = asked.get(hitpass) ?? !isDefault(hitpass);
  asked.set(hitpass, known);
  return known;
};

const isDefault = (hitpass: HitpassFunction): boolean => {
  const outcomeOf = (headers: Readonly<Record<string, string>>): unknown => hitpass(requestWith(headers) as never);
  try {
    const outcomes = [outcomeOf({ authorization: 'Bearer x' }), outcomeOf({ cookie: 'x=y' }), outcomeOf({})];
    for (const outcome of outcomes) Promise.resolve(outcome).catch(() => undefined);
    const [withAuthorization, withCookie, without] = outcomes;
    return isYes(withAuthorization) && isYes(withCookie) && !without;
  } catch {
    return false;
  }
};

const isYes = (outcome: unknown): boolean =>
  Boolean(outcome) && typeof (outcome as { readonly then?: unknown }).then !== 'function';
