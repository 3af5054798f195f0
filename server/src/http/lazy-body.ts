import type { Context } from 'koa';
import { responseHeader } from './response-headers';
import { wrapAccessor } from './wrap-accessor';

/** Koa guesses a `Content-Type` for a body where there is none, and sets another for an object; the route's own is kept. */
export const setBody = (ctx: Context, body: unknown): void => {
  const type = responseHeader(ctx, 'Content-Type');
  ctx.body = body;
  if (type === '') ctx.remove('Content-Type');
  else ctx.set('Content-Type', type);
};

/** JSON that is spelled as it would be again after it was read: found out once. */
const spelledAsRead = new WeakSet<Buffer>();

/** Where a response has the body that stands in the place of its own. */
export const PLACED = Symbol('rest-cache placed body');

type Response = Context['response'] & { [PLACED]?: LazyBody | undefined };

const lookForPlaced = (prototype: object): void => {
  const looks = wrapAccessor(prototype, 'body', ({ get, set }) => ({
    get(this: Response): unknown {
      const placed = this[PLACED];
      return placed === undefined ? get.call(this) : placed.look();
    },
    set(this: Response, value: unknown) {
      const placed = this[PLACED];
      if (placed === undefined) set?.call(this, value);
      else placed.replace(value);
    },
  }));
  if (!looks) throw new Error("Koa's response has no body");
};

/**
 * Bytes as the response's body that look like what the controller itself would have left there (an object, a string) as
 * soon as somebody looks: a middleware of the application may expect that, most never ask. The bytes are what is sent,
 * unless somebody sets another body or changes the one that is seen.
 */
export class LazyBody {
  readonly #ctx: Context;
  readonly #bytes: Buffer;
  readonly #restore: () => unknown;
  #seen: { readonly body: unknown } | undefined;
  #isPlaced = true;
  /** What somebody who looks now is shown, if not what the route would have left. */
  #shown: Buffer | undefined;
  /** What one of Strapi's own has made of the bytes. */
  #encoded: unknown;

  /** @param restore called at most once. */
  constructor(ctx: Context, bytes: Buffer, restore: () => unknown) {
    lookForPlaced(ctx.app.response);
    setBody(ctx, bytes);
    this.#ctx = ctx;
    this.#bytes = bytes;
    this.#restore = restore;
    this.#place(this);
  }

  /** Whether the body would be sent as what the route had left. */
  get isUntouched(): boolean {
    if (this.#isPlaced) return !this.#isChanged();
    return this.#encoded !== undefined && this.#ctx.body === this.#encoded;
  }

  /** To one of Strapi's own middlewares, to which a body is something to send, or that only looks whether there is one. */
  showSent(): void {
    if (!this.#isPlaced) return;
    if (this.#isChanged()) this.#end(false);
    else this.#shown = this.#bytes;
  }

  showRestored(): void {
    this.#shown = undefined;
  }

  /** Puts the same bytes in another content coding in their place. */
  encode(encoded: Buffer): void {
    this.#lift();
    setBody(this.#ctx, encoded);
    this.#encoded = encoded;
  }

  /**
   * From here on the body is what it is.
   *
   * @returns whether that is what the route had left, be it compressed.
   */
  finish(): boolean {
    const { isUntouched } = this;
    if (this.#isPlaced) this.#end(isUntouched);
    return isUntouched;
  }

  #end(isUntouched: boolean): void {
    this.#lift();
    if (!isUntouched) setBody(this.#ctx, this.#seen?.body);
  }

  look(): unknown {
    if (this.#shown !== undefined) return this.#shown;
    this.#seen ??= { body: this.#restore() };
    return this.#seen.body;
  }

  replace(value: unknown): void {
    this.#lift();
    this.#ctx.body = value;
    if (this.#shown !== undefined) this.#encoded = value;
  }

  #lift(): void {
    this.#isPlaced = false;
    this.#place(undefined);
  }

  #place(body: LazyBody | undefined): void {
    (this.#ctx.response as Response)[PLACED] = body;
  }

  /** Texts do not change; an object is what JSON makes of it. */
  #isChanged(): boolean {
    if (this.#seen === undefined || typeof this.#seen.body === 'string') return false;
    const { body } = this.#seen;
    if (Buffer.isBuffer(body)) return !body.equals(this.#bytes);
    const json = asJson(body);
    const stored = this.#bytes.toString();
    if (json === stored) return false;
    if (spelledAsRead.has(this.#bytes)) return true;
    // Where the route's JSON had a spelling of its own, what is read of it has another.
    const again = asJson(JSON.parse(stored));
    if (again === stored) spelledAsRead.add(this.#bytes);
    return json !== again;
  }
}

/** `undefined` for what JSON cannot hold, and for what fails to be serialised: Koa says so in its own way. */
export const asJson = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
};
