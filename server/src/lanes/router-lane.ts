import type { Middleware } from 'koa';
import { exchangeOf, type HitServer } from '../http/exchange';
import { responseHeader } from '../http/response-headers';
import { leftOnContext, type LeftOnContext } from './left-on-context';
import type { OuterLane } from './outer-lane';
import type { RequestSpellings } from './request-spelling';
import { orTheOrigin, type OnFault } from './undo-answer';

/** What a hit right before the router takes. */
export interface BeforeRouter {
  readonly server: HitServer;
  readonly left: LeftOnContext;
}

/**
 * Answers right before the router, after every global middleware: what those made of the query counts, not the URL as
 * it was sent. What these look at behind the route, the caller above all, is there on a hit as well.
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
      const { served, recording, functions } = exchangeOf(ctx);
      // Whoever set a cookie behind this place (a strategy of authentication, say) has to be asked again.
      if (responseHeader(ctx, 'Set-Cookie') !== cookie || functions?.setHeaders === true) return;
      if (spelling === undefined || served?.isRepeatable() !== true) return;
      const left = leftOnContext(ctx);
      if (left !== undefined) lane.remember(spelling, served, recording, { server: served.server, left }, left.bytes);
    };
    return orTheOrigin(ctx, next, answer, onFault);
  };
