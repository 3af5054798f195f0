import { said, type Sentence } from '../cache/sentence';
import type { Context, Middleware, Next } from 'koa';
import { markOf } from '../background/own-requests';
import { exchangeOf } from '../http/exchange';
import { routedPath } from '../http/request-key';
import { beginReadsOfRoute } from '../http/unkeyed-reads';
import type { FunctionOfRoute } from './attach-lanes';
import { ifPossible, type OnFault } from './undo-answer';

/** The number of reads made for this request so far, without those of authentication. */
const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

/** The answer as it is at one moment, to be compared later. */
interface Left {
  readonly status: number;
  /** Left out for an entry's bytes: the `LazyBody` knows whether these were changed. */
  readonly body: unknown;
  readonly isUntouched: boolean | undefined;
}

const leftOn = (ctx: Context): Left => {
  const { lazyBody } = exchangeOf(ctx);
  const body = lazyBody === undefined ? ctx.body : undefined;
  return { status: ctx.status, body, isUntouched: lazyBody?.isUntouched };
};

const ANSWERS = said('answers')`answers by itself`;
const READS = said('reads-database')`reads the database`;
const CHANGES = said('changes-answer')`changes the answer`;

/** One request on its way through one function that is declared repeatable. */
class FunctionPass {
  readonly #ctx: Context;
  #reads: number;
  /** What the function has done so far that a repeatable function must not do. */
  #did: Sentence | undefined;
  /** The outcome of everything behind the function; `undefined` until that has ended. */
  #behind: 'failed' | Left | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#reads = readsOf(ctx);
  }

  /** Called at `next` and at the end: what was read since it began, or since `next` ended, it has read. */
  #settle(): void {
    const reads = readsOf(this.#ctx);
    if (reads !== this.#reads) this.#did ??= READS;
    this.#reads = reads;
  }

  /** Runs `next`. What is read behind the function does not count as read by the function. */
  async goOn<T>(next: () => Promise<T>): Promise<T> {
    const ctx = this.#ctx;
    this.#settle();
    try {
      const value = await next();
      this.#behind = leftOn(ctx);
      // For a hit that may be repeated, nothing behind the function reads. So what was read meanwhile was read by the
      // function.
      if (exchangeOf(ctx).served?.isRepeatable() === true) this.#settle();
      return value;
    } catch (error) {
      this.#behind = 'failed';
      throw error;
    } finally {
      this.#reads = readsOf(ctx);
    }
  }

  /**
   * Runs the function.
   *
   * @param judge called with what the function has done that a repeatable function must not do, if anything.
   */
  async through(run: () => unknown, judge: (did: Sentence) => void, onFault: OnFault): Promise<unknown> {
    let isDone = false;
    try {
      const value = await run();
      isDone = true;
      return value;
    } finally {
      ifPossible(() => {
        this.#end(isDone);
        if (this.#did !== undefined) judge(this.#did);
      }, onFault);
    }
  }

  #end(isDone: boolean): void {
    this.#settle();
    const behind = this.#behind;
    // An error from behind the function is not its own. It does not matter what the function makes of it: nothing is
    // stored.
    if (behind === 'failed') return;
    if (behind === undefined || !isDone) this.#did ??= ANSWERS;
    else if (this.#isChanged(behind)) this.#did ??= CHANGES;
  }

  /** Whether it has changed the answer. One without an entry does not count, because it is never repeated. */
  #isChanged({ status, body, isUntouched }: Left): boolean {
    if (exchangeOf(this.#ctx).answer === undefined) return false;
    const now = leftOn(this.#ctx);
    return now.status !== status || now.body !== body || now.isUntouched !== isUntouched;
  }
}

/** How far one request has come through the policies and middlewares of its route. */
interface FunctionsPassed {
  /** The policy that is running, and the number of reads before it. */
  policy: { readonly fn: FunctionOfRoute; readonly reads: number } | undefined;
  /** The innermost middleware that the request has entered so far. */
  middleware: FunctionPass | undefined;
}

/**
 * Watches the policies and middlewares of routes that the `repeatable` option declares repeatable. If one of them does
 * what a repeatable function must not do, its route is no longer treated as repeatable, until the process ends. A
 * policy may refuse a request, by whatever it throws: a refusal is never stored.
 */
export class RepeatableFunctions {
  readonly #broken = new Set<string>();
  /** Of requests for routes whose functions are declared repeatable. */
  readonly #passed = new WeakMap<Context, FunctionsPassed>();
  readonly #onBroken: (fn: FunctionOfRoute, did: Sentence) => void;
  readonly #onFault: OnFault;

  /** @param onBroken called at most once for each route, with the function and what it did. */
  constructor(onBroken: (fn: FunctionOfRoute, did: Sentence) => void, onFault: OnFault) {
    this.#onBroken = onBroken;
    this.#onFault = onFault;
  }

  holds(path: string): boolean {
    return !this.#broken.has(path);
  }

  beginPolicy(ctx: Context, fn: FunctionOfRoute): void {
    const passed = this.#begin(ctx, fn);
    if (passed !== undefined) passed.policy = { fn, reads: readsOf(ctx) };
  }

  /** Wraps a middleware of the route, and everything behind it. */
  aroundMiddleware(ctx: Context, next: Next, fn: FunctionOfRoute): Promise<unknown> {
    const passed = this.#begin(ctx, fn);
    if (passed === undefined) return next();
    const outer = passed.middleware;
    const pass = new FunctionPass(ctx);
    passed.middleware = pass;
    const through = (): Promise<unknown> => pass.through(next, (did) => this.#break(ctx, fn, did), this.#onFault);
    return outer === undefined ? through() : outer.goOn(through);
  }

  /** Wraps the route lane. */
  aroundLane(ctx: Context, answer: () => Promise<unknown>): Promise<unknown> {
    const passed = this.#passed.get(ctx);
    if (passed === undefined) return answer();
    ifPossible(() => this.#goOn(ctx, passed), this.#onFault);
    return passed.middleware === undefined ? answer() : passed.middleware.goOn(answer);
  }

  /** Called when a function begins. Returns `undefined` if the function is not watched. */
  #begin(ctx: Context, fn: FunctionOfRoute): FunctionsPassed | undefined {
    return ifPossible(() => {
      beginReadsOfRoute(ctx, fn.who);
      // A trial has no answer, nor has every request of the plugin's own. A function that expects one fails then, but
      // not on a request that a client has sent.
      if (!fn.isRepeatable || markOf(ctx.req) !== undefined) return undefined;
      const passed = this.#passed.get(ctx) ?? { policy: undefined, middleware: undefined };
      this.#passed.set(ctx, passed);
      this.#goOn(ctx, passed);
      return this.holds(fn.path) ? passed : undefined;
    }, this.#onFault);
  }

  /** Called when the request goes on from a policy, if it was at one. */
  #goOn(ctx: Context, passed: FunctionsPassed): void {
    const { policy } = passed;
    passed.policy = undefined;
    if (policy !== undefined && readsOf(ctx) !== policy.reads) this.#break(ctx, policy.fn, READS);
  }

  #break(ctx: Context, fn: FunctionOfRoute, did: Sentence): void {
    exchangeOf(ctx).served = undefined;
    if (!this.holds(fn.path)) return;
    this.#broken.add(fn.path);
    this.#onBroken(fn, did);
  }
}

/**
 * Watches global middlewares that are known to be repeatable, or declared so by `repeatableMiddlewares`. What they do
 * to requests for other paths than those of cached routes does not count.
 *
 * @param cachedPaths patterns of the paths of cached routes; `undefined` if these are not known.
 * @param onBroken called once, with the first middleware that does what a repeatable one must not do.
 * @returns wraps a middleware so that it is watched.
 */
export const watchingRepeatable = (
  cachedPaths: readonly RegExp[] | undefined,
  onBroken: (name: string, did: Sentence) => void,
  onFault: OnFault,
) => {
  let isBroken = false;
  const isCached = (path: string): boolean => cachedPaths?.some((pattern) => pattern.test(path)) ?? true;
  const judge = (ctx: Context, name: string, did: Sentence, path: string): void => {
    if (![path, routedPath(ctx)].some(isCached)) return;
    exchangeOf(ctx).served = undefined;
    if (isBroken) return;
    isBroken = true;
    onBroken(name, did);
  };
  return (middleware: Middleware, name: string): Middleware =>
    (ctx, next): unknown => {
      const { method, path, req } = ctx;
      if (isBroken || (method !== 'GET' && method !== 'HEAD') || markOf(req) !== undefined)
        return middleware(ctx, next);
      const pass = new FunctionPass(ctx);
      const run = (): unknown => middleware(ctx, () => pass.goOn(next));
      return pass.through(run, (did) => judge(ctx, name, did, path), onFault);
    };
};
