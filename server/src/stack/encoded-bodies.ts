import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Entry } from '../cache/entry';
import { lruByText } from '../cache/lru-by-text';
import { exchangeOf } from '../http/exchange';
import { type Compressing, responseHeader } from '../http/response-headers';

/** Maximum memory for compressed bodies and their names, in bytes. Those that are dropped are made again when they are needed. */
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
  /** By entry and words, the content coding that was chosen; `''` if the body was left as it is. */
  readonly choices = lruByText<EncodedName, string>(MAX_CHOICES);
  /** By entry and coding. */
  readonly bodies = new LRUCache<EncodedName, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (body, name) => body.byteLength + name.length + 300,
  });
}

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
const encodeAsBefore = (ctx: Context, { entry, words }: Question, { choices, bodies }: EncodedBodies): boolean => {
  const coding = choices.get(encodedName(entry, words));
  if (coding === undefined || coding === '') return coding !== undefined;
  const body = bodies.get(encodedName(entry, coding));
  if (body === undefined) return false;
  exchangeOf(ctx).lazyBody?.encode(body);
  ctx.set('Content-Encoding', coding);
  return true;
};

/** Notes what `strapi::compression` has done. The stream into which it compresses is collected, and sent as a whole. */
const learn = async (ctx: Context, { entry, words }: Question, { choices, bodies }: EncodedBodies): Promise<void> => {
  const coding = responseHeader(ctx, 'Content-Encoding');
  choices.set(encodedName(entry, words), coding);
  const made: unknown = ctx.body;
  if (coding === '' || !(made instanceof Readable)) return;
  // The stream ends early if the client disconnects. Koa itself learns of any other error.
  const body = await buffer(made).catch(() => undefined);
  if (body === undefined) return;
  bodies.set(encodedName(entry, coding), body);
  exchangeOf(ctx).lazyBody?.encode(body);
};
