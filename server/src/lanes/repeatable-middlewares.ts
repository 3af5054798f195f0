import type { Context, Middleware, Next } from 'koa';
import { exchangeOf, type AnswerLeft } from '../http/exchange';
import { trialOf } from '../http/trial';
import { answerLeft, isChanged, readsOf } from './answer-left';
import { ifPossible, type OnFault } from './undo-answer';

interface Words {
  /** What paths of cached routes look like; `undefined` where that cannot be told. */
  readonly cachedPaths: readonly RegExp[] | undefined;
  /** Told once, of the first that breaks it. */
  readonly onBroken: (name: string, did: string) => void;
  readonly onFault: OnFault;
}

/**
 * The user's word, `repeatableMiddlewares`, that global middlewares depend on nothing but the request line, the keyed
 * headers and the caller, and whether they keep it: one that is seen reading the database, answering by itself or changing
 * an entry's answer breaks it. What they do to requests for anything but cached routes is nobody's concern.
 *
 * @returns makes of a middleware the same, watched.
 */
export const watchingRepeatable = ({ cachedPaths, onBroken, onFault }: Words) => {
  let isBroken = false;
  const isCached = (path: string): boolean => cachedPaths?.some((pattern) => pattern.test(path)) ?? true;
  const judge = (ctx: Context, name: string, did: string | undefined, path: string): void => {
    if (did === undefined || ![path, ctx.path].some(isCached)) return;
    exchangeOf(ctx).served = undefined;
    if (isBroken) return;
    isBroken = true;
    onBroken(name, did);
  };
  const run = async (middleware: Middleware, name: string, ctx: Context, next: Next): Promise<unknown> => {
    const pass = new Pass(ctx);
    const { path } = ctx;
    let isDone = false;
    try {
      const value = (await middleware(ctx, () => pass.goOn(next))) as unknown;
      isDone = true;
      return value;
    } finally {
      ifPossible(() => judge(ctx, name, pass.end(isDone), path), onFault);
    }
  };
  return (middleware: Middleware, name: string): Middleware =>
    (ctx, next): unknown =>
      isBroken || (ctx.method !== 'GET' && ctx.method !== 'HEAD') || trialOf(ctx.req) !== undefined
        ? middleware(ctx, next)
        : run(middleware, name, ctx, next);
};

/** One request on its way through one middleware. */
class Pass {
  readonly #ctx: Context;
  #reads: number;
  #hasRead = false;
  /** Whether what stands behind has failed; `undefined` until it has ended. */
  #hasFailed: boolean | undefined;
  #left: AnswerLeft | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#reads = readsOf(ctx);
  }

  async goOn(next: Next): Promise<void> {
    const ctx = this.#ctx;
    this.#noteReads();
    try {
      await next();
      this.#hasFailed = false;
      this.#left = answerLeft(ctx);
      // Nothing behind it reads for a hit: it has read beside.
      if (exchangeOf(ctx).served !== undefined) this.#noteReads();
    } finally {
      this.#hasFailed ??= true;
      this.#reads = readsOf(ctx);
    }
  }

  #noteReads(): void {
    this.#hasRead ||= readsOf(this.#ctx) !== this.#reads;
    this.#reads = readsOf(this.#ctx);
  }

  /**
   * What the middleware has done that it was not to do, if anything.
   *
   * @param isDone whether it has ended without failing.
   */
  end(isDone: boolean): string | undefined {
    const ctx = this.#ctx;
    this.#noteReads();
    if (this.#hasRead) return 'reads the database';
    // An error from behind is not its own, whatever it makes of that: nothing is stored.
    if (this.#hasFailed === true) return undefined;
    if (this.#left === undefined || !isDone) return 'answers by itself';
    return exchangeOf(ctx).answer !== undefined && isChanged(ctx, this.#left) ? 'changes the answer' : undefined;
  }
}
