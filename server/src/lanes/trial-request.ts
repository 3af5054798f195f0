import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context, Middleware, Next } from 'koa';
import { gatherApplicationFacts } from '../config/application-facts';
import type { Reason } from '../cache/response-cache';
import type { AuthState, Identity } from '../http/caller-identity';
import type { Decision } from '../http/decision';
import type { Router } from '../http/koa-router';
import { routedPath } from '../http/request-key';
import { hasLane, routeOf } from './attach-lanes';
import { DISPATCH, type MiddlewareStack, OURS, TELEMETRY } from './middleware-stack';

export interface TrialRequest {
  /** `undefined`: Strapi finds out by its headers. */
  readonly caller: TrialCaller | undefined;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface TrialResult extends Pick<Trial, 'path' | 'askedPath'> {
  readonly outcome: Outcome;
}

/** On whose behalf a request is tried. */
export interface TrialCaller {
  /** As Strapi's authentication would leave it. */
  readonly auth: AuthState & { readonly ability: unknown };
  /** `ctx.state.user`; `undefined` for callers who are no users. */
  readonly user: unknown;
  /** Whether Strapi would let them use a route with this `config.auth`. */
  mayUse(routeAuth: unknown): boolean;
}

/** Whoever answers a request before the cache is asked. */
export interface AnsweredBefore {
  readonly kind: 'answered';
  /** A global middleware in words; `undefined` on the route. */
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
      /** What the handler is sure to throw, as far as that can be known without calling it. */
      readonly throws: Reason | undefined;
    }
  /** `path`: the route that the router chooses, if any. */
  | { readonly kind: 'not-cached'; readonly path: string | undefined }
  | { readonly kind: 'forbidden' }
  | AnsweredBefore;

/**
 * A request that nobody has sent, to see what the inner lane would do with it. It takes the way of all others, and ends
 * at the lane at the latest: it is not answered, stored, counted or logged.
 */
export class Trial {
  /** Who has got the request last; `undefined` on the route. */
  reached: string | undefined;
  /** As the middlewares in front of the router have left it. */
  askedPath = '';
  /** The cached route that it has come to. */
  path: string | undefined;
  isOver = false;
  readonly #tell: (outcome: Outcome) => void;

  constructor(
    /** `undefined`: as its headers tell. */
    readonly caller: TrialCaller | undefined,
    tell: (outcome: Outcome) => void,
  ) {
    this.#tell = tell;
  }

  /** The first time counts. */
  end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#tell(outcome);
  }
}

const trials = new WeakMap<IncomingMessage, Trial>();

/** `undefined` for what somebody has really sent. */
export const trialOf = (message: IncomingMessage): Trial | undefined => trials.get(message);

/** Lets the caller of a trial in without a credential, as Strapi's own strategies would leave them. */
export const letIn = async (caller: TrialCaller, ctx: Context, next: Next): Promise<unknown> => {
  const routeAuth = routeOf(ctx)?.config?.auth;
  if (routeAuth === false) return next();
  if (!caller.mayUse(routeAuth)) {
    trialOf(ctx.req)?.end({ kind: 'forbidden' });
    ctx.status = 403;
    return undefined;
  }
  // Asked by Strapi's authorisation, and again by whoever sanitises a query.
  const verify = (_auth: unknown, config: unknown): void => {
    if (!caller.mayUse(config)) throw new errors.ForbiddenError();
  };
  const auth = { ...caller.auth, strategy: { ...caller.auth.strategy, verify } };
  Object.assign(ctx.state, { auth, isAuthenticated: true }, caller.user === undefined ? {} : { user: caller.user });
  return next();
};

/** They would take the request for one that somebody has sent: they record, answer, log and count. */
const LEFT_OUT: ReadonlySet<string> = new Set([OURS, TELEMETRY, 'strapi::logger']);

/**
 * Sends a GET request of nobody's through the application's own stack, up to the inner lane of a cached route. Only
 * cached routes are dispatched, and no controller is called.
 *
 * @throws Error where the router is not to be found on the stack.
 */
export const tryRequest = (
  strapi: Core.Strapi,
  stack: MiddlewareStack,
  { caller, target, headers }: TrialRequest,
): Promise<TrialResult> => {
  const { app } = strapi.server;
  const message = nobodysMessage(target, headers);
  const response = new ServerResponse(message);
  response.assignSocket(message.socket);
  return new Promise((resolve, reject) => {
    const trial: Trial = new Trial(caller, (outcome) => {
      const { path, askedPath } = trial;
      resolve({ outcome, path, askedPath });
    });
    trials.set(message, trial);
    const gate = gateOf(strapi, trial);
    const middleware = [ending(trial), ...middlewaresOf(stack, trial, gate)];
    if (!middleware.includes(gate)) reject(new Error("Strapi's router does not look as expected"));
    else {
      const tried = Object.create(app, { middleware: { value: middleware } }) as typeof app;
      void tried.callback()(message, response);
    }
  });
};

/** Over before it begins: whoever reads a body finds that there is none. What is sent goes nowhere. */
const nobodysMessage = (target: string, headers: TrialRequest['headers']): IncomingMessage => {
  const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const message = new IncomingMessage(nowhere as Socket);
  message.method = 'GET';
  message.url = target;
  message.httpVersion = '1.1';
  for (const [name, value] of Object.entries(headers)) {
    message.headers[name.toLowerCase()] = value;
    message.rawHeaders.push(name, value);
  }
  message.complete = true;
  message.push(null);
  return message;
};

/** Outermost: sees how the request was answered if it has not come to the lane. */
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

/** @param thrown past Strapi's own middleware for errors, if so. */
const answerOn = (ctx: Context, thrown: unknown): Omit<AnsweredBefore, 'kind' | 'by'> => {
  const error = (thrown ?? (ctx.body as { error?: unknown } | undefined)?.error) as StrapisError | undefined;
  const status = thrown === undefined ? ctx.status : (error?.status ?? 500);
  return { status, name: error?.name, message: error?.message };
};

const middlewaresOf = (stack: MiddlewareStack, trial: Trial, gate: Middleware): Middleware[] =>
  stack.middlewares.flatMap((middleware) => {
    const name = stack.nameOf(middleware);
    if (name !== undefined && LEFT_OUT.has(name)) return [];
    if (name === DISPATCH) return [gate, middleware];
    const who = name ?? stack.describe(middleware);
    const reaching: Middleware = (_ctx, next) => {
      trial.reached = who;
      return next();
    };
    return [reaching, middleware];
  });

/** Right before the router: lets the requests for cached routes pass. */
const gateOf =
  (strapi: Core.Strapi, trial: Trial): Middleware =>
  async (ctx, next) => {
    const router = strapi.server.router as unknown as Router;
    const { routes } = gatherApplicationFacts(strapi);
    const asked = routedPath(ctx);
    trial.askedPath = asked;
    const mounted = router
      .match(asked, ctx.method)
      .pathAndMethod.map(({ path }) => (ctx.method === 'GET' ? routes.find((route) => route.path === path) : undefined))
      .find((found) => found !== undefined);
    if (mounted === undefined || !hasLane(mounted.config)) {
      trial.end({ kind: 'not-cached', path: mounted?.path });
      ctx.status = 204;
      return;
    }
    trial.path = mounted.path;
    trial.reached = undefined;
    try {
      await next();
    } catch (error) {
      // Of whoever expects an answer behind the lane.
      if (!trial.isOver) throw error;
    }
  };
