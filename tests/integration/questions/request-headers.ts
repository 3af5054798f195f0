import { expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi, type ProbeContext, type ProbeRoute } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { NEVER_STORED, outcomes, STORED, thrice } from '../outcomes';
import type { Questions } from './questions';

type Read = (ctx: ProbeContext) => unknown;

/** Ways to read a header, each with the name under which it is reported. More: tests/unit/http/request-reads.test.ts. */
const WAYS: ReadonlyArray<readonly [way: string, read: Read, named: string | RegExp]> = [
  ['ctx.get', (ctx) => ctx.get('X-Tenant'), 'x-tenant'],
  ['ctx.headers', (ctx) => ctx.headers['x-tenant'], 'x-tenant'],
  // A header that was sent is a property of the object, so the question for it is not heard by name.
  ['in', (ctx) => 'x-tenant' in ctx.headers, /x-tenant|all headers/],
  ['a descriptor', (ctx) => Object.getOwnPropertyDescriptor(ctx.headers, 'x-tenant') !== undefined, 'all headers (*)'],
  ['the request context', () => (strapi.requestContext.get() as unknown as ProbeContext).get('x-tenant'), 'x-tenant'],
  ['after waiting', async (ctx) => (await new Promise(setImmediate), ctx.get('x-tenant')), 'x-tenant'],
  ['ctx.request.toJSON', (ctx) => JSON.stringify(ctx.request.toJSON()), 'all headers (*)'],
  ['ctx.accepts', (ctx) => ctx.accepts('json', 'html'), 'accept'],
  ['ctx.acceptsLanguages', (ctx) => ctx.acceptsLanguages('en', 'fr'), 'accept-language'],
  ['ctx.acceptsEncodings', (ctx) => ctx.acceptsEncodings('gzip'), 'accept-encoding'],
  ['ctx.acceptsCharsets', (ctx) => ctx.acceptsCharsets('utf-8'), 'accept-charset'],
  ['referer', (ctx) => ctx.get('Referrer'), 'referer'],
  ['ctx.request.type', (ctx) => ctx.request.type, 'content-type'],
  ['ctx.request.charset', (ctx) => ctx.request.charset, 'content-type'],
  ['ctx.host', (ctx) => ctx.host, 'host'],
  ['ctx.hostname', (ctx) => ctx.request.hostname, 'host'],
  ['ctx.origin', (ctx) => ctx.origin, 'host'],
  ['ctx.href', (ctx) => ctx.href, 'host'],
  ['ctx.URL', (ctx) => ctx.URL.host, 'host'],
  ['ctx.subdomains', (ctx) => ctx.subdomains, 'host'],
  ['ctx.ip', (ctx) => ctx.ip, "the caller's address (remote-address)"],
];

/** Reads that do not prevent storing. */
const HARMLESS: ReadonlyArray<readonly [what: string, read: Read]> = [
  ['nothing', () => null],
  ['a header of the key', (ctx) => ctx.get('x-keyed')],
  ['a header that is said not to matter', (ctx) => ctx.get('x-ignored')],
  ['what Strapi’s controllers read', (ctx) => ctx.headers['strapi-response-format']],
  ['ctx.fresh before there is an answer', (ctx) => ctx.fresh],
  ['ctx.is, without a body', (ctx) => ctx.is('json')],
  ['ctx.request.length', (ctx) => ctx.request.length ?? null],
  ['authorization, which those who show it are not answered by', (ctx) => ctx.get('authorization')],
  ['a cookie, likewise', (ctx) => ctx.cookies.get('lang') ?? null],
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- it is what a handler may do
  ['the headers’ own methods', (ctx) => ctx.headers.toString()],
  ['path, method and protocol', (ctx) => [ctx.path, ctx.method, ctx.protocol, ctx.secure]],
];

const handling =
  (read: Read) =>
  async (ctx: ProbeContext): Promise<object> => ({ at: Math.random(), read: (await read(ctx)) ?? null });

const routes: ProbeRoute[] = [
  ...WAYS.map(([, read], index) => ({ path: `/probe/way-${index}`, handler: handling(read) })),
  ...HARMLESS.map(([, read], index) => ({ path: `/probe/harmless-${index}`, handler: handling(read) })),
  { path: '/probe/all', handler: handling((ctx) => JSON.stringify(ctx.headers)) },
  { path: '/probe/address', handler: handling((ctx) => ctx.ip) },
  { path: '/probe/bearer', handler: handling((ctx) => ctx.get('authorization')) },
  { path: '/probe/cookie', handler: handling((ctx) => ctx.cookies.get('lang')) },
];
const probe = probeApi(routes);

export const requestHeaders: Questions = {
  about: 'a handler that reads the request',
  files: probe.files,
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: [
        ...probe.paths
          .filter((path) => /way-|harmless-/.test(path))
          .map((path) => ({ path, keys: { useHeaders: ['X-Keyed'], ignoreHeaders: ['X-Ignored'] } })),
        { path: '/api/probe/all', keys: { ignoreHeaders: ['*'] } },
        { path: '/api/probe/address', keys: { ignoreHeaders: ['Remote-Address'] } },
        { path: '/api/probe/bearer', hitpass: false, keys: {} },
        { path: '/api/probe/cookie', hitpass: false, keys: {} },
      ],
    },
  ],
  ask: (application) => {
    it.each(WAYS.map(([way, , named], index) => [way, named, `/api/probe/way-${index}`] as const))(
      'by %s is not stored, and %s is named',
      async (_way, named, path) => {
        const answers = [
          ...(await thrice(application, path)),
          ...(await thrice(application, path, { 'x-tenant': 'b', 'accept-language': 'fr' })),
        ];
        for (const { status, headers } of answers) {
          expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
          expect(parseCacheStatus(String(headers['cache-status'])).parameters).toEqual({
            fwd: 'miss',
            detail: expect.stringMatching(
              /^reads .* of the request, not in the key: see keys.useHeaders and keys.ignoreHeaders$/,
            ) as unknown,
          });
          expect(String(headers['cache-status'])).toMatch(named);
        }
        expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(6);
      },
    );

    it('gets the very values', async () => {
      const headers = { 'x-tenant': 'b', 'accept-language': 'fr', accept: 'text/html' };
      const read = async (way: string): Promise<unknown> => {
        const index = WAYS.findIndex(([name]) => name === way);
        const { body } = await rawRequest(application, `/api/probe/way-${index}`, { headers });
        return (JSON.parse(body.toString()) as { read: unknown }).read;
      };
      expect(await read('ctx.get')).toBe('b');
      expect(await read('in')).toBe(true);
      expect(await read('a descriptor')).toBe(true);
      expect(await read('ctx.accepts')).toBe('html');
      expect(await read('ctx.acceptsLanguages')).toBe('fr');
      expect(await read('ctx.ip')).toMatch(/127\.0\.0\.1/);
    });

    it.each(HARMLESS.map(([what], index) => [what, `/api/probe/harmless-${index}`] as const))(
      'that reads %s is stored',
      async (_what, path) => {
        expect(await outcomes(application, path)).toEqual(STORED);
      },
    );

    it('is stored where the headers, or the address, are said not to matter', async () => {
      expect(await outcomes(application, '/api/probe/all')).toEqual(STORED);
      expect(await outcomes(application, '/api/probe/address')).toEqual(STORED);
    });

    it('is not stored where callers share entries and their credential was read', async () => {
      expect(await outcomes(application, '/api/probe/bearer')).toEqual(NEVER_STORED);
      expect(await outcomes(application, '/api/probe/bearer', { authorization: 'Basic eDp5' })).toEqual(NEVER_STORED);
      expect(await outcomes(application, '/api/probe/cookie', { cookie: 'lang=fr' })).toEqual(NEVER_STORED);
    });
  },
};
