import type { Context, Next } from 'koa';
import { exchangeOf, type FunctionOfRoute, type FunctionsPassed } from '../http/exchange';
import { trialOf } from '../http/trial';
import { beginReadsOfRoute } from '../http/unkeyed-reads';
import type { AuthService } from '../observe/authentication';
import { answerLeft, isChanged, readsOf } from './answer-left';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * The user's word, `repeatable`, that the policies and middlewares of routes depend on nothing but the request line, the
 * keyed headers and the caller, and what becomes of it: a function that is seen reading the database or answering by
 * itself breaks it for its route, for the life of the process. A policy that refuses does not: it may do so by the caller,
 * and a refusal is never stored.
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

  attach(service: AuthService): void {
    const { authenticate } = service;
    service.authenticate = (ctx, next) => authenticate.call(service, ctx, () => this.#around(ctx as Context, next));
  }

  /** Everything behind authentication; whoever did not go on to the lane has answered. */
  async #around(ctx: Context, next: Next): Promise<unknown> {
    let error: unknown;
    try {
      return (await next()) as unknown;
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
    const { running } = passed;
    this.#endRunning(ctx, passed);
    if (running === undefined) this.#noteHeaders(ctx, passed);
    else if (running.kind === 'middleware' || !isRefusal(error)) this.#break(ctx, running, 'answers by itself');
  }

  /** A function begins: whatever was read since the one before it began is that one's. */
  begin(ctx: Context, fn: FunctionOfRoute): void {
    beginReadsOfRoute(ctx, `its ${fn.who}`);
    // A trial has no answer: who expects one fails, as they do at no request that somebody has sent.
    if (!this.holds(fn.path) || trialOf(ctx.req) !== undefined) return;
    const exchange = exchangeOf(ctx);
    exchange.functions ??= {
      running: undefined,
      reads: 0,
      headers: headersOf(ctx),
      setHeaders: false,
      left: undefined,
    };
    this.#endRunning(ctx, exchange.functions);
    exchange.functions.running = fn;
    exchange.functions.reads = readsOf(ctx);
  }

  /** The same around a middleware: what it does to the answer is its own doing as well. */
  async around(ctx: Context, next: Next, fn: FunctionOfRoute): Promise<unknown> {
    ifPossible(() => this.begin(ctx, fn), this.#onFault);
    let isDone = false;
    try {
      const value: unknown = await next();
      isDone = true;
      return value;
    } finally {
      ifPossible(() => this.#end(ctx, fn, isDone), this.#onFault);
    }
  }

  /** The lane is asked, and answers. */
  async aroundLane(ctx: Context, answer: () => Promise<unknown>): Promise<unknown> {
    const passed = exchangeOf(ctx).functions;
    if (passed === undefined) return answer();
    ifPossible(() => this.#endRunning(ctx, passed), this.#onFault);
    this.#noteHeaders(ctx, passed);
    const value = await answer();
    passed.left = answerLeft(ctx);
    passed.headers = headersOf(ctx);
    return value;
  }

  #endRunning(ctx: Context, passed: FunctionsPassed): void {
    const { running, reads } = passed;
    passed.running = undefined;
    if (running !== undefined && readsOf(ctx) !== reads) this.#break(ctx, running, 'reads the database');
  }

  #end(ctx: Context, fn: FunctionOfRoute, isDone: boolean): void {
    const passed = exchangeOf(ctx).functions;
    if (passed?.left === undefined || !this.holds(fn.path)) return;
    const { left } = passed;
    passed.left = answerLeft(ctx);
    if (!isDone) this.#break(ctx, fn, 'answers by itself');
    else if (passed.left.reads !== left.reads) this.#break(ctx, fn, 'reads the database');
    else if (isChanged(ctx, left)) this.#break(ctx, fn, 'changes the answer');
  }

  #noteHeaders(ctx: Context, passed: FunctionsPassed): void {
    passed.setHeaders ||= headersOf(ctx) !== passed.headers;
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

const headersOf = ({ res }: Context): string => JSON.stringify(res.getHeaders());
