import { DeadlineExceeded, withDeadline } from '../cache/deadline';
import type { Inquiry } from '../cache/inventory';
import type { MaybePromise } from '../cache/provider';
import type { Sentence } from '../cache/sentence';
import { messageOf } from '../cache/without-addresses';
import type { RestCache } from '../plugin/rest-cache';

/** The store could not be asked. Answered with status 503, with the reason as far as it is known. */
export class StoreAway extends Error {
  readonly details: { readonly reason: string; readonly sentence: Sentence | undefined };

  constructor({ provider, config }: RestCache, cause: unknown) {
    const { state, since, reason = '', sentence } = provider.health();
    const isDown = state === 'down';
    const named = isDown ? reason : messageOf(cause);
    const why = isDown ? `${named} (since ${new Date(since).toISOString()})` : named;
    super(`The cache store "${config.provider.name}" is unavailable: ${why}`, { cause });
    this.name = 'StoreUnavailableError';
    const ofCause = cause instanceof DeadlineExceeded ? cause.sentence : undefined;
    this.details = { reason: named, sentence: isDown ? sentence : ofCause };
  }
}

const orAway = async <T>(restCache: RestCache, asked: Promise<T>): Promise<T> => {
  try {
    return await asked;
  } catch (error) {
    throw new StoreAway(restCache, error);
  }
};

/** @throws StoreAway if the store throws, or does not answer within `provider.getTimeout`. */
export const askStore = <T>(restCache: RestCache, ask: () => MaybePromise<T>): Promise<T> =>
  orAway(restCache, withDeadline((async () => ask())(), restCache.config.provider.getTimeout));

/**
 * The result of a look at all entries.
 *
 * @throws StoreAway if the store cannot be asked.
 */
export const takeStock = <Answer>(restCache: RestCache, inquiry: Inquiry<Answer>): Promise<Answer> =>
  orAway(restCache, restCache.inventory.ask(inquiry));
