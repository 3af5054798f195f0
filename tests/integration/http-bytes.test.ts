import { describe, expect, it } from 'vitest';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { probeApi, type ProbeContext, type ProbeRoute } from '../application/probe';
import { rawRequest, type RawResponse } from '../application/raw-request';
import { middlewares } from '../application/stack';
import type { Application } from '../application/start-application';
import { runningApplication } from './running-application';

/**
 * What handlers of real applications do to a response. Each case is requested from a route that is not cached, and in
 * every lane from one that is. Status line, header lines and body have to be the same, byte for byte.
 */

interface Case {
  readonly what: string;
  readonly handler: ProbeRoute['handler'];
  /** Whether the response may be stored. Otherwise the handler runs each time. */
  readonly stored: boolean;
}

const setting =
  (headers: Record<string, string | string[]>) =>
  (ctx: ProbeContext): object => {
    ctx.set(headers as Record<string, string>);
    return { a: 1 };
  };

const answering =
  (body: unknown) =>
  (ctx: ProbeContext): void => {
    ctx.body = body;
  };

/** Changes the response as late as `on-headers` does: when its head is written. */
const atTheHead =
  (change: (ctx: ProbeContext) => void) =>
  (ctx: ProbeContext): object => {
    const { res } = ctx;
    const { writeHead } = res;
    res.writeHead = function (this: typeof res, ...given: never[]): never {
      change(ctx);
      return (writeHead as (...args: never[]) => never).apply(this, given);
    };
    return { a: 1 };
  };

class Money {
  readonly #cents = 1999;
  toJSON(): object {
    return { amount: this.#cents / 100, currency: 'EUR' };
  }
}

const LARGE_NUMBER = '{"id": 12345678901234567890, "ratio": 1.0, "exponent": 1e2,\n  "id": 2}';

const stored: ReadonlyArray<readonly [string, ProbeRoute['handler']]> = [
  ['JSON text with numbers of its own', (ctx) => ((ctx.type = 'application/json'), answering(LARGE_NUMBER)(ctx))],
  ['JSON text sent as a string of no type', answering(LARGE_NUMBER)],
  ['JSON text in a Buffer', (ctx) => ((ctx.type = 'application/json'), answering(Buffer.from(LARGE_NUMBER))(ctx))],
  [
    'an object of a type of its own',
    (ctx) => (answering({ b: 1, 2: 0, a: [] })(ctx), void (ctx.type = 'application/vnd.api+json')),
  ],
  ['an object under a text type', (ctx) => (answering({ a: 1 })(ctx), void ctx.set('Content-Type', 'text/plain'))],
  ['no content type at all', (ctx) => (answering('a text')(ctx), ctx.remove('Content-Type'))],
  ['no content type with an object', (ctx) => (answering({ a: 1 })(ctx), ctx.res.removeHeader('content-type'))],
  ['a content type nobody knows', (ctx) => (answering('a text')(ctx), ctx.set('Content-Type', 'odd'))],
  ['toJSON', answering({ price: new Money(), at: new Date(0) })],
  ['what JSON has no word for', answering({ inf: Infinity, nan: NaN, no: undefined, zero: -0, hole: [, 1] })],
  ['lone surrogates in an object', answering({ text: '\ud800', '\udfff': 1 })],
  ['lone surrogates in a text', answering('a\ud800b')],
  ['a byte order mark', answering('\ufefftext')],
  ['a typed array', answering(new Uint8Array([1, 2, 3]))],
  ['a boxed string', answering(Object('boxed'))],
  ['an empty string', answering('')],
  ['an empty Buffer', answering(Buffer.alloc(0))],
  ['zero', answering(0)],
  ['false', answering(false)],
  ['an own __proto__', answering(JSON.parse('{"__proto__": {"a": 1}}'))],
  [
    'several lines of one header',
    setting({ Link: ['</a>; rel="next"', '</b>; rel="prev"'], 'WWW-Authenticate': ['Basic', 'Bearer'] }),
  ],
  ['appended lines', (ctx) => (ctx.append('Link', '</a>'), ctx.append('Link', ['</b>', '</c, d>']), { a: 1 })],
  ['lines appended to one of the stack', (ctx) => (ctx.append('X-Powered-By', 'Coffee'), { a: 1 })],
  [
    'lines appended past Koa',
    (ctx) => (ctx.res.appendHeader('X-Line', 'a'), ctx.res.appendHeader('X-Line', 'b'), { a: 1 }),
  ],
  ['a header of the stack removed', (ctx) => (ctx.remove('X-Powered-By'), { a: 1 })],
  ['a header of the stack removed past Koa', (ctx) => (ctx.res.removeHeader('x-frame-options'), { a: 1 })],
  ['a header of the stack replaced', setting({ 'X-Powered-By': 'Coffee', 'x-frame-options': 'DENY' })],
  ['an empty header', setting({ 'X-Empty': '' })],
  ['a header without a single line', setting({ 'X-Powered-By': [] })],
  ['a strange spelling', setting({ 'x-LOUD-quiet': 'a  b', 'CONTENT-LANGUAGE': 'de' })],
  ['a Vary of its own', (ctx) => (ctx.vary('Strapi-Response-Format'), { a: 1 })],
  ['a Vary in place of that of the stack', setting({ Vary: 'Strapi-Response-Format,  strapi-response-format' })],
  ['no Vary', (ctx) => (ctx.remove('Vary'), { a: 1 })],
  ['the Vary that the stack has set', (ctx) => (ctx.vary('Origin'), { a: 1 })],
  [
    'Latin-1 in a header of JSON',
    setting({ 'X-Name': 'gr\u00fc\u00dfe', 'Content-Disposition': 'inline; filename="\u00e9.txt"' }),
  ],
  ['UTF-8 in a header of JSON', setting({ 'X-Name': Buffer.from('grüße €').toString('latin1') })],
  ['Latin-1 in a header of a text', (ctx) => (ctx.set('X-Name', '\u00ff'), answering('ü')(ctx))],
  ['Latin-1 in a header of bytes', (ctx) => (ctx.set('X-Name', '\u00ff'), answering(Buffer.from('ü'))(ctx))],
  ['a date of its own', setting({ Date: 'Mon, 02 Jan 2023 00:00:00 GMT' })],
  ['validators of its own', setting({ ETag: '"own"', 'Last-Modified': 'Mon, 02 Jan 2023 00:00:00 GMT' })],
  ['an entity tag that is none', setting({ ETag: 'own' })],
  ['a length of its own for JSON', (ctx) => (answering({ a: 1 })(ctx), void (ctx.length = 3))],
  ['a number for a header', (ctx) => (ctx.res.setHeader('X-Total', 12), { a: 1 })],
  ['a download', (ctx) => (ctx.attachment('bericht für mai.pdf'), answering(Buffer.from('%PDF'))(ctx))],
  ['a preload and hints', setting({ Link: '</s.css>; rel=preload; as=style', 'Accept-CH': 'DPR, Width' })],
  [
    'headers set with the rest of them',
    (ctx) => (
      (ctx.res as unknown as { setHeaders(all: Headers): void }).setHeaders(new Headers({ 'x-set': 'a' })),
      { a: 1 }
    ),
  ],
];

const refused: ReadonlyArray<readonly [string, ProbeRoute['handler']]> = [
  ['a cookie', (ctx) => (ctx.cookies.set('a', 'b'), { a: 1 })],
  ['a cookie with the head', atTheHead((ctx) => ctx.cookies.set('late', '1'))],
  ['a cookie with the head, past Koa', atTheHead(({ res }) => res.setHeader('Set-Cookie', 'late=1'))],
  ['a cookie appended with the head', atTheHead(({ res }) => res.appendHeader('set-cookie', 'late=1'))],
  [
    'a cookie among the arguments of writeHead',
    (ctx) => {
      const { res } = ctx;
      const { writeHead } = res;
      res.writeHead = (status: number) => writeHead.call(res, status, { 'Set-Cookie': 'late=1' } as never);
      return { a: 1 };
    },
  ],
  ['Authentication-Info', setting({ 'Authentication-Info': 'nextnonce="a"' })],
];

const cases: readonly Case[] = [
  ...stored.map(([what, handler]) => ({ what, handler, stored: true })),
  ...refused.map(([what, handler]) => ({ what, handler, stored: false })),
];

/** The same handlers, once where the plugin caches and once where it does not. */
const ROUTES = ['case', 'origin'] as const;

const probe = probeApi([
  ...cases.flatMap(({ handler }, index) => ROUTES.map((route) => ({ path: `/probe/${route}-${index}`, handler }))),
  { path: '/probe/unserialisable', handler: answering({ big: 1n }) },
]);
const pathOf = (route: (typeof ROUTES)[number], index: number): string => `/api/probe/${route}-${index}`;

const cached = (lane: 'front' | 'route'): StrategyConfig => ({
  lane,
  contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths.filter((path) => !path.includes('/origin-')) }],
});

/** A global middleware of the application's own that reads every body and leaves it unchanged. */
const LOOKING = {
  'src/middlewares/looking.js': `module.exports = () => async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (typeof body === 'object' && body !== null) Object.keys(body).length;
    if (typeof body === 'string') body.trim();
    globalThis[Symbol.for('rest-cache-looked-at')] = body;
  };`,
  ...middlewares(['global::looking']),
};

const ROUND = 5;

/** The answers to one case. */
interface Answers {
  readonly gets: readonly RawResponse[];
  readonly heads: readonly RawResponse[];
}

const answersOf = async (application: Application, path: string, rounds: number): Promise<Answers> => {
  const [gets, heads]: [RawResponse[], RawResponse[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) gets.push(await rawRequest(application, path));
  for (let round = 0; round < Math.min(rounds, 3); round += 1)
    heads.push(await rawRequest(application, path, { method: 'HEAD' }));
  return { gets, heads };
};

/** Header lines in which a hit may differ, or that the plugin adds. */
const PER_RESPONSE: ReadonlySet<string> = new Set(['x-cache', 'cache-status', 'age', 'connection', 'keep-alive']);

interface Spelled {
  readonly status: string;
  readonly lines: readonly string[];
  readonly body: string;
}

/** Status line, header lines by name (repeated ones in their order), and body. */
const spelled = ({ status, statusMessage, rawHeaders, body }: RawResponse): Spelled => {
  const lines = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (PER_RESPONSE.has(lower) || (lower === 'date' && !value.includes('2023'))) continue;
    const known = lines.get(lower) ?? [];
    // `ctx.append` makes two lines where `ctx.vary` makes one. Their meaning is the same.
    if (lower === 'vary' && known.length > 0) known[0] += `, ${value}`;
    else known.push(`${name}: ${value}`);
    lines.set(lower, known);
  }
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1));
  return { status: `${status} ${statusMessage}`, lines: sorted.flatMap(([, of]) => of), body: body.toString('latin1') };
};

/** For HEAD, Koa does not know the length of every body. */
const withoutLength = (answer: RawResponse): Spelled => {
  const { lines, ...rest } = spelled(answer);
  return { ...rest, lines: lines.filter((line) => !/^content-length:/i.test(line)) };
};

/** In the front lane, the second response of each case comes from the route lane. */
const LANES: ReadonlyArray<readonly [name: string, strategy: StrategyConfig, files: Record<string, string>]> = [
  ['the front lane', cached('front'), {}],
  ['the route lane, with a middleware that looks at bodies', cached('route'), LOOKING],
];

describe.each(LANES)('the very bytes and headers: %s', (_lane, strategy, files) => {
  const application = runningApplication({ ...probe.files, ...files }, strategy);

  it.each(cases.map(({ what, stored: isStored }, index) => [isStored ? 'stored' : 'refused', what, index] as const))(
    '%s: %s',
    async (expected, _what, index) => {
      const origin = await answersOf(application, pathOf('origin', index), 1);
      const given = await answersOf(application, pathOf('case', index), ROUND);
      const outcomes = given.gets.map(({ headers }) => headers['x-cache']);
      expect(outcomes).toEqual(
        Array.from({ length: ROUND }, (_none, round) => (expected === 'stored' && round > 0 ? 'HIT' : 'MISS')),
      );
      const [get, head] = [origin.gets[0], origin.heads[0]];
      if (get === undefined || head === undefined) throw new Error('not asked');
      expect(get.headers['x-cache']).toBeUndefined();
      for (const answer of given.gets) expect(spelled(answer)).toEqual(spelled(get));
      for (const answer of given.heads) expect(withoutLength(answer)).toEqual(withoutLength(head));
      if (expected === 'stored')
        for (const { headers } of given.heads) expect(headers['content-length']).toBe(String(get.body.byteLength));
    },
  );
});
