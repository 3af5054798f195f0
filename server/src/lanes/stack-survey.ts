import type { Middleware } from 'koa';
import type { RequestListener, Server } from 'node:http';

/** Where repeat requests may be answered, best first. */
export type LaneMode = 'front' | 'router' | 'inner';

export interface LaneChoice {
  readonly mode: LaneMode;
  /** One sentence for the log. */
  readonly reason: string;
}

/** Strapi's own global middlewares whose effect on an API response can be replayed from an earlier response. */
const REPLAYABLE: ReadonlySet<string> = new Set([
  'strapi::body',
  'strapi::compression',
  'strapi::cors',
  'strapi::errors',
  'strapi::favicon',
  'strapi::logger',
  'strapi::poweredBy',
  'strapi::public',
  'strapi::query',
  'strapi::responseTime',
  'strapi::security',
  'strapi::session',
]);

/** Functions with which Strapi itself frames every request, recognised by what they are made of. */
const FRAMING: ReadonlyArray<readonly [name: string, text: string]> = [
  ["Strapi's request context", 'requestContext.run(ctx'],
  ["the router's dispatch", 'router.opts.routerPath'],
  ["the router's allowed methods", 'implemented.indexOf(ctx.method)'],
  ["the admin's passport", 'function passportInitialize('],
  ['nothing', '(_, next)=>next()'],
];

/** A configured global middleware: its name, and its configuration where that decides whether it can be replayed. */
export interface ConfiguredMiddleware {
  readonly name: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Names of the functions on Koa's stack, as far as they can be told. */
export class MiddlewareNames {
  readonly #names = new WeakMap<Middleware, string>();

  note(middleware: Middleware, name: string): void {
    this.#names.set(middleware, name);
  }

  of(middleware: Middleware): string | undefined {
    const noted = this.#names.get(middleware);
    if (noted !== undefined) return noted;
    const text = Function.prototype.toString.call(middleware);
    return FRAMING.find(([, part]) => text.includes(part))?.[0];
  }
}

/** Why a configured middleware's effect cannot be replayed, or `undefined` if it can. */
const unreplayable = ({ name = 'an unnamed middleware', config }: ConfiguredMiddleware): string | undefined => {
  if (!REPLAYABLE.has(name)) return name;
  if (name === 'strapi::cors' && typeof config.origin === 'function') return `${name} with an origin function`;
  if (name === 'strapi::security' && holdsFunction(config)) return `${name} with a function`;
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return `${name} with a cookie on every response`;
  return undefined;
};

const holdsFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction));

export const described = ({ name }: Middleware): string => (name === '' ? 'a middleware' : `a middleware "${name}"`);

/**
 * Chooses the lane from the stack as it really is when the server starts listening.
 *
 * @param stack every middleware on the application, outermost first.
 * @param onRouter a middleware that somebody has added to a router.
 */
export const surveyStack = (
  stack: readonly Middleware[],
  names: MiddlewareNames,
  configured: readonly ConfiguredMiddleware[],
  onRouter: Middleware | undefined,
): LaneChoice => {
  if (onRouter !== undefined)
    return { mode: 'inner', reason: `${described(onRouter)} on a router has to see every request` };
  const obstacle = configured.map(unreplayable).find((found) => found !== undefined);
  if (obstacle !== undefined) return { mode: 'router', reason: `${obstacle} has to see every request` };
  const foreign = stack.find((middleware) => names.of(middleware) === undefined);
  if (foreign !== undefined) {
    return { mode: 'router', reason: `${described(foreign)} that is not Strapi's has to see every request` };
  }
  return { mode: 'front', reason: 'the effect of every global middleware can be replayed' };
};

/**
 * Strapi's own listener, where the server has no other: whoever adds one wants to see every request, and whoever puts
 * one in Strapi's place may decide which of them Strapi gets.
 */
export const soleListener = (server: Server): RequestListener | undefined => {
  const [listener, ...others] = server.listeners('request') as RequestListener[];
  if (listener === undefined || others.length > 0) return undefined;
  return Function.prototype.toString.call(listener).includes('koaApp.callback()') ? listener : undefined;
};

/** Whether nobody has added or replaced a listener since. */
export const isSoleListener = (server: Server, listener: RequestListener): boolean => {
  const listeners = server.listeners('request');
  return listeners.length === 1 && listeners[0] === listener;
};
