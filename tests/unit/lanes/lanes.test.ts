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
const Router = createRequire(import.meta.url)('@koa/router') as new () => { stack?: unknown };

let app: Koa;
let router: { stack?: unknown };
let httpServer: Server;
let lanes: Lanes;
/** How often it was said that all routes are mounted. */
let mounted: number;
let obstacles: string[];

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
    ...{ apis: {}, plugins: {}, contentTypes: {}, components: {} },
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
  await send();
  await send();
  expect([mounted, lanes.choice.mode, obstacles]).toEqual([1, 'route', []]);
});

it('nothing is cached where the router does not look as expected: what code in front reads would go unnoticed', () => {
  connect();
  router.stack = undefined;
  httpServer.emit('listening');
  expect(obstacles).toEqual([expect.stringMatching(/^Strapi's server does not look as expected: TypeError/)]);
  expect(lanes.choice.reason).toContain('nothing is cached');
});
