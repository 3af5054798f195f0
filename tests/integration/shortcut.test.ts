import { beforeAll, describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest, type RawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { comparable, taggedAndSized } from './lanes-comparison';

/**
 * A hit of a route with a policy and a middleware of its own. Both run once for each request, and Strapi's global
 * middlewares are left out. The response is the one that the whole stack would have sent, whatever the functions do.
 */

const RAW = 'the middleware writes to the connection';

/** What the route's functions do on some requests. The request itself does not show it. */
const ACTS: Readonly<Record<string, string>> = {
  'the middleware adds to the query': `ctx.query.extra = 'more';`,
  'the middleware replaces the query': `ctx.query = { replaced: 'yes' };`,
  'the middleware sets a header': `ctx.set('X-Act', 'yes');`,
  'the middleware sets a header that Strapi sets as well': `ctx.set('X-Frame-Options', 'DENY');`,
  'the middleware refuses, with a header that Strapi sets as well': `ctx.set('X-Frame-Options', 'DENY'); ctx.throw(403);`,
  'the middleware sets a field of Vary': `ctx.vary('X-Act');`,
  'the middleware sets a cookie': `ctx.cookies.set('act', 'yes');`,
  'the middleware uses the session': `ctx.session.act = 'yes';`,
  'the middleware forbids compression': `ctx.compress = false;`,
  'the middleware writes what the answer was made of': `await strapi.db.query('api::tag.tag').create({ data: { name: 'act' } });`,
  'the middleware answers by itself': `ctx.body = { at: 'the middleware' }; return;`,
  'the middleware throws an error for the visitor': `ctx.throw(418, 'no coffee');`,
  'the middleware fails': `throw new TypeError('broken');`,
  'the middleware leaves nothing': `return;`,
  [RAW]: `ctx.respond = false; ctx.res.statusCode = 200; ctx.res.end('raw'); return;`,
};
const LATE_ACTS: Readonly<Record<string, string>> = {
  'the middleware reads the body': `ctx.set('X-Read', String(ctx.body.text.length));`,
  'the middleware changes the body': `ctx.body.at = 'changed';`,
  'the middleware replaces the body': `ctx.body = { at: 'replaced' };`,
  'the middleware changes the status': `ctx.status = 203;`,
  'the middleware removes a header': `ctx.remove('X-Always');`,
  'the middleware takes the body away': `ctx.body = null;`,
  'the middleware throws behind the lane': `ctx.throw(409, 'late');`,
};
const POLICY_ACTS: Readonly<Record<string, string>> = {
  'the policy refuses': `return false;`,
  'the policy throws': `throw new (require('@strapi/utils').errors.PolicyError)('not you', { reason: 'act' });`,
};
const whenActing = (acts: Readonly<Record<string, string>>): string =>
  Object.entries(acts)
    .map(([name, text]) => `if (acting.act === ${JSON.stringify(name)}) { ${text} }`)
    .join('\n');

interface Acting {
  act: string | undefined;
  runs: string[];
  /** Whether the request had passed Strapi's global middlewares. */
  hadGlobals: boolean | undefined;
}
const key = Symbol.for('rest-cache-shortcut');
const acting = ((globalThis as Record<symbol, unknown>)[key] ??= {
  act: undefined,
  runs: [],
  hadGlobals: undefined,
}) as Acting;
const ACTING = `const acting = globalThis[Symbol.for('rest-cache-shortcut')];`;

const TEXT = 'a text that is long enough to be compressed '.repeat(60);
const ALL_ACTS = Object.keys({ ...ACTS, ...LATE_ACTS, ...POLICY_ACTS });

/** One route for each act, because after an act the route uses the whole stack for a while. */
const probe = probeApi(
  ['own', 'policed', ...ALL_ACTS.keys()].map((name) => ({
    path: `/probe/${name}`,
    handler: async (ctx, strapi) => {
      ctx.set('Last-Modified', 'Mon, 01 Jan 2024 00:00:00 GMT');
      return { text: TEXT, query: ctx.query, tags: await strapi.db.query('api::tag.tag').count() };
    },
    config: { auth: false, policies: ['global::own'], middlewares: name === 'policed' ? [] : ['global::own'] },
  })),
);
const OWN = '/api/probe/own';
const POLICED = '/api/probe/policed';
const FIND = '/api/articles?fields=title&pagination[pageSize]=3';

const files = {
  ...probe.files,
  'config/middlewares.js': `module.exports = ['strapi::logger', 'strapi::responseTime', 'strapi::errors',
    { name: 'strapi::compression', config: { br: false } }, 'strapi::security', 'strapi::cors', 'strapi::poweredBy',
    'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'];`,
  'src/api/article/routes/article.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter(
    'api::article.article', { config: { find: { middlewares: ['global::own'] } } });`,
  'src/policies/own.js': `module.exports = (ctx) => { ${ACTING}
    acting.runs.push('policy');
    acting.hadGlobals = ctx.response.get('Referrer-Policy') !== '';
    ${whenActing(POLICY_ACTS)}
    return true;
  };`,
  'src/middlewares/own.js': `module.exports = (_config, { strapi }) => async (ctx, next) => { ${ACTING}
    acting.runs.push('middleware');
    acting.hadGlobals = ctx.response.get('Referrer-Policy') !== '';
    if (ctx.request.body === undefined) throw new Error('no body at all');
    ctx.query.populated = 'yes';
    ctx.set('X-Always', 'yes');
    ${whenActing(ACTS)}
    await next();
    acting.runs.push('middleware again');
    ${whenActing(LATE_ACTS)}
  };`,
};

const REQUESTS: ReadonlyArray<readonly [name: string, path: string, request: RawRequest]> = [
  ['a plain GET', OWN, {}],
  ['a GET of a core route', FIND, {}],
  ['a GET of a route with a policy alone', POLICED, {}],
  ['any tag, of a route with a policy alone', POLICED, { headers: { 'if-none-match': '*' } }],
  ['an Origin', OWN, { headers: { origin: 'https://one.example' } }],
  ['a HEAD', OWN, { method: 'HEAD' }],
  ['gzip', OWN, { headers: { 'accept-encoding': 'gzip' } }],
  ['another tag', OWN, { headers: { 'if-none-match': '"other"' } }],
  ['any tag', OWN, { headers: { 'if-none-match': '*' } }],
  ['a later date', OWN, { headers: { 'if-modified-since': 'Tue, 02 Jan 2024 00:00:00 GMT' } }],
  ['an earlier date', OWN, { headers: { 'if-modified-since': 'Sun, 31 Dec 2023 00:00:00 GMT' } }],
  ['any tag, of gzip', OWN, { headers: { 'if-none-match': '*', 'accept-encoding': 'gzip' } }],
];

/** The result of one request in one application. */
interface Done {
  readonly answer: unknown;
  readonly runs: readonly string[];
}

type Interview = ReadonlyMap<string, readonly Done[]>;

const ask = async (application: Application, path: string, request: RawRequest, act?: string): Promise<Done> => {
  Object.assign(acting, { act, runs: [], hadGlobals: undefined });
  const response = await rawRequest(application, path, request);
  // Compression happens after the response.
  await new Promise((resolve) => setTimeout(resolve, 20));
  acting.act = undefined;
  const answer = comparable(response);
  // Headers that no code has set by then are not sent.
  if (act === RAW) return { answer: { ...answer, headers: {} }, runs: [...acting.runs] };
  const headers = {
    ...answer.headers,
    // Cookies contain a time.
    'set-cookie': response.headers['set-cookie']?.map((cookie) => cookie.split('=')[0]),
    vary: response.headers.vary?.split(', ').sort(),
  };
  return { answer: { ...answer, headers, ...(taggedAndSized(response) as object) }, runs: [...acting.runs] };
};

const passedGlobals: unknown[] = [];

const interview = async (lane: 'inner' | 'auto', log: string[]): Promise<Interview> => {
  const application = await startApplication({
    files,
    restCache: {
      strategy: {
        lane,
        enableXCacheHeaders: true,
        enableEtag: true,
        contentTypes: [{ contentType: 'api::article.article', routes: [...probe.paths, '/api/articles'] }],
      },
    },
    beforeLoad: (strapi) => {
      strapi.log.http = ((line: string) => (log.push(line.replace(/\(\d+ ms\)/, '(ms)')), strapi.log)) as never;
    },
  });
  try {
    const found = new Map<string, Done[]>();
    const repeat = async (name: string, path: string, request: RawRequest, act?: string): Promise<void> => {
      const done: Done[] = [];
      for (let attempt = 0; attempt < 4; attempt += 1) done.push(await ask(application, path, request));
      if (lane === 'auto') passedGlobals.push(acting.hadGlobals);
      if (act !== undefined) {
        done.push(await ask(application, path, request, act), await ask(application, path, request));
      }
      found.set(name, done);
    };
    for (const [name, path, request] of REQUESTS) {
      await ask(application, path, { headers: request.headers ?? {} });
      await repeat(name, path, request);
    }
    for (const [place, act] of ALL_ACTS.entries()) await repeat(act, `/api/probe/${place}`, {}, act);
    return found;
  } finally {
    await application.stop();
  }
};

describe('hits of routes with functions of their own', () => {
  const logs = { inner: [] as string[], auto: [] as string[] };
  let whole: Interview;
  let short: Interview;

  beforeAll(async () => {
    whole = await interview('inner', logs.inner);
    short = await interview('auto', logs.auto);
  }, 300_000);

  it.each([...REQUESTS.map(([name]) => name), ...ALL_ACTS])(
    '%s: the same answer, and the same functions run',
    (name) => {
      expect(short.get(name)).toEqual(whole.get(name));
    },
  );

  it('global middlewares are left out', () => {
    expect(passedGlobals).toEqual([...REQUESTS, ...ALL_ACTS].map(() => false));
  });

  it('each request has its line in the log', () => {
    expect(logs.auto).toEqual(logs.inner);
  });
});
