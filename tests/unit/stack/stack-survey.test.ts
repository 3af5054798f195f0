import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import Koa, { type Middleware } from 'koa';
import { afterAll, describe, expect, it } from 'vitest';
import { named } from '../../../server/src/cache/sentence';
import type { ResolvedStrategy } from '../../../server/src/config/resolved-config';
import { choose, type Choice, unchosen, withdrawn } from '../../../server/src/lanes/choose';
import { MiddlewareStack } from '../../../server/src/stack/middleware-stack';
import { noteMounted } from '../../../server/src/stack/mounted-by';

// It has no types.
const Router = createRequire(import.meta.url)('@koa/router') as new (options: { readonly prefix: string }) => {
  use(middleware: Middleware): void;
  all(path: string, middleware: Middleware): void;
  get(path: string, middleware: Middleware): void;
};

/** The lane that a stack allows, on a real Koa and its router, put together as Strapi does, but without Strapi. */

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'stack-survey-')));
const load = createRequire(path.join(root, 'package.json'));
afterAll(() => rmSync(root, { recursive: true }));

interface Given {
  /** Global middlewares between those of Strapi. */
  readonly own?: readonly string[];
  /** Configurations of Strapi's middlewares. */
  readonly strapis?: Readonly<Record<string, object>>;
  readonly repeatable?: readonly string[];
  readonly lane?: ResolvedStrategy['lane'];
  readonly honorRequestCacheControl?: boolean;
  /** Files of the application or of packages, each with the middleware that it mounts. */
  readonly code?: ReadonlyArray<readonly [file: string, text: string]>;
  /** Puts the middleware of this name on the router, in front of all routes. */
  readonly onRouter?: string;
  /** Patterns of paths to which code answers on the router, in front of all routes. */
  readonly answered?: readonly string[];
  readonly listen?: (httpServer: Server) => void;
  /** The paths of the cached routes. */
  readonly paths?: readonly string[];
}

const STRAPIS = ['logger', 'errors', 'security', 'cors', 'query', 'body', 'session', 'favicon', 'public'];
const OWN = ['locale', 'reader'];

/** Strapi's registry of middlewares: what makes them, by name. */
const registryOf = () => {
  const factories = new Map<string, (config: object) => Middleware>();
  for (const name of [
    ...STRAPIS.map((each) => `strapi::${each}`),
    'strapi::ip',
    ...OWN.map((each) => `global::${each}`),
  ])
    factories.set(name, () => (_ctx, next) => next());
  return {
    keys: () => [...factories.keys()],
    extend: (name: string, wrap: (factory: unknown) => (config: object) => Middleware) =>
      void factories.set(name, wrap(factories.get(name))),
    make: (name: string, config: object): Middleware => {
      const factory = factories.get(name);
      if (factory === undefined) throw new Error(`no middleware ${name}`);
      return factory(config);
    },
  };
};

const survey = ({
  own = [],
  strapis = {},
  repeatable = [],
  onRouter,
  code = [],
  answered = [],
  ...given
}: Given): Choice => {
  const registry = registryOf();
  const koaApp = new Koa();
  const requestContext = { run: (_ctx: unknown, work: () => unknown) => work() };
  koaApp.use((ctx, next) => requestContext.run(ctx, next) as Promise<unknown>);
  const router = new Router({ prefix: '/api' });
  const httpServer = createServer((request, response) => void koaApp.callback()(request, response));
  const configured = [
    ...STRAPIS.map((name) => ({ name: `strapi::${name}`, config: strapis[`strapi::${name}`] ?? {} })),
    ...(Object.keys(strapis).includes('strapi::ip') ? [{ name: 'strapi::ip', config: {} }] : []),
    ...own,
  ];
  const stack = new MiddlewareStack({
    config: { get: (name: string, otherwise: unknown) => (name === 'middlewares' ? configured : otherwise) },
    get: () => registry,
    telemetry: { isDisabled: true },
    apis: { note: { routes: { note: { routes: [{ method: 'GET', path: '/notes', handler: 'note.find' }] } } } },
    plugins: {},
    dirs: { dist: { root }, app: { root } },
    server: { app: koaApp, router, httpServer, api: () => ({ listRoutes: () => [], mount: () => undefined }) },
  } as unknown as Core.Strapi);
  stack.seeThroughInstrumentation();
  stack.learnNames(new Map());
  for (const [name, text] of code) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `module.exports = (app, note) => { const own = ${text}; app.use(own); note(own); };`);
    // The built plugin is one file, which it leaves out when it looks who mounts something. These are several.
    (load(file) as (app: Koa, note: typeof noteMounted) => void)(koaApp, noteMounted);
    // The next case may write another file in its place.
    Reflect.deleteProperty(load.cache, file);
  }
  if (onRouter !== undefined) router.use(registry.make(onRouter, {}));
  for (const pattern of answered) router.all(pattern, (_ctx, next) => next());
  router.get('/notes', () => undefined);
  for (const item of configured) {
    const { name, config } = typeof item === 'string' ? { name: item, config: {} } : item;
    koaApp.use(registry.make(name, config));
  }
  given.listen?.(httpServer);
  return choose(stack, {
    lane: given.lane ?? 'auto',
    honorRequestCacheControl: given.honorRequestCacheControl ?? false,
    repeatableMiddlewares: repeatable,
    contentTypes: [{ routes: (given.paths ?? ['/api/notes']).map((each) => ({ path: each })) }],
  } as unknown as ResolvedStrategy);
};

const [LOCALE, READER] = ['global::locale', 'global::reader'];
const PROMETHEUS = 'node_modules/strapi-prometheus/index.js';
const LOGZ = 'node_modules/strapi-plugin-logz/index.js';

/** Node.js gives a function the name of its variable. */
const MOUNTED = '[async (ctx, next) => next()][0]';
const OPEN = 'the effect of every global middleware can be replayed';
const sees = (who: string): string => `${who} has to see every request`;
const OTHER_LISTENER = sees("a request listener that is not that of Strapi's own server");
const guard: RequestListener = (_request, response) => void response.setHeader('X-Guard', 'seen');

describe('the front lane is open', () => {
  /** Where only Strapi stands in front, a path is the same on the route, and shows which requests are never cached. */
  it.each<[what: string, given: Given, isAlone?: boolean]>([
    ["Strapi's own middlewares alone", {}, true],
    ['a global middleware that is named', { own: [LOCALE], repeatable: [LOCALE] }],
    [
      'a middleware without a name, whose file is named',
      { code: [['src/index.js', MOUNTED]], repeatable: ['src/index.js'] },
    ],
    ['that of @strapi/plugin-sentry', { code: [['node_modules/@strapi/plugin-sentry/index.js', MOUNTED]] }],
    ['that of strapi-plugin-navigation', { code: [['node_modules/strapi-plugin-navigation/index.js', MOUNTED]] }],
    ['a middleware on a router that is named', { onRouter: READER, repeatable: [READER] }],
    [
      'what code answers at other paths',
      { answered: ['/others/(.*)', '/other(.*)', '/other:name', '/note', '/notes/new'] },
      true,
    ],
    ['origins in a list', { strapis: { 'strapi::cors': { origin: ['https://a.example'] } } }, true],
  ])('%s', (_what, given, isAlone = false) => {
    const { lane, origin, ...choice } = survey(given);
    expect(lane).toMatchObject({ mode: 'front', reason: OPEN });
    expect(origin).toBeTypeOf('function');
    expect(choice).toMatchObject({ unknownNames: [], hasForeignMiddleware: !isAlone, showsTarget: isAlone });
    expect(choice.targets.map((pattern) => pattern.test('/api/notes'))).toEqual([true]);
  });

  it('but shows no target where the router lacks a cached route', () => {
    const { lane, targets, showsTarget } = survey({ paths: ['/api/notes', '/api/gone'] });
    expect([lane.mode, targets.length, showsTarget]).toEqual(['front', 1, false]);
  });
});

describe('the front lane stays shut', () => {
  it.each<[what: string, given: Given, reason: string]>([
    ['lane: route', { lane: 'route' }, 'configured'],
    [
      'honorRequestCacheControl',
      { honorRequestCacheControl: true },
      'honorRequestCacheControl has each request decided on its route',
    ],
    ['a global middleware', { own: [LOCALE] }, sees('global::locale')],
    ['beside one that is named, another', { own: [LOCALE, READER], repeatable: [LOCALE] }, sees('global::reader')],
    [
      'two, both told at once',
      { own: [LOCALE, READER] },
      'global::locale and global::reader have to see every request',
    ],
    ['a function without a name', { code: [['src/index.js', MOUNTED]] }, sees('global middleware (src/index.js)')],
    [
      'a function with a name',
      { code: [['src/index.js', 'async function mounted(ctx, next) { await next(); }']] },
      sees('global middleware mounted (src/index.js)'),
    ],
    [
      'a router of the application',
      {
        code: [
          [
            'src/index.js',
            'Object.assign(async function dispatch(ctx, next) { const router = { opts: {} }; ' +
              'if (router.opts.routerPath !== ctx.path) await next(); }, { router: {} })',
          ],
        ],
      },
      sees('global middleware dispatch (src/index.js)'),
    ],
    [
      'a request context of the application',
      { code: [['src/index.js', '[(ctx, next) => strapi.requestContext.run(ctx, next)][0]']] },
      sees('global middleware (src/index.js)'),
    ],
    [
      'a middleware that does nothing only for some',
      {
        code: [
          ['src/index.js', '[(ctx, next) => (ctx.get("x-banned") ? ctx.throw : (_, next)=>next())(ctx, next)][0]'],
        ],
      },
      sees('global middleware (src/index.js)'),
    ],
    [
      'middlewares of several packages, all told at once',
      {
        code: [
          [PROMETHEUS, MOUNTED],
          [LOGZ, MOUNTED],
          ['node_modules/strapi-prometheus/again.js', MOUNTED],
        ],
      },
      'global middleware (strapi-prometheus) and global middleware (strapi-plugin-logz) have to see every request',
    ],
    [
      'one of each kind, all told at once',
      {
        onRouter: READER,
        own: [LOCALE],
        code: [['src/index.js', MOUNTED]],
        listen: (httpServer) => void httpServer.on('request', guard),
      },
      'global::reader on a router, global::locale, global middleware (src/index.js) and a request listener that is not ' +
        "that of Strapi's own server have to see every request",
    ],
    ['strapi::ip', { strapis: { 'strapi::ip': {} } }, sees('strapi::ip')],
    [
      'an origin function',
      { strapis: { 'strapi::cors': { origin: () => '*' } } },
      sees('strapi::cors with an origin function'),
    ],
    [
      'a function of security',
      { strapis: { 'strapi::security': { contentSecurityPolicy: { directives: { 'img-src': [() => '*'] } } } } },
      sees('strapi::security with a function'),
    ],
    [
      'a session that is renewed',
      { strapis: { 'strapi::session': { rolling: true } } },
      sees('strapi::session with a cookie on every response'),
    ],
    ['a middleware on a router', { onRouter: READER }, sees('global::reader on a router')],
    ...['/(.*)', '/notes', '/notes/new', '/:type/new', '/no:tes/:id?'].map((pattern): [string, Given, string] => [
      `what code answers on a router at ${pattern}, and may pass on`,
      { answered: [pattern], paths: ['/api/notes', '/api/notes/:id'] },
      sees('global middleware on a router'),
    ]),
    [
      'a middleware on a router, where the front lane is configured',
      { onRouter: READER, lane: 'front' },
      `"front" is configured, but ${sees('global::reader on a router')}`,
    ],
    [
      'a global middleware, where one on a router is named',
      { own: [LOCALE], onRouter: READER, repeatable: [READER] },
      sees('global::locale'),
    ],
    [
      'a listener in front',
      { listen: (httpServer) => void httpServer.prependListener('request', guard) },
      OTHER_LISTENER,
    ],
    ['a listener behind', { listen: (httpServer) => void httpServer.on('request', guard) }, OTHER_LISTENER],
    [
      "a listener in the place of Strapi's own",
      { listen: (httpServer) => void httpServer.removeAllListeners('request').on('request', guard) },
      OTHER_LISTENER,
    ],
  ])('%s', (_what, given, reason) => {
    const { lane, origin, showsTarget } = survey(given);
    expect(lane).toMatchObject({ mode: 'route', reason });
    expect([origin, showsTarget]).toEqual([undefined, false]);
  });
});

it('says what to write', () => {
  const advice = (given: Given) => survey(given).lane.advice?.text;
  expect(advice({ own: [LOCALE, READER] })).toContain(
    "repeatableMiddlewares: ['global::locale', 'global::reader'] in strategy",
  );
  expect(advice({ code: [['src/index.js', MOUNTED]] })).toContain(
    "or write repeatableMiddlewares: ['src/index.js'] in strategy",
  );
  expect(
    advice({
      own: [LOCALE],
      code: [
        [PROMETHEUS, MOUNTED],
        [LOGZ, MOUNTED],
      ],
    }),
  ).toContain("repeatableMiddlewares: ['global::locale', 'strapi-prometheus', 'strapi-plugin-logz'] in strategy");
  expect(advice({ listen: (httpServer) => void httpServer.on('request', guard) })).toBe(
    'let the code that mounts it listen on a server of its own, at another port (Socket.IO can)',
  );
  expect(advice({ own: [LOCALE], strapis: { 'strapi::ip': {} } })).toMatch(
    /^strapi::ip: refuse addresses .*\. global::locale: put it .* repeatableMiddlewares: \['global::locale'\]/,
  );
  expect(advice({ strapis: { 'strapi::cors': { origin: () => '*' } } })).toBe('write the origins as a list');
  expect(advice({ strapis: { 'strapi::ip': {} } })).toBe(
    'refuse addresses in front of Strapi, in a proxy or a firewall',
  );
});

it.each<[name: string, likely: string | undefined]>([
  ['global::lcoale', 'global::locale'],
  // No middleware of Strapi's own is taken for repeatable.
  ['strapi::cors', undefined],
])('a name that no mounted middleware has is told, with the one that was meant: %s', (name, likely) => {
  expect(survey({ own: [LOCALE], repeatable: [name] }).unknownNames).toEqual([[name, likely]]);
});

it('a choice is never changed, only replaced', () => {
  const choice = survey({ own: [LOCALE], repeatable: [LOCALE] });
  const after = withdrawn(choice, LOCALE, named('reads the database'));
  expect([choice, after, unchosen('not yet')].every(Object.isFrozen)).toBe(true);
  expect(choice.lane.mode).toBe('front');
  expect(after).toMatchObject({ lane: { mode: 'route', blockedBy: { text: LOCALE } }, origin: undefined });
});
