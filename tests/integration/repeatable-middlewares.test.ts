import { describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { middlewares } from '../application/stack';
import type { Application } from '../application/start-application';
import { runningApplication } from './running-application';

/** The option `repeatableMiddlewares` for global middlewares, and what ends it. */

/** What the global middleware under test does, besides counting its calls. */
const MIDDLEWARES: Readonly<Record<string, string>> = {
  locale: `ctx.query = { ...ctx.query, localised: 'yes' }; await next(); ctx.set('X-Locale', typeof ctx.body);`,
  titled: `await next(); ctx.set('X-At', String(ctx.body.at));`,
  reader: `if (ctx.query.act) await strapi.db.query('api::tag.tag').count(); return next();`,
  changing: `await next(); if (ctx.query.act) ctx.body.at = 'changed';`,
  late: `await next(); if (ctx.query.late) ctx.body.at = 'changed';`,
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

const files = (names: readonly string[], index: string): Record<string, string> => ({
  ...probe.files,
  ...KNOWN,
  ...Object.fromEntries(
    Object.entries(MIDDLEWARES).map(([name, text]) => [
      `src/middlewares/${name}.js`,
      `module.exports = (_config, { strapi }) => async (ctx, next) => { ${count(name)} ${text} };`,
    ]),
  ),
  ...middlewares(
    names.map((name) => `global::${name}`),
    'strapi::body',
  ),
  'src/index.js': `module.exports = { register({ strapi }) { ${index} } };`,
});

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

describe('global middlewares that are named', () => {
  const mounted =
    "require('@strapi/plugin-sentry')(strapi); require('strapi-plugin-navigation')(strapi);" +
    `strapi.server.use(async (ctx, next) => { ${count('nameless')} ctx.set('X-Mounted', 'yes'); await next(); });`;
  const running = runningApplication(files(['locale', 'titled', 'late'], mounted), {
    lane: 'auto',
    contentTypes: [{ contentType: 'api::article.article', routes: [PLAIN, READING, CHANGING] }],
    repeatableMiddlewares: ['global::locale', 'global::titled', 'global::late', 'src/index.js', 'global::lcoale'],
    // The second of these finds what the first has stored.
    warm: { urls: [`${PLAIN}?warm=1`, `${PLAIN}/?warm=1`], afterWrites: false },
  });

  it('keep the word for requests of the plugin itself, and find a response', async () => {
    await expect.poll(() => counts.titled).toBe(2);
    expect(running.warnings.filter((line) => line.includes('TypeError'))).toEqual([]);
    expect(await explained(running)).toEqual({ mode: 'front' });
  });

  it('open the front lane, with those of @strapi/plugin-sentry and strapi-plugin-navigation, which are known', async () => {
    expect(laneLines(running)[0]).toBe(OPEN);
    // It asks with a request of nobody's, which has no answer: one of them fails there, and keeps the word.
    expect(await explained(running)).toEqual({ mode: 'front' });
  });

  it('run for what is not repeated yet; what they made of the query and the head is repeated, and they find objects', async () => {
    expect(await ask(running, PLAIN, 'locale')).toEqual({ seen: HITS, runs: 2 });
    const { headers } = await rawRequest(running, PLAIN);
    expect([headers['x-locale'], headers['x-mounted']]).toEqual(['object', 'yes']);
    expect(await ask(running, `${PLAIN}?again=1`, 'nameless')).toEqual({ seen: HITS, runs: 2 });
  });

  it('are not blamed for what functions of a route read or change', async () => {
    expect((await ask(running, `${READING}?act=1`, 'locale')).seen).toEqual(HITS);
    expect((await ask(running, `${CHANGING}?act=1`, 'locale')).seen).toEqual(HITS);
  });

  it('are told apart from a name that is on no stack, with the one that was meant', () => {
    expect(told(running)).toEqual([
      '[rest-cache] strategy.repeatableMiddlewares: "global::lcoale" is no global middleware of this application or of its plugins. Did you mean "global::locale"? ' +
        'See node_modules/strapi-plugin-response-cache/docs/where-hits-are-answered.md#global-middlewares',
    ]);
  });

  // The last one: the front lane stays shut. What else they may do: tests/integration/questions/repeatable.ts.
  it('lose the word once and for good when one changes an answer: the route lane', async () => {
    const known = told(running).length;
    // On requests of routes that are not cached, it may do anything.
    await rawRequest(running, '/api/probe/uncached?late=1');
    expect(told(running)).toHaveLength(known);
    // Sent twice, because on the second one, which is a hit, nothing but the middleware changes anything.
    for (let attempt = 0; attempt < 2; attempt += 1) await rawRequest(running, `${PLAIN}?late=1`);
    const lines = told(running).slice(known);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      'global::late is no longer treated as repeatable until the next start, because it changes the answer.',
    );
    expect(lines[0]).toContain('Hits are answered on their route again');
    // What was repeated before is no longer repeated.
    expect(await ask(running, PLAIN, 'late')).toEqual({ seen: ['HIT', 'HIT', 'HIT', 'HIT', 'HIT'], runs: 5 });
    expect(await ask(running, PLAIN, 'locale')).toMatchObject({ runs: 5 });
    await rawRequest(running, `${PLAIN}?late=2`);
    expect(told(running)).toHaveLength(known + 1);
  });
});

describe('a middleware on a router that is named', () => {
  const running = runningApplication(
    files([], `strapi.server.api('content-api').use(strapi.middleware('global::reader')({}, { strapi }));`),
    {
      lane: 'auto',
      contentTypes: [{ contentType: 'api::article.article', routes: [PLAIN] }],
      repeatableMiddlewares: ['global::reader'],
    },
  );

  it('opens the front lane, which is shut when it reads the database', async () => {
    expect(laneLines(running)).toEqual([OPEN]);
    expect(await ask(running, PLAIN, 'reader')).toEqual({ seen: HITS, runs: 2 });
    await rawRequest(running, `${PLAIN}?act=1`);
    expect(told(running)[0]).toContain('because it reads the database. Hits are answered on their route again');
    expect(await explained(running)).toMatchObject({
      mode: 'route',
      blockedBy: { text: 'global::reader' },
      advice: { text: 'take it out of strategy.repeatableMiddlewares' },
    });
    expect(await ask(running, PLAIN, 'reader')).toMatchObject({ runs: 5 });
  });
});
