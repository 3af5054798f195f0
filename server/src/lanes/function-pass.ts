import type { Context } from 'koa';
import { exchangeOf } from '../http/exchange';
import { ifPossible, type OnFault } from './undo-answer';

/** How often anything but authentication has read for this request so far. */
const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

/** The bytes of an entry know by themselves whether somebody has changed them. */
const bodyOf = (ctx: Context): unknown => (exchangeOf(ctx).lazyBody === undefined ? ctx.body : undefined);

/**
 * One request on its way through one function that is said to be repeatable: to depend on nothing but the request line,
 * the keyed headers and the caller.
 */
export class FunctionPass {
  readonly #ctx: Context;
  #reads: number;
  #hasRead = false;
  /** Whether what stands behind has failed; `undefined` until it has ended. */
  #hasFailed: boolean | undefined;
  #left: { readonly status: number; readonly body: unknown } | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#reads = readsOf(ctx);
  }

  /** What stands behind the function reads for itself. */
  async goOn<T>(next: () => Promise<T>): Promise<T> {
    const ctx = this.#ctx;
    this.#noteReads();
    try {
      const value = await next();
      this.#hasFailed = false;
      this.#left = { status: ctx.status, body: bodyOf(ctx) };
      // Nothing behind it reads for a hit that may be repeated: it has read beside.
      if (exchangeOf(ctx).served?.isRepeatable() === true) this.#noteReads();
      return value;
    } finally {
      this.#hasFailed ??= true;
      this.#reads = readsOf(ctx);
    }
  }

  #noteReads(): void {
    const reads = readsOf(this.#ctx);
    this.#hasRead ||= reads !== this.#reads;
    this.#reads = reads;
  }

  /** Whether the function has read the database so far. */
  get hasRead(): boolean {
    this.#noteReads();
    return this.#hasRead;
  }

  /**
   * What the function has done that it was not to do, if anything.
   *
   * @param isDone whether it has ended without failing.
   */
  end(isDone: boolean): string | undefined {
    if (this.hasRead) return READS;
    // An error from behind is not its own, whatever it makes of that: nothing is stored.
    if (this.#hasFailed === true) return undefined;
    if (this.#left === undefined || !isDone) return ANSWERS;
    return this.#isChanged(this.#left) ? 'changes the answer' : undefined;
  }

  /** An answer without an entry is never repeated. */
  #isChanged({ status, body }: { readonly status: number; readonly body: unknown }): boolean {
    const { answer, lazyBody } = exchangeOf(this.#ctx);
    if (answer === undefined) return false;
    return this.#ctx.status !== status || bodyOf(this.#ctx) !== body || lazyBody?.isUntouched === false;
  }
}

/** What a function does that breaks the word. */
export const READS = 'reads the database';
export const ANSWERS = 'answers by itself';

/**
 * Sees a request through one middleware.
 *
 * @param judge told what it has done that it was not to do.
 */
export const watchPass = async (
  ctx: Context,
  run: (pass: FunctionPass) => unknown,
  judge: (did: string) => void,
  onFault: OnFault,
): Promise<unknown> => {
  const pass = new FunctionPass(ctx);
  let isDone = false;
  try {
    const value = await run(pass);
    isDone = true;
    return value;
  } finally {
    ifPossible(() => {
      const did = pass.end(isDone);
      if (did !== undefined) judge(did);
    }, onFault);
  }
};
