import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { Core } from '@strapi/strapi';
import Koa from 'koa';
import { beforeEach, expect, it } from 'vitest';
import { Lanes } from '../../../server/src/lanes/lanes';
import type { ServedCache } from '../../../server/src/lanes/request-observer';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { ManualClock } from '../../simulation/manual-clock';

/* When the lanes are chosen, on a Koa and a router put together as Strapi does, but without Strapi. */

// It has no types.
interface Router {
  stack?: unknown;
  get(path: string, handler: () => void): void;
}
const Router = createRequire(import.meta.url)('@koa/router') as new () => Router;

let app: Koa;
let router: Router;
let httpServer: Server;
let lanes: Lanes;
/** How often it was said that all routes are mounted. */
let mounted: number;
let obstacles: string[];

/** Of an application with one route, `/api/a`. */
const apis = { a: { routes: { a: { routes: [{ method: 'GET', path: '/a', handler: 'a.find' }] } } } };

const NOTHING_SAID = { debug: () => undefined, info: () => undefined, warn: () => undefined };

beforeEach(() => {
  app = new Koa();
  app.use((_ctx, next) => next());
  router = new Router();
  httpServer = createServer();
  mounted = 0;
  obstacles = [];
  const strapi = {
    log: NOTHING_SAID,
    config: { get: (_name: string, otherwise: unknown) => otherwise },
    get: () => ({ keys: () => [], extend: () => undefined }),
    requestContext: { run: () => undefined, get: () => undefined },
    telemetry: { isDisabled: true },
    dirs: { dist: { root: '/nowhere' }, app: { root: '/nowhere' } },
    server: { app, router, httpServer, api: () => ({ listRoutes: () => [], mount: () => undefined }) },
    ...{ apis, plugins: {}, contentTypes: {}, components: {} },
  } as unknown as Core.Strapi;
  lanes = new Lanes(strapi);
  lanes.attach();
});

const connect = (): void => {
  const strategy = { lane: 'auto', repeatableMiddlewares: [], contentTypes: [], graphql: null };
  const restCache = {
    provider: new MemoryProvider({ clock: new ManualClock() }),
    config: { provider: { name: 'memory', getTimeout: 1 }, strategy },
    observability: { notices: { warn: () => undefined, error: () => undefined } },
    obstacles: { add: (reason: string) => void obstacles.push(reason) },
  } as unknown as ServedCache;
  lanes.connect(restCache, () => void (mounted += 1));
};

/** Sends a request to Koa, as a server of the application's own does. */
const send = async (): Promise<void> => {
  const message = new IncomingMessage(new Socket());
  Object.assign(message, { method: 'GET', url: '/' });
  await app.callback()(message, new ServerResponse(message));
};

it('they are chosen once, when the server listens', () => {
  connect();
  httpServer.emit('listening');
  httpServer.emit('listening');
  expect([mounted, lanes.choice.mode, obstacles]).toEqual([1, 'route', []]);
});

it('where only a server of the application’s own answers, at a request, even if some came too early', async () => {
  await send();
  connect();
  expect(mounted).toBe(0);
  router.get('/api/a', () => undefined);
  await send();
  await send();
  expect([mounted, lanes.choice.mode, obstacles]).toEqual([1, 'route', []]);
});

it('not at a request that comes before the routes are mounted: middlewares may follow that have to be watched', async () => {
  connect();
  await send();
  expect(mounted).toBe(0);
  router.get('/api/a', () => undefined);
  await send();
  expect([mounted, obstacles]).toEqual([1, []]);
});

it.each([
  ['listening', () => void httpServer.emit('listening')],
  ['at a request', send],
])(
  'nothing is cached where the router does not look as expected, %s: nobody knows what is read in front',
  async (_when, begin) => {
    connect();
    router.stack = undefined;
    await begin();
    expect(obstacles).toEqual([expect.stringMatching(/^Strapi's server does not look as expected: TypeError/)]);
    expect(lanes.choice.reason).toContain('nothing is cached');
  },
);
