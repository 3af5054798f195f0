import type { Context, Middleware } from 'koa';
import { exchangeOf, type HitServer } from '../http/exchange';
import { responseHeader } from '../http/response-headers';
import { type Left, leftOnContext } from './left-on-context';
import type { OuterLane } from './outer-lane';
import { haveSetHeaders } from './repeatable-functions';
import type { RequestSpellings } from './request-spelling';
import { orTheOrigin, type OnFault } from './undo-answer';

/** What the router lane needs to repeat a hit. */
export interface BeforeRouter {
  readonly server: HitServer;
  readonly left: Left<Context>;
}

/**
 * Answers requests right before the router, behind every global middleware. Requests are told apart by what these
 * middlewares have made of the query, as well as by the URL as it was sent. On a hit, the middlewares find on the
 * context what the route would have left there, above all the caller.
 */
export const routerLane =
  (lane: OuterLane<BeforeRouter>, spellings: RequestSpellings, onFault: OnFault): Middleware =>
  (ctx, next) => {
    const answer = async (origin: () => Promise<unknown>): Promise<void> => {
      const spelling = spellings.behindMiddlewares(ctx);
      const repetition = spelling === undefined ? undefined : await lane.find(spelling);
      if (repetition !== undefined) {
        const { verdict, entry } = repetition;
        const { server, left } = verdict.extra;
        const told = await server.handOut(entry, () => verdict.guard);
        server.hit(ctx, entry, false, told);
        return left.putOn(ctx);
      }
      const cookie = responseHeader(ctx, 'Set-Cookie');
      await origin();
      const { served, recording } = exchangeOf(ctx);
      // If code behind this lane (an authentication strategy, for example) sets a cookie, it has to see every request.
      // Headers that functions of the route set are not repeated by this lane.
      if (responseHeader(ctx, 'Set-Cookie') !== cookie || haveSetHeaders(ctx)) return;
      if (spelling === undefined || served?.isRepeatable() !== true) return;
      const left = leftOnContext(ctx);
      if (left !== undefined) lane.remember(spelling, served, recording, { server: served.server, left }, left.bytes);
    };
    return orTheOrigin(ctx, next, answer, onFault);
  };
