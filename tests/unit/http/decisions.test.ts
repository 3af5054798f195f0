import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { DEFAULT_EDGE, DEFAULT_KEYS } from '../config/defaults';
import { cacheControlHeader, refusesStored, variedOn } from '../../../server/src/http/cache-control';
import { type Identity, callerExpiry } from '../../../server/src/http/caller-identity';
import { type Bypass, decide } from '../../../server/src/http/decision';
import { beginReadsOfStrategies, notingReads } from '../../../server/src/http/unkeyed-reads';
import { aRoute } from '../monitor/route';
import { koaContext } from './koa-context';

const bypassed = async (ctx: Context, resolved: ResolvedRoute, identity: Identity): Promise<Bypass | undefined> =>
  (await decide(ctx, resolved, identity, { honorRequestCacheControl: false })).bypass;

const route = (hitpass: ResolvedRoute['hitpass'], useAuth: boolean): ResolvedRoute =>
  aRoute({ path: '/api/a', hitpass, keys: { ...DEFAULT_KEYS, useAuth } });

/** A route with a function that is called if the default does not bypass. */
const also = (says: boolean, useAuth = false): ResolvedRoute => ({ ...route(true, useAuth), alsoHitpass: () => says });

const PUBLIC: Identity = { kind: 'public', name: 'up:public' };
const STRATEGY: Identity = { kind: 'strategy', name: 'strategy:partner' };
const UNKNOWN: Identity = { kind: 'unknown', name: 'unknown' };
const BYPASS = { code: expect.any(String) as string, detail: expect.any(String) as string };

describe('hitpass (state table; "Credentialed requests and caching")', () => {
  const authenticated = { auth: { strategy: { name: 'users-permissions' } } };

  it.each<[string, ResolvedRoute, Record<string, string>, Identity, unknown]>([
    ['default, nothing sent', route(true, false), {}, PUBLIC, undefined],
    ['default, authorization', route(true, false), { authorization: 'x' }, PUBLIC, BYPASS],
    ['default, an empty authorization', route(true, false), { authorization: '' }, PUBLIC, BYPASS],
    ['default, cookie', route(true, false), { cookie: 'a=b' }, PUBLIC, BYPASS],
    ['default with useAuth, cookie', route(true, true), { cookie: 'a=b' }, PUBLIC, BYPASS],
    ['default, a caller known by another header', route(true, false), { 'x-key': '1' }, STRATEGY, BYPASS],
    ['default with useAuth, a caller known by another header', route(true, true), { 'x-key': '1' }, STRATEGY, BYPASS],
    ['false with useAuth, a caller known by another header', route(false, true), {}, STRATEGY, undefined],
    ['default, a caller without an identity', route(true, true), {}, UNKNOWN, BYPASS],
    ['false with useAuth, a caller without an identity', route(false, true), {}, UNKNOWN, BYPASS],
    ['a function with useAuth, a caller without an identity', route(() => false, true), {}, UNKNOWN, BYPASS],
    ['false, a caller without an identity', route(false, false), {}, UNKNOWN, undefined],
    ['false, authorization and cookie', route(false, false), { authorization: 'x', cookie: 'a=b' }, PUBLIC, undefined],
    ['false with useAuth, authorization', route(false, true), { authorization: 'x' }, PUBLIC, undefined],
    ['a function that says true', route(() => true, false), {}, PUBLIC, BYPASS],
    ['a function that says false, cookie', route(() => false, false), { cookie: 'a=b' }, PUBLIC, undefined],
    ['a function after the default, nothing sent', also(false), {}, PUBLIC, undefined],
    ['a function after the default that says true', also(true), {}, PUBLIC, BYPASS],
    ['a function after the default that says false, cookie', also(false), { cookie: 'a=b' }, PUBLIC, BYPASS],
    ['a function after the default, a caller known by another header', also(false), {}, STRATEGY, BYPASS],
    ['an asynchronous function', route(async () => Promise.resolve(true), false), {}, PUBLIC, BYPASS],
    [
      'a function that reads the request',
      route((ctx) => ctx.get('x-preview') !== '', false),
      { 'x-preview': '1' },
      PUBLIC,
      BYPASS,
    ],
  ])('%s', async (_what, resolved, headers, identity, expected) => {
    const ctx = koaContext('/api/a', headers);
    ctx.state = authenticated;
    expect(await bypassed(ctx, resolved, identity)).toEqual(expected);
  });

  it('a credential on a route without authentication bypasses where callers are to be kept apart', async () => {
    const ctx = koaContext('/api/a', { authorization: 'x' });
    expect(await bypassed(ctx, route(false, true), PUBLIC)).toEqual(BYPASS);
    expect(await bypassed(ctx, route(false, false), PUBLIC)).toBeUndefined();
  });
});

describe('a header that code in front has read and then removed or changed', () => {
  /** A request for a route whose key holds `x-tenant`, after code in front has seen it. */
  const after = async (sent: Record<string, string>, code: (ctx: Context) => void): Promise<Context> => {
    const ctx = koaContext('/api/a', sent);
    ctx.req.rawHeaders = Object.entries(sent).flat();
    const middleware = notingReads((asked, next) => (code(asked), next()), 'a middleware');
    await middleware(ctx, () => Promise.resolve());
    return ctx;
  };
  const keyOf = async (asked: Promise<Context>, keys: object = { useHeaders: ['x-tenant'] }): Promise<unknown> => {
    const ctx = await asked;
    const resolved = aRoute({ path: '/api/a', hitpass: true, keys: { ...DEFAULT_KEYS, ...keys } });
    const { key, bypass } = await decide(ctx, resolved, PUBLIC, { honorRequestCacheControl: false });
    return key ?? bypass?.code;
  };

  it.each<[what: string, code: (ctx: Context) => void]>([
    ['removed', ({ headers }) => headers['x-tenant'] !== undefined && delete headers['x-tenant']],
    ['changed', ({ headers }) => headers['x-tenant'] !== undefined && (headers['x-tenant'] = 'all')],
  ])('counts in the key as it was sent: %s', async (_what, code) => {
    const keys = ['a', 'b', 'all', '\na'].map((tenant) => keyOf(after({ 'x-tenant': tenant }, code)));
    expect(new Set(await Promise.all([...keys, keyOf(after({}, code))])).size).toBe(5);
  });

  it.each(['authorization', 'cookie'])('bypasses if it is the %s', async (name) => {
    const removing = ({ headers }: Context): unknown => headers[name] !== undefined && delete headers[name];
    expect(await keyOf(after({ [name]: 'x' }, removing))).toBe('credentials');
    expect(await keyOf(after({}, removing))).toBe('/api/a?&&');
    // What was not read tells nobody apart.
    expect(await keyOf(after({ [name]: 'x' }, ({ headers }) => delete headers[name]))).toBe('/api/a?&&');
  });
});

it.each(['authorization', 'x-tenant'])(
  'a %s that an authentication strategy has read and removed bypasses',
  async (name) => {
    const decided = async (sent: Record<string, string>): Promise<string | undefined> => {
      const ctx = koaContext('/api/a', sent);
      ctx.req.rawHeaders = Object.entries(sent).flat();
      const end = beginReadsOfStrategies(ctx, () => undefined);
      const { headers } = ctx;
      if (headers[name] !== undefined) delete headers[name];
      end();
      return (await bypassed(ctx, route(true, false), PUBLIC))?.code;
    };
    expect(await decided({ [name]: 'acme' })).toEqual(expect.any(String));
    expect(await decided({})).toBeUndefined();
  },
);

describe('the decision on a request', () => {
  const decided = async (resolved: ResolvedRoute, headers: Record<string, string>, honorRequestCacheControl = true) => {
    const errors: unknown[] = [];
    const settings = { honorRequestCacheControl, onHitpassError: (error: unknown) => void errors.push(error) };
    const { bypass, key } = await decide(koaContext('/api/a', headers), resolved, PUBLIC, settings);
    return { code: bypass?.code, detail: bypass?.detail, key, errors };
  };
  const refusing = { 'cache-control': 'no-cache' };

  it('is a key where nothing bypasses', async () => {
    expect(await decided(route(true, false), {})).toMatchObject({ code: undefined, key: '/api/a?&&', errors: [] });
    expect(await decided(route(true, false), refusing, false)).toMatchObject({ code: undefined, key: '/api/a?&&' });
  });

  it('heeds hitpass before what the request asks for', async () => {
    expect(await decided(route(true, false), { ...refusing, cookie: 'a=b' })).toMatchObject({ code: 'credentials' });
    expect(await decided(route(true, false), refusing)).toMatchObject({
      code: 'request-cache-control',
      detail: 'request Cache-Control: no-cache',
      key: undefined,
    });
  });

  it('is to bypass where the request has a body, which is in no key', async () => {
    expect(await decided(route(true, false), { 'content-length': '2' })).toMatchObject({
      code: 'body',
      key: undefined,
    });
  });

  it('is to bypass where the hitpass function fails, which is told', async () => {
    const failing = route(() => Promise.reject(new Error('of the function')), false);
    expect(await decided(failing, {})).toMatchObject({
      code: 'function-failed',
      errors: [new Error('of the function')],
    });
  });
});

describe('Cache-Control of an entry of 90.5 s', () => {
  const base = { enabled: true, maxAge: 'config', scope: 'private', staleWhileRevalidate: null } as const;
  const of = (
    config: object,
    keyed: Partial<ResolvedRoute['keys']> = {},
    hitpass: ResolvedRoute['hitpass'] = true,
    edge: Parameters<typeof cacheControlHeader>[0]['edge'] = null,
  ) => {
    const settings = { cacheControl: { ...base, ...config }, edge };
    const maxAge = milliseconds(90_500);
    return cacheControlHeader(settings, { hitpass, keys: { ...DEFAULT_KEYS, ...keyed }, maxAge }, maxAge);
  };
  const reused = { scope: 'public', maxAge: milliseconds(5000), staleWhileRevalidate: milliseconds(5000) } as const;
  const REUSED = 'max-age=5, stale-while-revalidate=5';
  /** The default of @strapi-community/plugin-rest-cache 5. */
  const writtenOut = (ctx: Context): boolean =>
    Boolean(ctx.request.headers.authorization ?? ctx.request.headers.cookie);

  it.each([
    ['disabled', of({ enabled: false }), undefined],
    ['defaults', of({}), 'private, max-age=90'],
    ['public', of({ scope: 'public' }), 'public, max-age=90'],
    ['keyed per caller', of(reused, { useAuth: true }), `private, ${REUSED}`],
    ['keyed per caller, no bypass', of(reused, { useAuth: true }, false), `private, ${REUSED}`],
    ['keyed on a credential', of(reused, { useHeaders: ['authorization'] }, false), `private, ${REUSED}`],
    ['keyed on cookies', of(reused, { useHeaders: ['cookie', 'x-a'] }, false), `private, ${REUSED}`],
    ['a hitpass function', of(reused, {}, () => false), `public, ${REUSED}`],
    ['a hitpass function, private', of({}, {}, () => false), 'private, max-age=90'],
    ['the default written out', of({ scope: 'public' }, {}, writtenOut), 'public, max-age=90'],
    ['a hitpass function, keyed per caller', of(reused, { useAuth: true }, () => false), `private, ${REUSED}`],
    ['one entry for everybody', of({ scope: 'public' }, {}, false), 'public, max-age=90'],
    ['no max-age', of({ maxAge: 'none' }), 'private'],
    ['its own max-age', of({ maxAge: milliseconds(5999) }), 'private, max-age=5'],
    ['max-age 0', of({ maxAge: milliseconds(0) }), 'private, max-age=0'],
    [
      'stale-while-revalidate',
      of({ staleWhileRevalidate: milliseconds(60_000) }),
      'private, max-age=90, stale-while-revalidate=60',
    ],
    [
      'stale-while-revalidate without max-age',
      of({ maxAge: 'none', staleWhileRevalidate: milliseconds(0) }),
      'private, stale-while-revalidate=0',
    ],
  ])('%s', (_what, header, expected) => {
    expect(header).toBe(expected);
  });

  it.each<[string, Partial<ResolvedRoute['keys']>, ResolvedRoute['hitpass'], string]>([
    ['shared', {}, true, 'public, no-cache'],
    ['keyed per caller', { useAuth: true }, false, 'private, no-cache'],
    ['a hitpass function', {}, () => false, 'private, no-cache'],
  ])('with an edge, only the edge uses it without asking: %s', (_what, keyed, hitpass, expected) => {
    expect(of({}, keyed, hitpass, { ...DEFAULT_EDGE, header: 'xkey' })).toBe(expected);
  });

  it('comes with a Vary on all that tells answers apart, where other caches are told to keep them', () => {
    const keys = { useQueryParams: true, useHeaders: ['x-tenant'], ignoreHeaders: [], useAuth: false };
    expect(variedOn({ ...base, enabled: false }, keys)).toEqual(['x-tenant']);
    expect(variedOn(base, keys)).toEqual([
      ...['x-tenant', 'Authorization', 'Cookie'],
      ...['strapi-response-format', 'strapi-encode-source-maps'],
    ]);
  });

  it.each([
    [undefined, undefined, undefined],
    ['no-store', undefined, 'no-store'],
    ['no-cache', undefined, 'no-cache'],
    ['NO-CACHE, max-age=5', undefined, 'no-cache'],
    ['max-age=0', undefined, 'no-cache'],
    ['max-age=60', undefined, undefined],
    ['only-if-cached', undefined, undefined],
    [undefined, 'no-cache', 'no-cache'],
    [undefined, 'No-Cache', 'no-cache'],
    [undefined, 'x-other, no-cache', 'no-cache'],
    [undefined, 'x-other', undefined],
    ['max-age=60', 'no-cache', undefined],
    ['no-cache, no-store', undefined, 'no-store'],
  ])(
    'a request with Cache-Control %s and Pragma %s asks for %s (RFC 9111, 5.2.1 and 5.4)',
    (cacheControl, pragma, expected) => {
      expect(refusesStored(cacheControl, pragma)).toBe(expected);
    },
  );
});

describe('how long a verdict on a credential may be repeated', () => {
  const now = milliseconds(1_700_000_000_000);
  const user: Identity = { kind: 'user', name: 'up:7' };
  const token: Identity = { kind: 'token', name: 'token:3:custom' };
  const jwt = (payload: object): string => `Bearer x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.y`;

  it('at most a minute, and for ever where there is none', () => {
    expect(callerExpiry(koaContext(), PUBLIC, now)).toBe(Number.POSITIVE_INFINITY);
    expect(callerExpiry(koaContext('/', { authorization: 'Bearer opaque' }), user, now)).toBe(now + 60_000);
  });

  it('not at all where the credential is not in the Authorization header', () => {
    expect(callerExpiry(koaContext('/', { cookie: 'jwt=x.y.z' }), user, now)).toBe(0);
  });

  it('never longer than the JWT’s exp', () => {
    const ctx = koaContext('/', { authorization: jwt({ exp: now / 1000 + 10 }) });
    expect(callerExpiry(ctx, user, now)).toBe(now + 10_000);
    expect(callerExpiry(koaContext('/', { authorization: jwt({ exp: now / 1000 + 999 }) }), user, now)).toBe(
      now + 60_000,
    );
  });

  it.each([
    [now + 5000, now + 5000],
    [String(new Date(now + 5000).toISOString()), now + 5000],
    [null, now + 60_000],
    ['nonsense', 0],
  ])('never longer than the API token’s expiresAt (%s)', (expiresAt, expected) => {
    const ctx = koaContext('/', { authorization: 'Bearer opaque' });
    ctx.state = { auth: { strategy: { name: 'content-api-token' }, credentials: { id: 3, expiresAt } } };
    expect(callerExpiry(ctx, token, now)).toBe(expected);
  });
});
