import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Entry } from '../cache/entry';
import { exchangeOf } from '../http/exchange';
import { type Compressing, responseHeader } from '../http/response-headers';

/**
 * Maximum memory for compressed bodies, in bytes. Beyond it, the least recently sent are dropped, and made again when
 * they are needed.
 */
const MAX_BYTES = 64 * 2 ** 20;

const MAX_CHOICES = 10_000;

export type EncodedName = string & { readonly __brand: 'encoded-name' };

export const encodedName = ({ key, createdAt, sequence }: Entry, coding: string): EncodedName =>
  `${coding} ${createdAt} ${sequence} ${key}` as EncodedName;

/**
 * What `strapi::compression` has made of the bodies of entries. For the first request with the same `words`, it decides
 * by its own filter, threshold and preferences. All others with these words get its choice, and the bytes it made.
 */
export class EncodedBodies {
  readonly #bodies = new LRUCache<EncodedName, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (body) => body.byteLength + 300,
  });
  readonly #choices = new LRUCache<EncodedName, string>({ max: MAX_CHOICES });

  /**
   * @param words everything besides the entry that `strapi::compression` looks at, as text.
   * @param coding the content coding it has chosen; `''` if it has left the body as it is.
   */
  noteChoice(entry: Entry, words: string, coding: string): void {
    this.#choices.set(encodedName(entry, words), coding);
  }

  noteBody(entry: Entry, coding: string, body: Buffer): void {
    this.#bodies.set(encodedName(entry, coding), body);
  }

  /** The coding that it would choose again; `undefined` if it has not been asked. */
  choice(entry: Entry, words: string): string | undefined {
    return this.#choices.get(encodedName(entry, words));
  }

  /** A compressed body; `undefined` if it was not made, or was dropped to make room. */
  body(name: EncodedName): Buffer | undefined {
    return this.#bodies.get(name);
  }
}

/** What `strapi::compression` is asked: whether, and how, to compress the body of an entry. */
interface Question {
  readonly entry: Entry;
  /** Everything that it looks at besides the entry, as text. */
  readonly words: string;
}

/**
 * Wraps `strapi::compression`, and gives it bytes that it has compressed before: it leaves alone what is encoded
 * already. The body of an entry that no middleware has changed is the same every time.
 */
export const encodedOnce =
  (handler: Middleware, bodies: EncodedBodies): Middleware =>
  async (ctx, next) => {
    let question: Question | undefined;
    await handler(ctx, async () => {
      await next();
      question = questionOf(ctx);
      if (question !== undefined && encodeAsBefore(ctx, question, bodies)) question = undefined;
    });
    if (question !== undefined && ctx.writable) await learn(ctx, question, bodies);
  };

const questionOf = (ctx: Context): Question | undefined => {
  const { entry } = exchangeOf(ctx);
  if (entry === undefined || ctx.method !== 'GET' || ctx.status !== 200) return undefined;
  if (ctx.body !== entry.response.body || responseHeader(ctx, 'Content-Encoding') !== '') return undefined;
  const { compress } = ctx as Compressing;
  const set = [String(compress), responseHeader(ctx, 'Content-Type'), responseHeader(ctx, 'Cache-Control')];
  return { entry, words: [ctx.get('Accept-Encoding'), ...set].join('\n') };
};

/** @returns whether it is known what `strapi::compression` would do, and that was done. */
const encodeAsBefore = (ctx: Context, { entry, words }: Question, bodies: EncodedBodies): boolean => {
  const coding = bodies.choice(entry, words);
  if (coding === undefined || coding === '') return coding !== undefined;
  const body = bodies.body(encodedName(entry, coding));
  if (body === undefined) return false;
  exchangeOf(ctx).lazyBody?.encode(body);
  ctx.set('Content-Encoding', coding);
  return true;
};

/**
 * Notes what `strapi::compression` has done. It compresses into a stream; its bytes are collected, and sent as a whole.
 */
const learn = async (ctx: Context, { entry, words }: Question, bodies: EncodedBodies): Promise<void> => {
  const coding = responseHeader(ctx, 'Content-Encoding');
  bodies.noteChoice(entry, words, coding);
  const made: unknown = ctx.body;
  if (coding === '' || !(made instanceof Readable)) return;
  // The stream ends early if the client disconnects. Koa itself learns of any other error.
  const body = await buffer(made).catch(() => undefined);
  if (body === undefined) return;
  bodies.noteBody(entry, coding, body);
  exchangeOf(ctx).lazyBody?.encode(body);
};
