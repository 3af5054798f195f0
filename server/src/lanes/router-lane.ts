import type { Context, Next } from 'koa';
import { cacheKey } from '../cache/key';
import { exchangeOf, type HitServer } from '../http/exchange';
import { carriesBody } from '../http/request-message';
import { responseHeader } from '../http/response-headers';
import type { OuterLane } from './outer-lane';
import type { RequestSpellings } from './request-spelling';
import { nothingToUndo, orAsItWas, orTheOrigin, type OnFault } from './undo-answer';

/**
 * Answers right before the router, after every global middleware: what those made of the query counts, not the URL as
 * it was sent.
 */
export class RouterLane {
  readonly #lane: OuterLane<HitServer>;

  readonly #spellings: RequestSpellings;
  readonly #onFault: OnFault;

  constructor(lane: OuterLane<HitServer>, spellings: RequestSpellings, onFault: OnFault) {
    this.#lane = lane;
    this.#spellings = spellings;
    this.#onFault = onFault;
  }

  readonly middleware = (ctx: Context, next: Next): Promise<void> =>
    orTheOrigin(ctx, next, (origin) => this.#answer(ctx, origin), this.#onFault, nothingToUndo);

  async #answer(ctx: Context, origin: Next): Promise<void> {
    // Over HTTP/2 no header announces a body.
    const spelling = carriesBody(ctx.req) ? undefined : this.#spellings.of(asRequested(ctx), targetOf(ctx));
    const found = spelling === undefined ? undefined : this.#lane.find(spelling);
    const repetition = found instanceof Promise ? await found : found;
    if (repetition !== undefined) {
      const { verdict, entry } = repetition;
      if (orAsItWas(ctx, () => verdict.extra.hit(ctx, entry, false), this.#onFault)) return;
    }
    const cookie = responseHeader(ctx, 'Set-Cookie');
    await origin();
    const { served, recording } = exchangeOf(ctx);
    // Whoever set a cookie behind this place (a strategy of authentication, say) has to be asked again.
    if (responseHeader(ctx, 'Set-Cookie') !== cookie) return;
    if (spelling !== undefined && served !== undefined)
      this.#lane.rememberHit(spelling, served, recording, served.server);
  }
}

/** Method and headers as the middlewares in front have left them: some turn a cookie into an `Authorization`. */
const asRequested = ({ method, req }: Context): Pick<Context['req'], 'method' | 'rawHeaders'> => {
  const rawHeaders: string[] = [];
  for (const name in req.headers) rawHeaders.push(name, String(req.headers[name]));
  return { method, rawHeaders };
};

/** What the middlewares in front have made of path and query. */
const targetOf = ({ path, query }: Context): string => cacheKey({ path, query, headers: [], identity: '' });
