import type { Context } from 'koa';
import type { OwnOutcome, OwnRequest } from '../background/own-requests';
import type { Entry } from '../cache/entry';
import type { Computation, Reason, ResponseCache } from '../cache/response-cache';
import type { Decision } from '../http/decision';
import { exchangeOf } from '../http/exchange';
import { replayResponse } from '../http/stored-response';
import type { Keys } from './compute-answer';

interface OwnAnswer {
  readonly cache: ResponseCache;
  readonly compute: (keys: Keys) => Promise<Computation>;
  readonly onStored: (keys: Keys, entry: Entry) => void;
}

const OTHER_KEY: Reason = { code: 'other-key', detail: 'a request of the plugin for another key' };

/** Answers a request of the plugin's own, and says what became of it. The handler runs only where that is of use. */
export const answerOwn = async (
  ctx: Context,
  own: OwnRequest,
  decided: Decision,
  { cache, compute, onStored }: OwnAnswer,
): Promise<OwnOutcome> => {
  const leave = <T extends OwnOutcome>(outcome: T): T => {
    ctx.status = 204;
    return outcome;
  };
  const { bypass, key } = decided;
  if (bypass !== undefined) return leave({ kind: 'uncached', reason: bypass });
  if (own.key !== undefined && own.key !== key) return leave({ kind: 'uncached', reason: OTHER_KEY });
  if (own.purpose === 'audit') {
    const computed = await compute(decided);
    return 'unstorable' in computed
      ? { kind: 'uncached', reason: computed.unstorable }
      : { kind: 'computed', response: computed.response };
  }
  const resolution = await cache.resolve(key, () => compute(decided));
  if (resolution.kind === 'hit') {
    // Middlewares around the route find what they would for a visitor.
    replayResponse(ctx, resolution.entry.response);
    return { kind: 'hit' };
  }
  if (resolution.kind === 'uncached') return { kind: 'uncached', reason: resolution.reason };
  const { entry, refused } = resolution;
  if (refused !== undefined) return { kind: 'uncached', reason: refused };
  exchangeOf(ctx).stored = entry.key;
  onStored(decided, entry);
  return { kind: 'stored', entry };
};
