import { expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import type { ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { thrice } from '../outcomes';
import { codeInFront } from './code-in-front';
import type { Questions } from './questions';

/** A policy or middleware in front of the cache reads something, and the handler makes its answer from what it left. */

const ADDRESS = "the caller's address (remote-address)";
const ALL = 'all headers (*)';

/**
 * Ways to read a request, each with the name under which the read is reported. As source code, because the application
 * is plain JavaScript. More ways: tests/unit/http/request-reads.test.ts.
 */
const WAYS: ReadonlyArray<readonly [way: string, named: string]> = [
  [`ctx.get('X-Tenant')`, 'x-tenant'],
  [`ctx.req.headersDistinct['x-tenant']`, ALL],
  [`ctx.req.rawHeaders.indexOf('x-tenant')`, ALL],
  [`({ ...ctx.headers })['x-tenant']`, ALL],
  [`structuredClone(ctx.headers)['x-tenant']`, ALL],
  [`require('node:util').inspect(ctx.headers)`, ALL],
  [`ctx.ip`, ADDRESS],
  [`ctx.req.connection.remoteAddress`, ADDRESS],
  [`ctx.acceptsLanguages('en', 'fr')`, 'accept-language'],
  [`(ctx.state.headers = ctx.headers, null)`, ALL],
];

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACED = {
  'x-request-id': '9f8b4c1e-6b7a-4a44-9b0e-2d6f1f0c7a11',
  traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
};

/** Ways to show a tracing header, in the body and (with `reply`) in a header, and the value that is sent. */
const SHOWING: ReadonlyArray<readonly [way: string, name: string, value: string]> = [
  [`ctx.get('x-request-id')`, 'x-request-id', TRACED['x-request-id']],
  [`ctx.get('x-request-id').toUpperCase()`, 'x-request-id', TRACED['x-request-id']],
  [`ctx.get('traceparent').split('-')[1]`, 'traceparent', TRACED.traceparent],
  [`({ nested: [ctx.get('x-correlation-id')] })`, 'x-correlation-id', '<b>evil</b>'],
  [`encodeURIComponent(ctx.get('x-correlation-id'))`, 'x-correlation-id', '<b>evil</b>'],
  [`ctx.get('x-request-id')`, 'x-request-id', '1'],
];

/** Reads that do not prevent storing. */
const HARMLESS = [
  `null`,
  `ctx.get('x-keyed')`,
  `ctx.get('x-ignored')`,
  `(ctx.get('x-request-id') + ctx.get('traceparent')).length`,
  `ctx.cookies.get('lang') ?? null`,
  // Behind a proxy that Koa trusts.
  `((ctx.app.proxy = true), [ctx.cookies.get('lang') ?? null, (ctx.app.proxy = false)][0])`,
  `ctx.path + ctx.method`,
  `ctx.headers.toString()`,
];
const ALL_WAYS = [...WAYS.map(([way]) => way), ...HARMLESS, ...SHOWING.map(([way]) => way)];
const FIRST_SHOWING = WAYS.length + HARMLESS.length;

const PLACES = ['policy', 'route', 'global', 'used', 'router', 'around'] as const;
/** The name of the reading function in the report. */
const NAMES: Readonly<Record<(typeof PLACES)[number], string | undefined>> = {
  policy: 'policy global::reading',
  route: 'middleware global::reading',
  global: 'global::reading',
  used: 'global middleware usedByHand (src/index.js)',
  router: 'global middleware onRouter (src/index.js)',
  around: undefined,
};

const handler = ({ state }: ProbeContext): object => {
  const { headers } = state as { headers?: Record<string, unknown> };
  return { at: Math.random(), read: headers === undefined ? (state.read as unknown) : headers['x-tenant'] };
};

const { probe, files, pathOf } = codeInFront('reading', ALL_WAYS, PLACES, handler);

const FILES: Readonly<Record<string, string>> = {
  ...files,
  'src/index.js': `const ways = require('./reading.js');
    const readOn = (ctx, place) => {
      const way = new RegExp('^/api/probe/reading/' + place + '/(\\\\d+)').exec(ctx.path)?.[1];
      if (way !== undefined) ctx.state.read = ways[way](ctx);
    };
    module.exports = { register({ strapi }) {
      strapi.server.use(function usedByHand(ctx, next) {
        readOn(ctx, 'used');
        return next();
      });
      strapi.server.api('content-api').use(function onRouter(ctx, next) {
        readOn(ctx, 'router');
        return next();
      });
    } };`,
};

// The application's own middlewares keep hits on the route, whatever lane is configured.
export const readsInFront: Questions = {
  about: 'what was read in front of the cache',
  files: FILES,
  middlewares: ['global::reading'],
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: probe.paths.map((path) => ({
        path,
        keys: { useHeaders: ['x-keyed'], ignoreHeaders: ['x-ignored'] },
      })),
    },
  ],
  ask: (application) => {
    const ofA = { 'x-tenant': 'a', 'accept-language': 'fr' };

    const ways = PLACES.filter((place) => place !== 'around').flatMap((place) =>
      WAYS.map(([way, named], index) => [place, way, named, pathOf(place, index)] as const),
    );
    it.each(ways)('by %s: %s is not stored, and said', async (place, way, named, path) => {
      const who = NAMES[place];
      const answers = [...(await thrice(application, path)), ...(await thrice(application, path, ofA))];
      for (const { status, headers } of answers) {
        expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
        expect(parseCacheStatus(String(headers['cache-status'])).parameters).toEqual({
          fwd: 'miss',
          detail:
            `reads ${named}${who === undefined ? '' : ` (in ${who.replaceAll('"', '"')})`} of the request, not in the key: ` +
            'see keys.useHeaders and keys.ignoreHeaders',
        });
      }
      expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(6);
      const read = (index: number): unknown => (JSON.parse(String(answers[index]?.body)) as { read?: unknown }).read;
      if (named === 'x-tenant') expect(read(3)).not.toEqual(read(0));
      if (way.endsWith(`['x-tenant']`) && !way.includes('Distinct')) expect(read(3)).toBe('a');
      if (way.includes('inspect(ctx.headers)')) expect(read(3)).toContain(`'x-tenant': 'a'`);
    });

    const harmless = PLACES.flatMap((place) =>
      HARMLESS.map((way, index) => [place, way, pathOf(place, WAYS.length + index)] as const),
    );
    it.each(harmless)('by %s: %s is stored', async (_place, _way, path) => {
      const headers = { ...TRACED, 'user-agent': 'test' };
      expect((await thrice(application, path, headers)).map((answer) => answer.headers['x-cache'])).toEqual([
        'MISS',
        'HIT',
        'HIT',
      ]);
      expect((await rawRequest(application, path, { headers: ofA })).headers['x-cache']).toBe('HIT');
    });

    const showing = PLACES.filter((place) => place !== 'around').flatMap((place) =>
      SHOWING.map(([way, ...sent], index) => [place, way, ...sent, pathOf(place, FIRST_SHOWING + index)] as const),
    );
    it.each(showing)('by %s: %s, shown, is not stored: %s: %s', async (_place, _way, name, value, path) => {
      const shown = await thrice(application, path, { [name]: value });
      for (const { headers } of shown) {
        expect(headers['x-cache']).toBe('MISS');
        expect(String(headers['cache-status'])).toContain(`may show ${name} of the request`);
      }
      expect((await thrice(application, path)).map((answer) => answer.headers['x-cache'])).toEqual([
        'MISS',
        'HIT',
        'HIT',
      ]);
    });

    it.each(WAYS.map(([way], index) => [way, pathOf('around', index)] as const))(
      'behind the route: %s is stored, and done on hits',
      async (_way, path) => {
        const answers = await thrice(application, path, ofA);
        expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT', 'HIT']);
        for (const { headers } of answers) expect(headers['x-read']).toBeDefined();
      },
    );

    it('the log names who has read it', () => {
      expect(application.warnings).toContain(
        `[rest-cache] ${pathOf('global', 0)} is not stored: it reads x-tenant (in global::reading) of the request, ` +
          'not in the key: see keys.useHeaders and keys.ignoreHeaders.',
      );
    });
  },
};
