import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context, Middleware, Next } from 'koa';
import { type Asked, markOf, nobodysRequest } from '../background/own-requests';
import { gatherApplicationFacts } from '../config/application-facts';
import type { Reason } from '../cache/response-cache';
import type { AuthState, Identity } from '../http/caller-identity';
import type { Decision } from '../http/decision';
import type { Router } from '../http/koa-router';
import { exchangeOf } from '../http/exchange';
import { routedPath } from '../http/request-key';
import { routeOf } from '../handlers/chosen-route';
import { DISPATCH, type MiddlewareStack, OURS, TELEMETRY } from '../stack/middleware-stack';
import { laneIn } from './attach-lanes';
import type { Endpoint } from '../http/endpoint';

export interface TrialRequest extends Asked {
  /** `undefined` if Strapi is to authenticate the request by its headers. */
  readonly caller: TrialCaller | undefined;
}

export interface TrialResult extends Pick<Trial, 'path' | 'askedPath' | 'hasAskedAuthentication'> {
  readonly outcome: Outcome;
}

/** The caller on whose behalf a request is tried. */
export interface TrialCaller {
  /** `ctx.state.auth` as Strapi's authentication would leave it. */
  readonly auth: AuthState & { readonly ability: unknown };
  /** `ctx.state.user`; `undefined` if the caller is not a user. */
  readonly user: unknown;
  /**
   * Whether Strapi answers them 401 wherever it authenticates: a user who may not log in, a token that has expired,
   * callers without credentials if the role Public has no permission.
   */
  readonly isRefused: boolean;
  /** Whether Strapi would authorise the caller on a route with this `config.auth`. */
  mayUse(routeAuth: unknown): boolean;
}

/** The request is answered before the cache is asked. */
export interface AnsweredBefore {
  readonly kind: 'answered';
  /** The global middleware that answers, in words; `undefined` if the answer comes from the route. */
  readonly by: string | undefined;
  readonly status: number;
  readonly name: string | undefined;
  readonly message: string | undefined;
}

export type Outcome =
  | {
      readonly kind: 'decided';
      readonly decision: Decision;
      readonly identity: Identity;
      /** The error that the handler is certain to throw, as far as that can be known without calling it. */
      readonly throws: Reason | undefined;
    }
  /** `path`: the route that the router chooses, if any. */
  | { readonly kind: 'not-cached'; readonly path: string | undefined }
  | { readonly kind: 'forbidden' }
  | AnsweredBefore;

/**
 * A request that no client has sent, to find out what the route lane would do with it. It passes the same stack as all
 * others, up to the route lane at most. It is not answered, stored, counted or logged.
 */
export class Trial {
  /** The global middleware that the request has reached last, in words; `undefined` once it is on the route. */
  reached: string | undefined;
  /** The path as the middlewares in front of the router have left it. */
  askedPath = '';
  /** The path of the cached route that the request has reached. */
  path: string | undefined;
  /** Whether an endpoint has asked `strapi.auth.authenticate` about the request, whatever that has answered. */
  hasAskedAuthentication = false;
  isOver = false;
  readonly #tell: (outcome: Outcome) => void;

  constructor(
    /** `undefined` if Strapi authenticates the request by its headers. */
    readonly caller: TrialCaller | undefined,
    tell: (outcome: Outcome) => void,
  ) {
    this.#tell = tell;
  }

  /** Ends the trial. Only the first call counts. */
  end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#tell(outcome);
  }
}

/** The trial of a request; `undefined` for all others. */
export const trialOf = (message: IncomingMessage): Trial | undefined => {
  const mark = markOf(message);
  return mark instanceof Trial ? mark : undefined;
};

/**
 * Authenticates the caller of a trial without a credential, and leaves on the context what Strapi's own strategies
 * would. Ends the trial if the caller may not use the route.
 */
export const authenticateAs = async (caller: TrialCaller, ctx: Context, next: Next): Promise<unknown> => {
  const config = routeOf(ctx)?.config;
  if (config?.auth === false) return next();
  // An endpoint authorises its callers later.
  if (caller.isRefused || (config !== undefined && !caller.mayUse(config.auth))) {
    trialOf(ctx.req)?.end({ kind: 'forbidden' });
    ctx.status = 403;
    return undefined;
  }
  // Called by Strapi's authorisation, and again by code that sanitises a query.
  const verify = (_auth: unknown, config: unknown): void => {
    if (!caller.mayUse(config)) throw new errors.ForbiddenError();
  };
  const auth = { ...caller.auth, strategy: { ...caller.auth.strategy, verify } };
  Object.assign(ctx.state, { auth, isAuthenticated: true }, caller.user === undefined ? {} : { user: caller.user });
  return next();
};

/** Middlewares that log or count a request as one that a client has sent. */
const OF_VISITORS: ReadonlySet<string> = new Set([TELEMETRY, 'strapi::logger']);

/** Hands a request that no client has sent to the whole stack, but for what logs or counts visitors. */
export const dispatchOwn = (strapi: Core.Strapi, stack: MiddlewareStack, response: ServerResponse): void => {
  const middleware = stack.middlewares.filter((each) => !OF_VISITORS.has(stack.nameOf(each) ?? ''));
  passThrough(strapi, middleware, response);
};

/** Hands the request of a response to these middlewares, by the way of Koa. */
const passThrough = ({ server }: Core.Strapi, middleware: readonly Middleware[], response: ServerResponse): void => {
  const own = Object.create(server.app, { middleware: { value: middleware } }) as typeof server.app;
  void own.callback()(response.req, response);
};

/**
 * Sends a GET request that no client has sent through the application's own stack, up to the route lane of a cached
 * route. Only cached routes are dispatched, and no controller is called.
 *
 * @throws Error if the router is not found on the stack.
 */
export const tryRequest = (
  strapi: Core.Strapi,
  stack: MiddlewareStack,
  request: TrialRequest,
  endpoint: Endpoint | undefined,
): Promise<TrialResult> =>
  new Promise((resolve, reject) => {
    const trial: Trial = new Trial(request.caller, (outcome) => {
      const { path, askedPath, hasAskedAuthentication } = trial;
      resolve({ outcome, path, askedPath, hasAskedAuthentication });
    });
    const gate = gateOf(strapi, trial, endpoint);
    const middleware = [ending(trial), ...middlewaresOf(stack, trial, gate)];
    if (!middleware.includes(gate)) reject(new Error("Strapi's router does not look as expected"));
    else passThrough(strapi, middleware, nobodysRequest(request, trial));
  });

/** The outermost middleware: ends the trial with the response, if the request has not come to the lane. */
const ending =
  (trial: Trial): Middleware =>
  async (ctx, next) => {
    let error: unknown;
    try {
      await next();
    } catch (thrown) {
      error = thrown;
    }
    trial.end({ kind: 'answered', by: trial.reached, ...answerOn(ctx, error) });
  };

interface StrapisError {
  readonly status?: number;
  readonly name?: string;
  readonly message?: string;
}

/** @param thrown the error that has passed Strapi's own error middleware; `undefined` if there is none. */
const answerOn = (ctx: Context, thrown: unknown): Omit<AnsweredBefore, 'kind' | 'by'> => {
  const error = (thrown ?? (ctx.body as { error?: unknown } | undefined)?.error) as StrapisError | undefined;
  const status = thrown === undefined ? ctx.status : (error?.status ?? 500);
  return { status, name: error?.name, message: error?.message };
};

const middlewaresOf = (stack: MiddlewareStack, trial: Trial, gate: Middleware): Middleware[] =>
  stack.middlewares.flatMap((middleware) => {
    const name = stack.nameOf(middleware);
    // Our own records and answers.
    if (name === OURS || OF_VISITORS.has(name ?? '')) return [];
    if (name === DISPATCH) return [gate, middleware];
    const who = name ?? stack.describe(middleware);
    const reaching: Middleware = (_ctx, next) => {
      trial.reached = who;
      return next();
    };
    return [reaching, middleware];
  });

/** Stands right before the router, and lets only requests for cached routes pass. */
const gateOf =
  (strapi: Core.Strapi, trial: Trial, endpoint: Endpoint | undefined): Middleware =>
  async (ctx, next) => {
    const router = strapi.server.router as unknown as Router;
    const { routes } = gatherApplicationFacts(strapi);
    const asked = routedPath(ctx);
    trial.askedPath = asked;
    const mounted = router
      .match(asked, ctx.method)
      .pathAndMethod.map(({ path }) => (ctx.method === 'GET' ? routes.find((route) => route.path === path) : undefined))
      .find((found) => found !== undefined);
    if (endpoint?.takes(ctx) === true) exchangeOf(ctx).endpoint = endpoint;
    else if (laneIn(mounted?.config) === undefined) {
      trial.end({ kind: 'not-cached', path: mounted?.path });
      ctx.status = 204;
      return;
    }
    trial.path = mounted?.path ?? endpoint?.path;
    trial.reached = undefined;
    try {
      await next();
    } catch (error) {
      // Once the trial is over, errors come from functions that expect an answer behind the lane, and are ignored.
      if (!trial.isOver) throw error;
    }
  };
