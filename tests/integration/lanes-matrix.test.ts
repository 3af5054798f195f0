import { beforeAll, describe, expect, it } from 'vitest';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { rawRequest, type RawRequest, type RawResponse } from '../application/raw-request';
import { startApplication } from '../application/start-application';
import { comparable, repeated, taggedAndSized } from './lanes-comparison';

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

const LIST = '/api/articles?populate=author&pagination[pageSize]=5';
const SMALL = '/api/tags?fields=name&pagination[pageSize]=1';

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

const QUESTIONS: ReadonlyArray<readonly [name: string, tagOf: (etag: string) => string]> = [
  ['its own tag', (etag) => etag],
  ['a weak one', (etag) => `W/${etag.replace(/^W\//, '')}`],
  ['one of a list', (etag) => `"other", W/"another, with a comma", ${etag}`],
  ['any', () => '*'],
  ['another', () => '"other"'],
  ['one that only begins alike', (etag) => `${etag.slice(0, -1)}x"`],
];

/** The headers with which each question is sent. */
const CIRCUMSTANCES: ReadonlyArray<Record<string, string>> = [
  {},
  { 'accept-encoding': 'gzip' },
  { origin: 'https://one.example' },
];

const LOGGED = `${LIST}&log`;

const contentTypes = ['api::article.article', 'api::tag.tag'];

/** One application at a time, because a process can hold only one Strapi. */
const APPLICATIONS: ReadonlyArray<readonly [name: 'front' | 'uncached', restCache: RestCacheConfig]> = [
  ['front', { strategy: { lane: 'front', enableXCacheHeaders: true, enableEtag: true, contentTypes } }],
  // Caches none of the requested routes, so these are the origin's own answers.
  ['uncached', { strategy: { contentTypes: ['api::category.category'] } }],
];

/** The answers of one application. */
interface Answers {
  readonly boot: readonly string[];
  readonly requests: Map<string, readonly RawResponse[]>;
  readonly questions: Map<string, ReadonlyArray<readonly RawResponse[]>>;
  readonly log: readonly string[];
}

const interview = async (middlewares: string, restCache: RestCacheConfig): Promise<Answers> => {
  const lines: string[] = [];
  const application = await startApplication({
    restCache,
    files: { 'config/middlewares.js': middlewares },
    beforeLoad: (strapi) => {
      strapi.log.http = ((line: string) => (lines.push(line), strapi.log)) as never;
    },
  });
  try {
    const requests = new Map<string, readonly RawResponse[]>();
    for (const [name, path, request] of REQUESTS) {
      // A HEAD request stores no entry.
      await rawRequest(application, path, { ...request, method: 'GET' });
      requests.set(name, await repeated(application, path, request));
    }
    const questions = new Map<string, ReadonlyArray<readonly RawResponse[]>>();
    for (const [name, tagOf] of QUESTIONS) {
      const answers: Array<readonly RawResponse[]> = [];
      for (const headers of CIRCUMSTANCES) {
        const known = (await repeated(application, LIST, { headers })).at(-1)?.headers.etag ?? '';
        answers.push(await repeated(application, LIST, { headers: { ...headers, 'if-none-match': tagOf(known) } }, 4));
      }
      questions.set(name, answers);
    }
    const before = lines.length;
    await repeated(application, LOGGED, {});
    return { boot: application.logs, requests, questions, log: lines.slice(before) };
  } finally {
    await application.stop();
  }
};

describe.each(VARIANTS)('a response is the same in every lane: %s', (_variant, middlewares) => {
  const answers = new Map<string, Answers>();
  const of = (name: string): Answers => {
    const found = answers.get(name);
    if (found === undefined) throw new Error(`${name} was not asked`);
    return found;
  };

  beforeAll(async () => {
    for (const [name, restCache] of APPLICATIONS) answers.set(name, await interview(middlewares, restCache));
  }, 600_000);

  it('the front lane is open', () => {
    expect(of('front').boot.some((line) => line.startsWith('[rest-cache] hits are answered before Strapi'))).toBe(true);
  });

  it.each(REQUESTS.map(([name]) => name))('%s', (name) => {
    const [origin] = of('uncached').requests.get(name) ?? [];
    if (origin === undefined) throw new Error('the origin was not asked');
    // The second comes from the route lane.
    const given = of('front').requests.get(name) ?? [];
    expect(given).toHaveLength(6);
    for (const answer of given) expect(comparable(answer)).toEqual(comparable(origin));
    const tagged = given.slice(-4).map(taggedAndSized);
    expect(tagged[0]).toMatchObject({ cache: ['HIT', 'rest-cache; hit; ttl'] });
    for (const other of tagged) expect(other).toEqual(tagged[0]);
  });

  it.each(QUESTIONS.map(([name]) => name))('a question about %s', (name) => {
    CIRCUMSTANCES.forEach((_headers, index) => {
      const given = of('front').questions.get(name)?.[index] ?? [];
      expect(given).toHaveLength(4);
      const seen = given.map((answer) => ({ ...comparable(answer), etag: answer.headers.etag }));
      for (const other of seen) expect(other).toEqual(seen[0]);
    });
  });

  it('every request has its line in the log, where there is one', () => {
    for (const lane of ['front', 'uncached']) {
      const { log } = of(lane);
      expect(log).toHaveLength(middlewares.includes('strapi::logger') ? 6 : 0);
      for (const line of log) {
        expect(line).toMatch(/^GET \/api\/articles\?populate=author&pagination\[pageSize\]=5&log \(\d+ ms\) 200$/);
      }
    }
  });
});
