import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { exchangeOf } from '../http/exchange';
import { shownBytes } from '../http/shown-body';
import { isNotModified, lastModifiedOn } from '../http/stored-response';
import { type EncodedBodies, encodedOnce } from './encoded-bodies';
import { holdsFunction, plainRequests, repeatingHeaders, repeatingNoBody } from './repeat-globals';

type Adapt = (handler: Middleware, config: unknown) => Middleware;

export type Adaptations = ReadonlyMap<string, Adapt>;

/** Adaptations for Strapi's own middlewares that look at what the route has left, or do the same for all requests. */
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

/** The paths that an open panel requests every few seconds. */
const POLLED: ReadonlySet<string> = new Set(['/rest-cache/metrics', '/rest-cache/routes', '/rest-cache/activity']);

/** Keeps the panel's polls out of the log of `strapi::logger`, which would hold little else, unless they fail. */
const withoutPolls =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'GET' || !POLLED.has(ctx.path)) return handler(ctx, next) as Promise<void>;
    await next();
    if (ctx.status >= 400) await handler(ctx, () => Promise.resolve());
  };

/** Shows `strapi::logger` the status that is going to be sent: it logs the status when that may still become 304. */
const shownFinalStatus =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    let status: number | undefined;
    await handler(ctx, async () => {
      await next();
      if (!isGoingToBeNotModified(ctx)) return;
      status = ctx.status;
      ctx.res.statusCode = 304;
    });
    if (status !== undefined) ctx.res.statusCode = status;
  };

const isGoingToBeNotModified = (ctx: Context): boolean => {
  const { answer, lazyBody } = exchangeOf(ctx);
  if (answer === undefined || ctx.status !== answer.response.status) return false;
  const { etag } = answer.response;
  if (!isNotModified(ctx.req.headers, { etag, lastModified: lastModifiedOn(ctx, answer.lastModified) })) return false;
  return lazyBody?.isUntouched !== false;
};
