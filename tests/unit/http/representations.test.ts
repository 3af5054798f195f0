import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Reason } from '../../../server/src/cache/response-cache';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { cacheStatus, xCache, type CacheOutcome } from '../../../server/src/http/cache-status';
import { canonicalPath } from '../../../server/src/http/request-key';
import { entityTag, isNotModified } from '../../../server/src/http/stored-response';
import { exchangeOf } from '../../../server/src/http/exchange';
import { HandlerWatch } from '../../../server/src/http/handler-watch';
import type { RouteHeaders } from '../../../server/src/http/response-headers';
import { unstorableReason } from '../../../server/src/http/storability';
import { variedBy } from '../../../server/src/http/variants';
import { Recording } from '../../../server/src/observe/recording';
import { parseCacheStatus } from '../../application/cache-status-field';
import { koaContext } from './koa-context';
import { numberOfRuns } from '../../number-of-runs';

/** Why the response of a handler cannot be stored. */
const refusal = (
  produced: RouteHeaders,
  keyed: readonly string[],
  statuses: ResolvedRoute['statuses'],
  ctx: Context,
): Reason | undefined => {
  const varied = variedBy(produced, keyed);
  return 'unstorable' in varied ? varied.unstorable : unstorableReason(ctx, produced, statuses);
};

const reason = (
  handler: (ctx: Context) => void,
  keyed: readonly string[] = [],
  prepare: (ctx: Context) => void = () => undefined,
  statuses: ResolvedRoute['statuses'] = [],
) => {
  const ctx = koaContext();
  ctx.set('Vary', 'Origin');
  prepare(ctx);
  const watch = new HandlerWatch(ctx);
  ctx.body = { a: 1 };
  handler(ctx);
  return refusal(watch.end().headers, keyed, statuses, ctx)?.detail;
};

describe('what may be stored', () => {
  it.each<[string, (ctx: Context) => void]>([
    ['an object', () => undefined],
    ['a string', (ctx) => void (ctx.body = 'text')],
    ['an empty string', (ctx) => void (ctx.body = '')],
    ['a Buffer', (ctx) => void (ctx.body = Buffer.from('x'))],
    ['headers of its own', (ctx) => ctx.set('X-Own', '1')],
    ['Cache-Control: public, max-age', (ctx) => ctx.set('Cache-Control', 'public, max-age=60')],
    ['Vary on what shapes bodies', (ctx) => ctx.vary('strapi-response-format')],
  ])('is stored: %s', (_what, handler) => {
    expect(reason(handler)).toBeUndefined();
  });

  it.each<[string, (ctx: Context) => void]>([
    ['ctx.respond = false', (ctx) => void (ctx.respond = false)],
    ['Set-Cookie', (ctx) => ctx.set('Set-Cookie', 'a=b')],
    ['several Set-Cookie', (ctx) => ctx.set('Set-Cookie', ['a=b', 'c=d'])],
    ['status 201', (ctx) => void (ctx.status = 201)],
    ['status 206', (ctx) => void (ctx.status = 206)],
    ['status 301', (ctx) => ctx.redirect('/')],
    ['status 404', (ctx) => void (ctx.status = 404)],
    ['no body', (ctx) => void (ctx.body = null)],
    ['a Node stream', (ctx) => void (ctx.body = Readable.from(['a']))],
    ['something that pipes', (ctx) => void (ctx.body = { pipe: () => undefined })],
    ['Cache-Control: no-store', (ctx) => ctx.set('Cache-Control', 'max-age=1, NO-STORE')],
    ['Cache-Control: private', (ctx) => ctx.set('Cache-Control', 'private')],
    ['Cache-Control: private="field"', (ctx) => ctx.set('Cache-Control', 'private="x-a"')],
    ['Vary: *', (ctx) => ctx.set('Vary', '*')],
    ['Trailer', (ctx) => ctx.set('Trailer', 'X-Sum')],
    ['Clear-Site-Data', (ctx) => ctx.set('Clear-Site-Data', '"*"')],
    ['a status message of its own', (ctx) => void (ctx.message = 'Fine')],
    ['a wrong Content-Length', (ctx) => ((ctx.body = 'text'), void (ctx.length = 3))],
    ['Vary: *, among others', (ctx) => ctx.append('Vary', 'X-Tenant, *')],
    ['Vary on a credential', (ctx) => ctx.vary('Cookie')],
    ['Content-Encoding', (ctx) => ctx.set('Content-Encoding', 'gzip')],
    ['Content-Range', (ctx) => ctx.set('Content-Range', 'bytes 0-1/2')],
  ])('is never stored: %s', (_what, handler) => {
    expect(reason(handler)).toEqual(expect.any(String));
  });

  it.each<[string, (ctx: Context) => void, boolean]>([
    ['a status that is named', (ctx) => void (ctx.status = 404), true],
    ['one that is not', (ctx) => void (ctx.status = 410), false],
    ['a redirect', (ctx) => ctx.redirect('/elsewhere'), true],
    ['no content', (ctx) => void (ctx.body = null), true],
    [
      'no body at all, which Koa would make of the status',
      (ctx) => void ((ctx.body = null), (ctx.status = 404)),
      false,
    ],
    ['a cookie with it', (ctx) => void ((ctx.status = 404), ctx.set('Set-Cookie', 'a=b')), false],
  ])('of other statuses, %s', (_what, handler, isKept) => {
    const statuses = ([404, 302, 204] as const).map((status) => ({ status }));
    expect(reason(handler, [], () => undefined, statuses) === undefined).toBe(isKept);
  });

  it.each([
    ['no-store, must-understand', true],
    ['private, no-store, must-understand', false],
    ['no-store', false],
  ])('Cache-Control: %s of a handler lets an answer be stored: %s', (value, isKept) => {
    expect(reason((ctx) => ctx.set('Cache-Control', value)) === undefined).toBe(isKept);
  });

  it.each<[string, (ctx: Context) => void, readonly string[]]>([
    ['what it adds, and what was there', (ctx) => ctx.vary('Accept-Language'), ['origin', 'accept-language']],
    ['what was there', (ctx) => ctx.vary('origin'), ['origin']],
    ['what it sets', (ctx) => ctx.set('Vary', 'X-A, Origin'), ['x-a', 'origin']],
    ['nothing that is keyed', (ctx) => ctx.set('Vary', 'X-Keyed, strapi-response-format'), []],
    ['nothing of others', () => undefined, []],
  ])('varies by %s', (_what, handler, fields) => {
    const ctx = koaContext();
    ctx.set('Vary', 'Origin');
    const watch = new HandlerWatch(ctx);
    handler(ctx);
    expect(variedBy(watch.end().headers, ['x-keyed'])).toEqual(fields);
  });

  it('a credential that is keyed may be varied by', () => {
    expect(reason((ctx) => ctx.vary('Authorization'), ['authorization'])).toBeUndefined();
  });

  it('a cookie that a middleware in front has set forbids it too', () => {
    expect(
      reason(
        () => undefined,
        [],
        (ctx) => ctx.set('Set-Cookie', 'a=b'),
      ),
    ).toBe('Set-Cookie');
  });
});

describe('the headers of the route', () => {
  const lines = (name: string, ...values: string[]) => values.map((value) => [name, value] as const);
  const produced = (route: (ctx: Context) => void) => {
    const ctx = koaContext();
    ctx.set({ 'X-Powered-By': 'Strapi', 'X-Changed': 'before', Vary: 'Origin' });
    const watch = new HandlerWatch(ctx);
    route(ctx);
    return watch.end().headers;
  };

  it('are those it sets, be it to what they were, but for what is told anew or is of the connection', () => {
    const set = { 'X-Powered-By': 'Strapi', 'X-Changed': 'after', 'X-New': '1', Date: 'now', ETag: '"own"' };
    const told = { 'Content-Length': '3', 'Proxy-Authenticate': 'Basic' };
    const ofConnection = {
      Connection: 'close, X-Hop',
      'X-Hop': '1',
      'Keep-Alive': 'timeout=5',
      TE: 'trailers',
      Upgrade: 'h2c',
    };
    expect(produced((ctx) => ctx.set({ ...set, ...told, ...ofConnection }))).toEqual({
      headers: Object.entries(set),
      removed: [],
    });
  });

  it('keep their lines, and tell what was taken away', () => {
    expect(
      produced((ctx) => {
        ctx.append('Link', ['</a>', '</b>']);
        ctx.append('link', '</c, d>');
        ctx.remove('x-powered-by');
        ctx.set('X-Changed', []);
      }),
    ).toEqual({
      headers: [
        ['link', '</a>'],
        ['link', '</b>'],
        ['link', '</c, d>'],
      ],
      appended: ['link'],
      removed: ['x-powered-by', 'x-changed'],
    });
  });

  it.each<[string, (ctx: Context) => void, object]>([
    ['by Koa', (ctx) => ctx.append('X-Changed', 'more'), { headers: [['X-Changed', 'more']], appended: ['x-changed'] }],
    [
      'by Node.js',
      (ctx) => (ctx.append('X-Changed', 'a'), void ctx.res.appendHeader('x-changed', 'b')),
      { headers: lines('x-changed', 'a', 'b'), appended: ['x-changed'] },
    ],
    [
      'where nothing was',
      (ctx) => ctx.append('X-New', ['a', 'b']),
      { headers: lines('X-New', 'a', 'b'), appended: ['x-new'] },
    ],
    [
      'to what it has set itself',
      (ctx) => (ctx.set('X-Changed', 'a'), ctx.append('X-Changed', 'b')),
      { headers: lines('X-Changed', 'a', 'b') },
    ],
    [
      'and then set',
      (ctx) => (ctx.append('X-Changed', 'a'), ctx.set('X-Changed', 'b')),
      { headers: lines('X-Changed', 'b') },
    ],
  ])('tell what was appended %s apart from what a middleware in front has set', (_what, route, expected) => {
    expect(produced(route)).toEqual({ removed: [], ...expected });
  });

  it.each<[string, (ctx: Context) => void, Array<readonly [string, string]>, string[]]>([
    ['added', (ctx) => ctx.vary('X-Tenant'), [['Vary', 'Origin, X-Tenant']], []],
    ['added again', (ctx) => (ctx.vary('ORIGIN'), ctx.vary(['X-A', 'X-A'])), [['Vary', 'Origin, X-A']], []],
    ['appended', (ctx) => ctx.append('vary', 'X-Tenant'), lines('vary', 'Origin', 'X-Tenant'), []],
    ['appended past Koa', (ctx) => void ctx.res.appendHeader('Vary', 'X-A'), lines('Vary', 'Origin', 'X-A'), []],
    ['replaced', (ctx) => ctx.set('Vary', 'X-A,  x-b'), [['Vary', 'X-A,  x-b']], ['vary']],
    ['added, then replaced', (ctx) => (ctx.vary('X-A'), ctx.set('Vary', 'X-B')), [['Vary', 'X-B']], ['vary']],
    ['taken away', (ctx) => ctx.remove('Vary'), [], ['vary']],
    ['taken away, then added', (ctx) => (ctx.remove('Vary'), ctx.vary('X-A')), [['Vary', 'X-A']], ['vary']],
  ])('Vary %s', (_what, route, headers, removed) => {
    expect(produced(route)).toEqual({ headers, removed });
  });

  it('are no longer watched afterwards', () => {
    const ctx = koaContext();
    const watch = new HandlerWatch(ctx);
    const { headers } = watch.end();
    ctx.set('X-Later', '1');
    expect(headers).toEqual({ headers: [], removed: [] });
  });
});

describe('of a client that has left, an answer', () => {
  const leave = ({ req, res }: Context): void => void (res.destroy(), req.socket.destroy());
  /** A response that waits behind another on the connection is not told. */
  const leaveBehind = ({ req }: Context): void => void req.socket.destroy();
  const listen = ({ req }: Context): void => void req.on('aborted', () => undefined);

  it.each<[string, isByStrapi: boolean, Array<(ctx: Context) => void>, code: string | undefined]>([
    ['is not stored: its handler may have looked', false, [leave], 'client-left'],
    ['is not stored, though another came before on the connection', false, [leaveBehind], 'client-left'],
    ['of Strapi’s own handlers is stored, which never look', true, [leave], undefined],
    ['of theirs is not stored if other code listens', true, [listen, leaveBehind], 'client-left'],
    ['is stored if the client stays', false, [listen], undefined],
  ])('%s', (_what, isByStrapi, steps, code) => {
    const ctx = koaContext();
    const recording = (exchangeOf(ctx).recording = new Recording());
    recording.isByStrapi = isByStrapi;
    const watch = new HandlerWatch(ctx);
    for (const step of steps) step(ctx);
    expect(watch.end().unstorable?.code).toBe(code);
  });
});

describe('entity tags', () => {
  it('are strong, differ with the bytes and are equal for equal ones', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (one, other) => {
        const [a, b] = [Buffer.from(one), Buffer.from(other)];
        expect(entityTag(a)).toMatch(/^"[\x21\x23-\x7e]+"$/);
        expect(entityTag(a) === entityTag(b)).toBe(a.equals(b));
      }),
    );
  });

  it.each([
    [undefined, false],
    ['*', true],
    [' * ', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a"', true],
    ['"x,y" , "a"', true],
    ['"b"', false],
    ['"A"', false],
    ['a', false],
    ['"a', false],
    ['"b, "a""', false],
    ['"*"', false],
    ['', false],
  ])('If-None-Match: %s matches "a": %s (RFC 9110, 13.1.2)', (condition, expected) => {
    for (const etag of ['"a"', 'W/"a"'])
      expect(isNotModified({ 'if-none-match': condition }, { etag, lastModified: undefined })).toBe(expected);
  });
});

describe('X-Cache and Cache-Status', () => {
  const outcomes: ReadonlyArray<readonly [CacheOutcome, string, string]> = [
    [{ kind: 'hit', collapsed: false, timeToLive: milliseconds(12_999) }, 'HIT', 'rest-cache; hit; ttl=12'],
    [{ kind: 'hit', collapsed: true, timeToLive: milliseconds(500) }, 'HIT', 'rest-cache; fwd=miss; collapsed; ttl=0'],
    [{ kind: 'miss', stored: true, cost: milliseconds(5) }, 'MISS', 'rest-cache; fwd=miss; stored'],
    [
      { kind: 'miss', stored: false, cost: milliseconds(5), reason: { code: 'status', detail: 'status 404' } },
      'MISS',
      'rest-cache; fwd=miss; detail="status 404"',
    ],
    [
      { kind: 'hitpass', cost: milliseconds(5), reason: { code: 'any', detail: 'cookie' } },
      'HITPASS',
      'rest-cache; fwd=bypass; detail="cookie"',
    ],
    [
      { kind: 'hitpass', cost: milliseconds(5), reason: { code: 'any', detail: 'a "b" \\ ü' } },
      'HITPASS',
      'rest-cache; fwd=bypass; detail="a \\"b\\" \\\\ "',
    ],
  ];

  it.each(outcomes)('tell of %j', (outcome, name, field) => {
    expect([xCache(outcome), cacheStatus(outcome)]).toEqual([name, field]);
    expect(parseCacheStatus(cacheStatus(outcome)).cache).toBe('rest-cache');
  });

  it('any detail makes a field that RFC 9211 allows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (detail) => {
        const { parameters } = parseCacheStatus(
          cacheStatus({ kind: 'hitpass', cost: milliseconds(5), reason: { code: 'any', detail } }),
        );
        expect(parameters.detail).toBe(detail.replace(/[^\x20-\x7e]/g, ''));
      }),
    );
  });
});

describe('the canonical path', () => {
  /** The patterns that path-to-regexp makes of `/api/tags`, `/api/tags/:id`, `/api/slug/:slug+` and `/api/:a-:b`. */
  const LIST = /^\/api\/tags[\/#\?]?$/i;
  const ONE = /^\/api\/tags(?:\/([^\/#\?]+?))[\/#\?]?$/i;
  const MANY = /^\/api\/slug(?:\/((?:[^\/#\?]+?)(?:\/(?:[^\/#\?]+?))*))[\/#\?]?$/i;

  /** Of `/api/zoo/:name/:rest(.*)`, of `/api/tags/` in a strict router, and of `/api/Tags` in a sensitive one. */
  const REST = /^\/api\/zoo(?:\/([^\/#\?]+?))(?:\/(.*))[\/#\?]?$/i;
  const STRICT = /^\/api\/tags\/$/i;
  const SENSITIVE = /^\/api\/Tags[\/#\?]?$/;
  /** A route that is a regular expression may have groups in groups. */
  const NESTED = /^\/api\/(v(\d+))\/tags[\/#\?]?$/i;

  it.each([
    [REST, '/api/ZOO/a/docs', '/api/zoo/a/docs'],
    [REST, '/api/zoo/a/docs/', '/api/zoo/a/docs/'],
    [REST, '/api/zoo/a/', '/api/zoo/a/'],
    [STRICT, '/api/tags/', '/api/tags/'],
    [SENSITIVE, '/api/Tags/', '/api/Tags'],
    [NESTED, '/API/V1/Tags/', '/api/V1/tags'],
    [LIST, '/api/tags', '/api/tags'],
    [LIST, '/API/Tags', '/api/tags'],
    [LIST, '/api/tags/', '/api/tags'],
    [ONE, '/API/tags/AbC', '/api/tags/AbC'],
    [ONE, '/api/tags/%41bC/', '/api/tags/AbC'],
    [ONE, '/api/tags/a%2Fb', '/api/tags/a%2Fb'],
    [ONE, '/api/tags/a%2fb', '/api/tags/a%2Fb'],
    [ONE, '/api/tags/ü', '/api/tags/%C3%BC'],
    [ONE, '/api/tags/%C3%BC', '/api/tags/%C3%BC'],
    [ONE, '/api/tags/%E0%A4%A', '/api/tags/%25E0%25A4%25A'],
    [MANY, '/api/SLUG/A/b%20c', '/api/slug/A/b%20c'],
    [MANY, '/api/slug/a%2Fb/c', '/api/slug/a%2Fb/c'],
  ])('%s: %s is %s', (pattern, path, expected) => {
    expect(canonicalPath(path, pattern)).toBe(expected);
  });

  it('two values of a parameter share a path only if the router decodes them alike', () => {
    const decoded = (value: string): string => {
      try {
        return decodeURIComponent(value);
      } catch {
        return value;
      }
    };
    const value = fc
      .array(fc.constantFrom(...'a A %41 %61 %2F %2f %25 % %C3%BC ü %C3 . + %20 & ='.split(' ')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(value, value, (one, other) => {
        const same = canonicalPath(`/api/tags/${one}`, ONE) === canonicalPath(`/api/tags/${other}`, ONE);
        expect(same).toBe(decoded(one) === decoded(other));
      }),
      { numRuns: numberOfRuns(5000) },
    );
  });

  // The router decodes the parameter as a whole, or not at all.
  it.each([
    [MANY, '/api/slug/%61/%zz', '/api/slug/a/%25zz'],
    [MANY, '/api/slug/%61/%zz', '/api/slug/a/%zz'],
    [REST, '/api/zoo/a/%61/%zz', '/api/zoo/a/a/%25zz'],
  ])('%s: %s is not %s, whose parameter has another value', (pattern, one, other) => {
    expect(canonicalPath(one, pattern)).not.toBe(canonicalPath(other, pattern));
  });
});
