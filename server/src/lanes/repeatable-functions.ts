import type { Context, Next } from 'koa';
import { exchangeOf, type FunctionOfRoute, type FunctionsPassed } from '../http/exchange';
import { trialOf } from './trial-request';
import { beginReadsOfRoute } from '../http/unkeyed-reads';
import { ANSWERS, FunctionPass } from './function-pass';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * The user's word, `repeatable`, for the policies and middlewares of routes, and what becomes of it: a function that
 * breaks it does so for its route, for the life of the process. A policy that refuses does not: it may do so by the
 * caller, and a refusal is never stored.
 */
export class RepeatableFunctions {
  readonly #broken = new Set<string>();
  /** Told once for each route, with the function and what it did. */
  onBroken: (fn: FunctionOfRoute, did: string) => void = () => undefined;
  readonly #onFault: OnFault;

  constructor(onFault: OnFault) {
    this.#onFault = onFault;
  }

  holds(path: string): boolean {
    return !this.#broken.has(path);
  }

  /** Around everything behind authentication; whoever did not go on to the lane has answered. */
  async aroundAll(ctx: Context, next: Next): Promise<unknown> {
    let error: unknown;
    try {
      return await next();
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      ifPossible(() => this.#endAll(ctx, error), this.#onFault);
    }
  }

  #endAll(ctx: Context, error: unknown): void {
    const passed = exchangeOf(ctx).functions;
    if (passed === undefined) return;
    const { policy } = passed;
    this.#goOn(ctx, passed);
    if (policy !== undefined && !isRefusal(error)) this.#break(ctx, policy.fn, ANSWERS);
    noteHeaders(ctx, passed);
  }

  beginPolicy(ctx: Context, fn: FunctionOfRoute): void {
    const passed = this.#begin(ctx, fn);
    if (passed !== undefined) passed.policy = { fn, pass: new FunctionPass(ctx) };
  }

  /** Around a middleware, and what stands behind it. */
  async aroundMiddleware(ctx: Context, next: Next, fn: FunctionOfRoute): Promise<unknown> {
    const passed = this.#begin(ctx, fn);
    if (passed === undefined) return next();
    const outer = passed.middleware;
    const pass = new FunctionPass(ctx);
    passed.middleware = pass;
    const through = (): Promise<unknown> => pass.through(next, (did) => this.#break(ctx, fn, did), this.#onFault);
    return outer === undefined ? through() : outer.goOn(through);
  }

  /** The lane is asked, and answers. */
  async aroundLane(ctx: Context, answer: () => Promise<unknown>): Promise<unknown> {
    const passed = exchangeOf(ctx).functions;
    if (passed === undefined) return answer();
    ifPossible(() => this.#goOn(ctx, passed), this.#onFault);
    noteHeaders(ctx, passed);
    const value = await (passed.middleware === undefined ? answer() : passed.middleware.goOn(answer));
    passed.headers = headersOf(ctx);
    return value;
  }

  /** A function begins; `undefined` where it is not watched. */
  #begin(ctx: Context, fn: FunctionOfRoute): FunctionsPassed | undefined {
    const exchange = exchangeOf(ctx);
    const isWatched = ifPossible(() => {
      beginReadsOfRoute(ctx, `its ${fn.who}`);
      exchange.functions ??= { policy: undefined, middleware: undefined, headers: headersOf(ctx), setHeaders: false };
      this.#goOn(ctx, exchange.functions);
    }, this.#onFault);
    // A trial has no answer: who expects one fails, as they do at no request that somebody has sent.
    return isWatched && this.holds(fn.path) && trialOf(ctx.req) === undefined ? exchange.functions : undefined;
  }

  /** The request goes on from a policy, if it was at one. */
  #goOn(ctx: Context, passed: FunctionsPassed): void {
    const { policy } = passed;
    passed.policy = undefined;
    policy?.pass.settle();
    if (policy?.pass.did !== undefined) this.#break(ctx, policy.fn, policy.pass.did);
  }

  #break(ctx: Context, fn: FunctionOfRoute, did: string): void {
    exchangeOf(ctx).served = undefined;
    if (!this.holds(fn.path)) return;
    this.#broken.add(fn.path);
    this.onBroken(fn, did);
  }
}

/** What Strapi makes of a policy that returns `false`, and what policies throw to the same end. */
const REFUSALS: ReadonlySet<string> = new Set(['PolicyError', 'ForbiddenError', 'UnauthorizedError']);

/**
 * By their names: an application may have a copy of `@strapi/utils` of its own. Strapi's authorisation, which stands around
 * policies, makes an answer of some.
 */
const isRefusal = (error: unknown): boolean =>
  error === undefined || (error instanceof Error && REFUSALS.has(error.name));

const noteHeaders = (ctx: Context, passed: FunctionsPassed): void => {
  passed.setHeaders ||= headersOf(ctx) !== passed.headers;
};

const headersOf = ({ res }: Context): string => JSON.stringify(res.getHeaders());
