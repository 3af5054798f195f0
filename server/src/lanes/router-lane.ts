import type { Middleware } from 'koa';
import { exchangeOf, type HitServer } from '../http/exchange';
import { responseHeader } from '../http/response-headers';
import type { OuterLane } from './outer-lane';
import type { RequestSpellings } from './request-spelling';
import { orTheOrigin, type OnFault } from './undo-answer';

/**
 * Answers right before the router, after every global middleware: what those made of the query counts, not the URL as
 * it was sent.
 */
export const routerLane =
  (lane: OuterLane<HitServer>, spellings: RequestSpellings, onFault: OnFault): Middleware =>
  (ctx, next) => {
    const answer = async (origin: () => Promise<unknown>): Promise<void> => {
      const spelling = spellings.behindMiddlewares(ctx);
      const repetition = spelling === undefined ? undefined : await lane.find(spelling);
      if (repetition !== undefined) {
        const { verdict, entry } = repetition;
        const told = await verdict.extra.handOut(entry, () => verdict.guard);
        return verdict.extra.hit(ctx, entry, false, told);
      }
      const cookie = responseHeader(ctx, 'Set-Cookie');
      await origin();
      const { served, recording, functions } = exchangeOf(ctx);
      // Whoever set a cookie behind this place (a strategy of authentication, say) has to be asked again.
      if (responseHeader(ctx, 'Set-Cookie') !== cookie || functions?.setHeaders === true) return;
      if (spelling !== undefined && served?.isRepeatable() === true)
        lane.remember(spelling, served, recording, served.server);
    };
    return orTheOrigin(ctx, next, answer, onFault);
  };
