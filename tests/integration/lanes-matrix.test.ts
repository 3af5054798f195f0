import { beforeAll, describe, expect, it } from 'vitest';
import { grant } from '../application/callers';
import { probeApi } from '../application/probe';
import { rawRequest, type RawRequest } from '../application/raw-request';
import { askOfCompression, large, uncached } from './compressed';
import { comparable, repeated, taggedAndSized } from './lanes-comparison';
import { runningApplication } from './running-application';

/** Strapi's own stack by name. A variant replaces or removes some of the names. */
const stack = (changes: Readonly<Record<string, unknown>>): string =>
  `module.exports = ${JSON.stringify(
    [
      ...['strapi::logger', 'strapi::responseTime', 'strapi::errors', 'strapi::security', 'strapi::cors'],
      ...[
        'strapi::poweredBy',
        'strapi::compression',
        'strapi::query',
        'strapi::body',
        'strapi::session',
        'strapi::favicon',
        'strapi::public',
      ],
    ].flatMap<unknown>((name) => {
      const config = changes[name];
      if (config === undefined) return [name];
      return config === false ? [] : [{ name, config }];
    }),
  )};`;

const VARIANTS: ReadonlyArray<readonly [name: string, middlewares: string]> = [
  [
    'compression, response time, no X-Powered-By, security and CORS of their own',
    stack({
      'strapi::poweredBy': false,
      'strapi::compression': { threshold: 2048, br: false },
      'strapi::security': {
        contentSecurityPolicy: { directives: { 'img-src': ["'self'", 'https://cdn.example'] } },
        frameguard: false,
      },
      'strapi::cors': {
        origin: ['https://one.example', 'https://two.example'],
        expose: ['X-Cache'],
        maxAge: 60,
        keepHeadersOnError: false,
      },
    }),
  ],
  ['brotli, and everything compressed', stack({ 'strapi::compression': { threshold: 0 }, 'strapi::logger': false })],
];

const LIST = 'articles?populate=author&pagination[pageSize]=5';
const SMALL = 'tags?fields=name&pagination[pageSize]=1';

const REQUESTS: ReadonlyArray<readonly [name: string, path: string, request: RawRequest]> = [
  ['a plain GET', LIST, {}],
  ['a small body', SMALL, {}],
  ['an Origin', LIST, { headers: { origin: 'https://one.example' } }],
  ['another Origin', LIST, { headers: { origin: 'https://two.example' } }],
  ['an Origin that may not', LIST, { headers: { origin: 'https://evil.example' } }],
  ['a HEAD', LIST, { method: 'HEAD' }],
  ['a HEAD with Origin', LIST, { method: 'HEAD', headers: { origin: 'https://one.example' } }],
  ['gzip', LIST, { headers: { 'accept-encoding': 'gzip' } }],
  ["a browser's codings", LIST, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } }],
  ['deflate before gzip', LIST, { headers: { 'accept-encoding': 'gzip;q=0.1, deflate' } }],
  ['no coding at all', LIST, { headers: { 'accept-encoding': 'identity' } }],
  ['any coding', LIST, { headers: { 'accept-encoding': '*' } }],
  ['gzip of a small body', SMALL, { headers: { 'accept-encoding': 'gzip' } }],
  ['a HEAD that accepts gzip', LIST, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } }],
  ['an unknown request header', LIST, { headers: { 'x-something': 'else' } }],
];

const QUESTIONS: ReadonlyArray<readonly [name: string, status: number, tagOf: (etag: string) => string]> = [
  ['its own tag', 304, (etag) => etag],
  ['a weak one', 304, (etag) => `W/${etag.replace(/^W\//, '')}`],
  ['one of a list', 304, (etag) => `"other", W/"another, with a comma", ${etag}`],
  ['any', 304, () => '*'],
  ['another', 200, () => '"other"'],
  ['one that only begins alike', 200, (etag) => `${etag.slice(0, -1)}x"`],
  ['none', 200, () => ''],
];

/** The headers with which each question is sent. */
const CIRCUMSTANCES: ReadonlyArray<Record<string, string>> = [
  {},
  { 'accept-encoding': 'gzip' },
  { origin: 'https://one.example' },
];

/** The same controllers on routes that are not cached. */
const origin = probeApi(
  ['article', 'tag'].map((name) => ({
    path: `/origin/${name}s`,
    handler: (ctx, strapi) => strapi.controller(`api::${name}.${name}`).find?.(ctx, async () => undefined),
    config: {},
  })),
);

describe.each(VARIANTS)('a response is the same in every lane: %s', (_variant, middlewares) => {
  const application = runningApplication(
    { ...origin.files, ...large.files, ...uncached.files, 'config/middlewares.js': middlewares },
    {
      lane: 'front',
      enableEtag: true,
      contentTypes: [{ contentType: 'api::article.article', routes: large.paths }, 'api::tag.tag'],
    },
  );
  beforeAll(() => grant(application, 'public', origin.action('/origin/articles'), origin.action('/origin/tags')));

  it('the front lane is open', () => {
    expect(application.logs.some((line) => line.startsWith('[rest-cache] hits are answered before Strapi'))).toBe(true);
  });

  it.each(REQUESTS)('%s', async (_name, path, request) => {
    const uncached = await rawRequest(application, `/api/origin/${path}`, request);
    expect([uncached.status, uncached.headers['x-cache']]).toEqual([200, undefined]);
    // A HEAD request stores no entry.
    await rawRequest(application, `/api/${path}`, { ...request, method: 'GET' });
    // The second comes from the route lane.
    const given = await repeated(application, `/api/${path}`, request);
    for (const answer of given) expect(comparable(answer)).toEqual(comparable(uncached));
    const tagged = given.slice(-4).map(taggedAndSized);
    expect(tagged[0]).toMatchObject({ cache: ['HIT', 'rest-cache; hit; ttl'] });
    for (const other of tagged) expect(other).toEqual(tagged[0]);
  });

  it.each(QUESTIONS)('a question about %s is answered %i', async (_name, status, tagOf) => {
    for (const headers of CIRCUMSTANCES) {
      const known = (await repeated(application, `/api/${LIST}`, { headers })).at(-1)?.headers.etag ?? '';
      const asked = { headers: { ...headers, 'if-none-match': tagOf(known) } };
      const seen = (await repeated(application, `/api/${LIST}`, asked, 4)).map((answer) => ({
        ...comparable(answer),
        etag: answer.headers.etag,
      }));
      for (const other of seen) expect(other).toEqual(seen[0]);
      const { body, headers: sent, etag } = seen[0] ?? {};
      // A 304 has nothing that is about a body.
      const told = [sent?.['content-type'] !== undefined, sent?.['content-encoding'] !== undefined, body !== ''];
      const isSent = status === 200;
      expect([seen[0]?.status, etag, ...told]).toEqual([
        status,
        known,
        isSent,
        isSent && 'accept-encoding' in headers,
        isSent,
      ]);
    }
  });

  it.each(['/api', '/api/origin'])(
    'every request below %s has its line in the log, where there is one',
    async (below) => {
      const before = application.requests.length;
      await repeated(application, `${below}/${LIST}&log`, {});
      const log = application.requests.slice(before);
      expect(log).toHaveLength(middlewares.includes('strapi::logger') ? 6 : 0);
      for (const line of log)
        expect(line).toMatch(
          /^GET \/api\/(origin\/)?articles\?populate=author&pagination\[pageSize\]=5&log \(\d+ ms\) 200$/,
        );
    },
  );

  askOfCompression(application);
});
