import type { Context, Next } from 'koa';
import { exchangeOf, type FunctionOfRoute, type FunctionsPassed, type LeftByRoute } from '../http/exchange';
import type { AuthService } from '../observe/authentication';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * The user's word, `repeatable`, that the policies and middlewares of routes depend on nothing but the request line, the
 * keyed headers and the caller, and what becomes of it: a function that is seen reading the database or answering by
 * itself breaks it for its route, for the life of the process.
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
    if (typeof authenticate !== 'function') return;
    service.authenticate = (ctx, next) => authenticate.call(service, ctx, () => this.#around(ctx as Context, next));
  }

  /** Everything behind authentication; whoever did not go on to the lane has answered. */
  async #around(ctx: Context, next: Next): Promise<unknown> {
    try {
      return (await next()) as unknown;
    } finally {
      const passed = exchangeOf(ctx).functions;
      if (passed?.running !== undefined) this.#break(ctx, passed.running, 'answers by itself');
      else if (passed !== undefined) this.#noteHeaders(ctx, passed);
    }
  }

  /** A function begins: whatever was read since the one before it began is that one's. */
  begin(ctx: Context, fn: FunctionOfRoute): void {
    if (!this.holds(fn.path)) return;
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
    passed.left = leftBy(ctx);
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
    const now = leftBy(ctx);
    passed.left = now;
    if (!isDone) this.#break(ctx, fn, 'answers by itself');
    else if (now.reads !== left.reads) this.#break(ctx, fn, 'reads the database');
    else if (now.status !== left.status || now.body !== left.body || exchangeOf(ctx).lazyBody?.isUntouched === false)
      this.#break(ctx, fn, 'changes the answer');
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

const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

const headersOf = ({ res }: Context): string => JSON.stringify(res.getHeaders());

const leftBy = (ctx: Context): LeftByRoute => ({
  status: ctx.status,
  body: exchangeOf(ctx).lazyBody === undefined ? ctx.body : undefined,
  reads: readsOf(ctx),
});
