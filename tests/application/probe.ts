import { randomUUID } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';

/** A Koa context with what the router adds to it. */
export type ProbeContext = Context & { readonly params: Record<string, string>; session: Record<string, unknown> };

export interface ProbeRoute {
  /** Below the API prefix: `/probe/json`. */
  readonly path: string;
  /** Default: `GET`. */
  readonly method?: string;
  readonly handler: (ctx: ProbeContext, strapi: Core.Strapi) => unknown;
  /** The route's `config`. Default: `{ auth: false }`, which is open to everybody. */
  readonly config?: Record<string, unknown>;
}

export interface Probe {
  /** Files to add to the application's compiled files. */
  readonly files: Readonly<Record<string, string>>;
  /** The full paths of the GET routes, for `strategy.contentTypes[].routes`. */
  readonly paths: string[];
  /** How often a route's handler has run. */
  calls(path: string): number;
  /** The action of a route, such as `api::probe1.probe1.handler0`, to be granted to a role. */
  action(path: string): string;
}

type Registry = Record<string, ReadonlyArray<ProbeRoute['handler']> | undefined>;
const registryKey = Symbol.for('rest-cache-probes');
const registry = ((globalThis as Record<symbol, unknown>)[registryKey] ??= {}) as Registry;

let apis = 0;

/** An API of the application under test whose handlers are functions of the test. */
export const probeApi = (routes: readonly ProbeRoute[]): Probe => {
  const id = randomUUID();
  apis += 1;
  const api = `probe${apis}`;
  const calls = new Map<string, number>();
  registry[id] = routes.map(({ path, handler }) => (ctx, strapi) => {
    calls.set(path, (calls.get(path) ?? 0) + 1);
    return handler(ctx, strapi);
  });
  const indexOf = (path: string): number => {
    const index = routes.findIndex((route) => route.path === path);
    if (index < 0) throw new Error(`no route ${path}`);
    return index;
  };
  const declared = routes.map(({ path, method = 'GET', config = { auth: false } }, index) => ({
    method,
    path,
    handler: `api::${api}.${api}.handler${index}`,
    config,
  }));
  const handlers = `globalThis[Symbol.for('rest-cache-probes')][${JSON.stringify(id)}]`;
  return {
    files: {
      [`src/api/${api}/routes/${api}.js`]: `module.exports = { type: 'content-api', routes: ${JSON.stringify(declared)} };`,
      [`src/api/${api}/controllers/${api}.js`]: `module.exports = ({ strapi }) => Object.fromEntries(${handlers}.map((handler, index) => ['handler' + index, (ctx) => handler(ctx, strapi)]));`,
    },
    paths: routes.filter(({ method = 'GET' }) => method === 'GET').map(({ path }) => `/api${path}`),
    calls: (path) => calls.get(path) ?? 0,
    action: (path) => `api::${api}.${api}.handler${indexOf(path)}`,
  };
};
