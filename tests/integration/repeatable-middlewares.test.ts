import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { logIn } from '../application/admin-session';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** The option `repeatableMiddlewares` for global middlewares, and what ends it (issue 14). */

/** What the global middleware under test does, besides counting its calls. */
const MIDDLEWARES: Readonly<Record<string, string>> = {
  locale: `ctx.query = { ...ctx.query, localised: 'yes' }; await next(); ctx.set('X-Locale', typeof ctx.body);`,
  titled: `await next(); ctx.set('X-At', String(ctx.body.at));`,
  reader: `if (ctx.query.act) await strapi.db.query('api::tag.tag').count(); return next();`,
  'reader-beside': `await Promise.all([next(), ctx.query.act && strapi.db.query('api::tag.tag').count()]);`,
  changing: `await next(); if (ctx.query.act) ctx.body.at = 'changed';`,
};

const counted = Symbol.for('rest-cache-repeatable-middlewares');
const counts = ((globalThis as Record<symbol, unknown>)[counted] ??= {}) as Record<string, number>;
const count = (name: string): string =>
  `{ const counts = globalThis[Symbol.for('rest-cache-repeatable-middlewares')]; counts['${name}'] = (counts['${name}'] ?? 0) + 1; }`;

const probe = probeApi([
  { path: '/probe/plain', handler: () => ({ at: Math.random() }), config: { auth: false } },
  {
    path: '/probe/reading',
    handler: () => ({ at: Math.random() }),
    config: { auth: false, middlewares: ['global::reader'] },
  },
  {
    path: '/probe/changing',
    handler: () => ({ at: Math.random() }),
    config: { auth: false, middlewares: ['global::changing'] },
  },
  { path: '/probe/uncached', handler: () => ({ at: Math.random() }), config: { auth: false } },
]);
const PLAIN = '/api/probe/plain';
/** The routes' own middlewares are not declared repeatable. */
const READING = '/api/probe/reading';
const CHANGING = '/api/probe/changing';

/** Stand-ins for two real plugins: one reports errors thrown behind it, the other acts only on POST. */
const KNOWN = {
  'node_modules/@strapi/plugin-sentry/index.js':
    'module.exports = (strapi) => strapi.server.use(async (ctx, next) => { try { await next(); } catch (error) { throw error; } });',
  'node_modules/strapi-plugin-navigation/index.js':
    "module.exports = (strapi) => strapi.server.use(async (ctx, next) => { await next(); if (ctx.method === 'POST' && ctx.path === '/i18n/locales') throw new Error(ctx.body.code); });",
};

const files = (names: readonly string[], index = ''): Record<string, string> => ({
  ...probe.files,
  ...KNOWN,
  ...Object.fromEntries(
    Object.entries(MIDDLEWARES).map(([name, text]) => [
      `src/middlewares/${name}.js`,
      `module.exports = (_config, { strapi }) => async (ctx, next) => { ${count(name)} ${text} };`,
    ]),
  ),
  'config/middlewares.js': `module.exports = ${JSON.stringify([
    ...['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy', 'strapi::query'],
    ...names.map((name) => `global::${name}`),
    ...['strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'],
  ])};`,
  ...(index === '' ? {} : { 'src/index.js': `module.exports = { register({ strapi }) { ${index} } };` }),
});

let application: Application | undefined;
afterEach(async () => {
  await application?.stop();
  application = undefined;
});

/** Booting Strapi on a busy machine takes long. */
vi.setConfig({ testTimeout: 180_000 });

const boot = async (
  names: readonly string[],
  repeatableMiddlewares: readonly string[],
  { index, ...strategy }: StrategyConfig & { readonly index?: string } = {},
): Promise<Application> => {
  application = await startApplication({
    files: files(names, index),
    restCache: {
      strategy: {
        lane: 'auto',
        enableXCacheHeaders: true,
        contentTypes: [{ contentType: 'api::article.article', routes: [PLAIN] }],
        ...strategy,
        repeatableMiddlewares,
      },
    },
  });
  return application;
};

/** Sends a request five times. Returns each `X-Cache`, and how often the middleware has run. */
const ask = async (running: Application, target: string, name: string): Promise<{ seen: unknown[]; runs: number }> => {
  const before = counts[name] ?? 0;
  const seen: unknown[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) seen.push((await rawRequest(running, target)).headers['x-cache']);
  return { seen, runs: (counts[name] ?? 0) - before };
};
const HITS = ['MISS', 'HIT', 'HIT', 'HIT', 'HIT'];

const laneLines = ({ logs }: Application): string[] => logs.filter((line) => line.startsWith('[rest-cache] hits '));
const told = ({ warnings }: Application): string[] => warnings.filter((line) => line.includes('repeatableMiddlewares'));
/** The lane as the panel explains it. */
const explained = async (running: Application): Promise<unknown> =>
  (
    await (
      await logIn(running)
    ).post<{ lane: unknown }>('/rest-cache/explain', { url: PLAIN, as: { kind: 'anonymous' } })
  ).body.lane;

const OPEN = '[rest-cache] hits are answered before Strapi: the effect of every global middleware can be replayed';

describe('global middlewares', () => {
  it('that are named open the front lane; what they made of the query and the head is repeated, and they find objects', async () => {
    const running = await boot(['locale', 'titled'], ['global::locale', 'global::titled'], {
      contentTypes: [{ contentType: 'api::article.article', routes: [PLAIN, READING, CHANGING] }],
    });
    expect(laneLines(running)[0]).toBe(OPEN);
    expect(await ask(running, PLAIN, 'locale')).toEqual({ seen: HITS, runs: 2 });
    expect((await rawRequest(running, PLAIN)).headers['x-locale']).toBe('object');
    // It asks with a request of nobody's, which has no answer: one of them fails there, and keeps the word.
    expect(await explained(running)).toEqual({ mode: 'front', blockedBy: null, advice: null });
    // They are not blamed for what functions of a route read or change.
    expect((await ask(running, `${READING}?act=1`, 'locale')).seen).toEqual(HITS);
    expect((await ask(running, `${CHANGING}?act=1`, 'locale')).seen).toEqual(HITS);
    expect(told(running)).toEqual([]);
  });

  it('that are not named have to see every request; a name that is on no stack is told, with the one that was meant', async () => {
    const running = await boot(['locale'], ['global::lcoale']);
    expect(laneLines(running)).toEqual([
      '[rest-cache] hits are answered on the route: global::locale has to see every request',
    ]);
    expect(await ask(running, PLAIN, 'locale')).toEqual({ seen: HITS, runs: 5 });
    expect(told(running)).toEqual([
      '[rest-cache] strategy.repeatableMiddlewares: "global::lcoale" is no global middleware of this application or of its plugins. Did you mean "global::locale"? ' +
        'See node_modules/strapi-plugin-response-cache/docs/where-hits-are-answered.md#global-middlewares',
    ]);
  });

  it('of a file that is named, and of @strapi/plugin-sentry and strapi-plugin-navigation without a word, open it', async () => {
    const index =
      "require('@strapi/plugin-sentry')(strapi); require('strapi-plugin-navigation')(strapi);" +
      `strapi.server.use(async (ctx, next) => { ${count('nameless')} ctx.set('X-Mounted', 'yes'); await next(); });`;
    const running = await boot([], ['src/index.js'], { index });
    expect(laneLines(running)).toEqual([OPEN]);
    expect(await ask(running, PLAIN, 'nameless')).toEqual({ seen: HITS, runs: 2 });
    expect((await rawRequest(running, PLAIN)).headers['x-mounted']).toBe('yes');
    expect(told(running)).toEqual([]);
  });

  // The same functions watch middlewares of routes, which tests/integration/repeatable.test.ts asks for all they may do.
  it.each([
    ['reader-beside', 'reads the database'],
    ['changing', 'changes the answer'],
  ])('%s, which %s, takes the word back, once and for good: the route lane', async (name, did) => {
    const running = await boot(['locale', name], ['global::locale', `global::${name}`]);
    expect(await ask(running, PLAIN, name)).toEqual({ seen: HITS, runs: 2 });
    // On requests of routes that are not cached, it may do anything.
    await rawRequest(running, '/api/probe/uncached?act=1');
    expect(told(running)).toEqual([]);
    // Sent twice, because the second one is a hit, on which nothing but the middleware reads.
    for (let attempt = 0; attempt < 2; attempt += 1) await rawRequest(running, `${PLAIN}?act=1`);
    const lines = told(running);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      `global::${name} is no longer treated as repeatable until the next start, because it ${did}.`,
    );
    expect(lines[0]).toContain('Hits are answered on their route again');
    // What was repeated before is no longer repeated.
    expect(await ask(running, PLAIN, name)).toEqual({ seen: ['HIT', 'HIT', 'HIT', 'HIT', 'HIT'], runs: 5 });
    expect(await ask(running, PLAIN, 'locale')).toMatchObject({ runs: 5 });
    await rawRequest(running, `${PLAIN}?act=2`);
    expect(told(running)).toHaveLength(1);
  });
});

describe('a middleware on a router', () => {
  const index = `strapi.server.api('content-api').use(strapi.middleware('global::reader')({}, { strapi }));`;

  it('that is named opens the front lane, which is shut when it breaks the word', async () => {
    const running = await boot([], ['global::reader'], { index });
    expect(laneLines(running)).toEqual([OPEN]);
    expect(await ask(running, PLAIN, 'reader')).toEqual({ seen: HITS, runs: 2 });
    await rawRequest(running, `${PLAIN}?act=1`);
    expect(told(running)[0]).toContain('Hits are answered on their route again');
    expect(await explained(running)).toEqual({
      mode: 'route',
      blockedBy: 'global::reader',
      advice: 'take it out of strategy.repeatableMiddlewares',
    });
    expect(await ask(running, PLAIN, 'reader')).toMatchObject({ runs: 5 });
  });
});
