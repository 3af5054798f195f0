import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Entry } from '../cache/entry';
import { exchangeOf } from '../http/exchange';
import { shownFinalStatus } from '../http/finish-response';
import { shownBytes } from '../http/shown-body';
import { responseHeader } from '../http/response-headers';
import { encodedName, type EncodedBodies } from './encoded-bodies';
import { holdsFunction, plainRequests, repeatingHeaders, repeatingNoBody } from './repeat-globals';

type Adapt = (handler: Middleware, config: unknown) => Middleware;

export type Adaptations = ReadonlyMap<string, Adapt>;

/** For those of Strapi's own middlewares that look at what the route has left, or do the same again and again. */
export const adaptedMiddlewares = (strapi: Core.Strapi, bodies: EncodedBodies): Adaptations => {
  const adaptations = new Map<string, Adapt>([
    ['strapi::compression', (handler) => shownBytes(encodedOnce(handler, bodies))],
    ['strapi::logger', (handler) => withoutPolls(shownFinalStatus(handler))],
  ]);
  const isPlain = plainRequests(strapi);
  if (isPlain === undefined) return adaptations;
  return adaptations
    .set('strapi::security', (made, config) => (holdsFunction(config) ? made : repeatingHeaders(made, isPlain)))
    .set('strapi::body', (made) => repeatingNoBody(made, isPlain));
};

/** What an open panel asks every few seconds. */
const POLLED: ReadonlySet<string> = new Set(['/rest-cache/metrics', '/rest-cache/routes', '/rest-cache/activity']);

/** Keeps `strapi::logger` from writing little else than the panel's polls; one that fails is logged, without its time. */
const withoutPolls =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'GET' || !POLLED.has(ctx.path)) return handler(ctx, next) as Promise<void>;
    await next();
    if (ctx.status >= 400) await handler(ctx, () => Promise.resolve());
  };

/** What `strapi::compression` would make of an entry: it was asked before, or is to be learned from. */
interface Question {
  readonly entry: Entry;
  /** Everything it looks at, beside the entry. */
  readonly words: string;
}

/**
 * Gives `strapi::compression` bytes that it has compressed before. It leaves alone what is encoded already; and the
 * body of an entry that no middleware has changed is the same every time.
 */
const encodedOnce =
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
  const { compress } = ctx as { compress?: boolean };
  const set = [String(compress), responseHeader(ctx, 'Content-Type'), responseHeader(ctx, 'Cache-Control')];
  return { entry, words: [ctx.get('Accept-Encoding'), ...set].join('\n') };
};

/** @returns whether it is known what to do, and that is done. */
const encodeAsBefore = (ctx: Context, { entry, words }: Question, bodies: EncodedBodies): boolean => {
  const coding = bodies.choice(entry, words);
  if (coding === undefined || coding === '') return coding !== undefined;
  const body = bodies.body(encodedName(entry, coding));
  if (body === undefined) return false;
  exchangeOf(ctx).lazyBody?.encode(body);
  ctx.set('Content-Encoding', coding);
  return true;
};

/** It compresses into a stream, which is sent once it is whole. */
const learn = async (ctx: Context, { entry, words }: Question, bodies: EncodedBodies): Promise<void> => {
  const coding = responseHeader(ctx, 'Content-Encoding');
  bodies.noteChoice(entry, words, coding);
  const made: unknown = ctx.body;
  if (coding === '' || !(made instanceof Readable)) return;
  const body = await buffer(made);
  bodies.noteBody(entry, coding, body);
  exchangeOf(ctx).lazyBody?.encode(body);
};
