import type { Context } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { responseHeader } from './response-headers';
import { wrapAccessor } from './wrap-accessor';

/** Sets the body and keeps the `Content-Type`: Koa would guess one if there is none, and set another for an object. */
export const setBody = (ctx: Context, body: unknown): void => {
  const type = responseHeader(ctx, 'Content-Type');
  ctx.body = body;
  if (type === '') ctx.remove('Content-Type');
  else ctx.set('Content-Type', type);
};

/** The property of Koa's response that holds the {@link LazyBody} in the place of its body. */
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
 * Stored bytes as the response's body. A middleware of the application that reads `ctx.body` gets what the controller
 * itself would have left there (an object, a string). That is made on the first read only, because most never read it.
 * The bytes are sent, unless a middleware sets another body or changes the object that it got.
 */
export class LazyBody {
  readonly #ctx: Context;
  readonly #bytes: Buffer;
  readonly #restore: () => unknown;
  #seen: { readonly body: unknown } | undefined;
  /** The bytes, while a read of the body gets these instead of what the route would have left. */
  #shown: Buffer | undefined;
  /** The body that one of Strapi's own middlewares, or `encode`, has put in the place of the bytes. */
  #encoded: unknown;

  /**
   * @param stored its bytes become the body.
   * @param restore makes what the controller would have left; called at most once.
   */
  constructor(ctx: Context, { body: bytes, left }: Pick<StoredResponse, 'body' | 'left'>, restore: () => unknown) {
    lookForPlaced(ctx.app.response);
    setBody(ctx, bytes);
    // As long as the body is an object, Koa measures it each time it is asked, because it may be changed in place.
    if (left === 'json') ctx.remove('Content-Length');
    this.#ctx = ctx;
    this.#bytes = bytes;
    this.#restore = restore;
    (ctx.response as Response)[PLACED] = this;
  }

  /** Whether the body is still what the route had left, compressed or not. */
  get isUntouched(): boolean {
    if (this.#isPlaced) return !this.#isChanged();
    return this.#encoded !== undefined && this.#ctx.body === this.#encoded;
  }

  /** From now on, reads get the bytes. For Strapi's own middlewares, which only send a body or check for one. */
  showSent(): void {
    if (!this.#isPlaced) return;
    if (this.#isChanged()) this.finish();
    else this.#shown = this.#bytes;
  }

  /** From now on, reads get what the route would have left. */
  showRestored(): void {
    this.#shown = undefined;
  }

  /** Replaces the body by the same bytes in another content coding. */
  encode(encoded: Buffer): void {
    this.#lift();
    setBody(this.#ctx, encoded);
    this.#encoded = encoded;
  }

  /**
   * Ends the stand-in. From now on `ctx.body` is the body that is sent.
   *
   * @returns whether that is what the route had left, compressed or not.
   */
  finish(): boolean {
    const { isUntouched } = this;
    if (!this.#isPlaced) return isUntouched;
    this.#lift();
    if (isUntouched) this.#ctx.length = this.#bytes.byteLength;
    else setBody(this.#ctx, this.#seen?.body);
    return isUntouched;
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

  get #isPlaced(): boolean {
    return (this.#ctx.response as Response)[PLACED] === this;
  }

  #lift(): void {
    (this.#ctx.response as Response)[PLACED] = undefined;
  }

  /** Whether the body that was read was changed in place. Strings cannot be; objects are compared by their JSON. */
  #isChanged(): boolean {
    if (this.#seen === undefined || typeof this.#seen.body === 'string') return false;
    const { body } = this.#seen;
    if (Buffer.isBuffer(body)) return !body.equals(this.#bytes);
    const json = asJson(body);
    const stored = this.#bytes.toString();
    // The stored JSON may be spelled differently from its parsed object, without any change by a middleware.
    return json !== stored && json !== asJson(JSON.parse(stored));
  }
}

/** `undefined` for what JSON cannot hold, and for what cannot be serialised: Koa reports that in its own way. */
export const asJson = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
};
