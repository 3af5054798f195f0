import type { Context, Middleware, Next } from 'koa';
import { exchangeOf, type FunctionOfRoute, type FunctionsPassed } from '../http/exchange';
import { routedPath } from '../http/request-key';
import { trialOf } from './trial-request';
import { beginReadsOfRoute } from '../http/unkeyed-reads';
import { ifPossible, type OnFault } from './undo-answer';

/** How often anything but authentication has read for this request so far. */
const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

/** The bytes of an entry know by themselves whether somebody has changed them. */
const bodyOf = (ctx: Context): unknown => (exchangeOf(ctx).lazyBody === undefined ? ctx.body : undefined);

const ANSWERS = 'answers by itself';

/**
 * One request on its way through one function that is said to be repeatable: to depend on nothing but the request line,
 * the keyed headers and the caller.
 */
class FunctionPass {
  readonly #ctx: Context;
  #reads: number;
  /** What the function has done so far that it was not to do. */
  did: string | undefined;
  /** How what stands behind it has ended; `undefined` until it has. */
  #behind: 'failed' | { readonly status: number; readonly body: unknown } | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#reads = readsOf(ctx);
  }

  /** The function goes on, or has ended: what was read since it began, or went on, it has read. */
  settle(): void {
    const reads = readsOf(this.#ctx);
    if (reads !== this.#reads) this.did ??= 'reads the database';
    this.#reads = reads;
  }

  /** What stands behind the function reads for itself. */
  async goOn<T>(next: () => Promise<T>): Promise<T> {
    const ctx = this.#ctx;
    this.settle();
    try {
      const value = await next();
      this.#behind = { status: ctx.status, body: bodyOf(ctx) };
      // Nothing behind it reads for a hit that may be repeated: it has read beside.
      if (exchangeOf(ctx).served?.isRepeatable() === true) this.settle();
      return value;
    } catch (error) {
      this.#behind = 'failed';
      throw error;
    } finally {
      this.#reads = readsOf(ctx);
    }
  }

  /**
   * Sees the request through the function.
   *
   * @param judge told what it has done that it was not to do.
   */
  async through(run: () => unknown, judge: (did: string) => void, onFault: OnFault): Promise<unknown> {
    let isDone = false;
    try {
      const value = await run();
      isDone = true;
      return value;
    } finally {
      ifPossible(() => {
        this.#end(isDone);
        if (this.did !== undefined) judge(this.did);
      }, onFault);
    }
  }

  #end(isDone: boolean): void {
    this.settle();
    const behind = this.#behind;
    // An error from behind is not its own, whatever it makes of that: nothing is stored.
    if (behind === 'failed') return;
    if (behind === undefined || !isDone) this.did ??= ANSWERS;
    else if (this.#isChanged(behind)) this.did ??= 'changes the answer';
  }

  /** An answer without an entry is never repeated. */
  #isChanged({ status, body }: { readonly status: number; readonly body: unknown }): boolean {
    const { answer, lazyBody } = exchangeOf(this.#ctx);
    if (answer === undefined) return false;
    return this.#ctx.status !== status || bodyOf(this.#ctx) !== body || lazyBody?.isUntouched === false;
  }
}

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
      beginReadsOfRoute(ctx, fn.who);
      if (!fn.isRepeatable) return;
      exchange.functions ??= { policy: undefined, middleware: undefined, headers: headersOf(ctx), setHeaders: false };
      this.#goOn(ctx, exchange.functions);
    }, this.#onFault);
    // A trial has no answer: who expects one fails, as they do at no request that somebody has sent.
    return isWatched && fn.isRepeatable && this.holds(fn.path) && trialOf(ctx.req) === undefined
      ? exchange.functions
      : undefined;
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

interface Words {
  /** What paths of cached routes look like; `undefined` where that cannot be told. */
  readonly cachedPaths: readonly RegExp[] | undefined;
  /** Told once, of the first that breaks it. */
  readonly onBroken: (name: string, did: string) => void;
  readonly onFault: OnFault;
}

/**
 * The user's word, `repeatableMiddlewares`, for global middlewares, and whether they keep it. What they do to requests for
 * anything but cached routes is nobody's concern.
 *
 * @returns makes of a middleware the same, watched.
 */
export const watchingRepeatable = ({ cachedPaths, onBroken, onFault }: Words) => {
  let isBroken = false;
  const isCached = (path: string): boolean => cachedPaths?.some((pattern) => pattern.test(path)) ?? true;
  const judge = (ctx: Context, name: string, did: string, path: string): void => {
    if (![path, routedPath(ctx)].some(isCached)) return;
    exchangeOf(ctx).served = undefined;
    if (isBroken) return;
    isBroken = true;
    onBroken(name, did);
  };
  return (middleware: Middleware, name: string): Middleware =>
    (ctx, next): unknown => {
      const { method, path, req } = ctx;
      if (isBroken || (method !== 'GET' && method !== 'HEAD') || trialOf(req) !== undefined)
        return middleware(ctx, next);
      const pass = new FunctionPass(ctx);
      const run = (): unknown => middleware(ctx, () => pass.goOn(next));
      return pass.through(run, (did) => judge(ctx, name, did, path), onFault);
    };
};
