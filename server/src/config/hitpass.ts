import type { Hitpass, HitpassFunction } from './user-config';

/** What the functions that people write look at of a request. */
const requestWith = (headers: Readonly<Record<string, string>>): unknown => {
  const get = (name: string): string => headers[name.toLowerCase()] ?? '';
  const request = { method: 'GET', url: '/', path: '/', headers, header: headers, query: {}, get };
  return { ...request, request, req: request, state: {}, cookies: { get: () => undefined } };
};

const asked = new WeakMap<HitpassFunction, boolean>();

/**
 * Whether requests with credentials reach the cache. A function is asked, with made-up requests: one that bypasses with
 * either header and not without does what `hitpass: true` does (the default of @strapi-community/plugin-rest-cache,
 * which many have written out). One that fails, or answers later, is not known to do so.
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
    for (const outcome of outcomes) if (outcome instanceof Promise) outcome.catch(() => undefined);
    const [withAuthorization, withCookie, without] = outcomes;
    return isYes(withAuthorization) && isYes(withCookie) && !without;
  } catch {
    return false;
  }
};

const isYes = (outcome: unknown): boolean => Boolean(outcome) && !(outcome instanceof Promise);
