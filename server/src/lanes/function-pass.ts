import type { Context } from 'koa';
import { exchangeOf } from '../http/exchange';
import { ifPossible, type OnFault } from './undo-answer';

/** How often anything but authentication has read for this request so far. */
const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

/** The bytes of an entry know by themselves whether somebody has changed them. */
const bodyOf = (ctx: Context): unknown => (exchangeOf(ctx).lazyBody === undefined ? ctx.body : undefined);

/** What a function does that breaks the word. */
export const ANSWERS = 'answers by itself';

/**
 * One request on its way through one function that is said to be repeatable: to depend on nothing but the request line,
 * the keyed headers and the caller.
 */
export class FunctionPass {
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
