import type { CacheKey } from '../../cache/key';
import type { Guard, Lookup } from '../../cache/provider';

interface UnderWay {
  readonly guard: Guard | undefined;
  readonly settled: Promise<unknown>;
  next: Promise<Lookup> | undefined;
}

/**
 * Keeps one question about each key under way at a time; callers that ask the same meanwhile share the next one. They
 * must not share the one under way: it was sent before they asked, so its reply may lack invalidations made in between.
 */
export class SharedLookups {
  readonly #byKey = new Map<CacheKey, UnderWay>();

  ask(key: CacheKey, guard: Guard | undefined, send: () => Promise<Lookup>): Promise<Lookup> {
    const underWay = this.#byKey.get(key);
    if (underWay === undefined) return this.#send(key, guard, send);
    if (underWay.guard !== guard) return send();
    return (underWay.next ??= underWay.settled.then(() => this.#send(key, guard, send)));
  }

  #send(key: CacheKey, guard: Guard | undefined, send: () => Promise<Lookup>): Promise<Lookup> {
    const answer = send();
    const settled = Promise.allSettled([answer]);
    const underWay: UnderWay = { guard, settled, next: undefined };
    this.#byKey.set(key, underWay);
    void settled.then(() => {
      if (underWay.next === undefined && this.#byKey.get(key) === underWay) this.#byKey.delete(key);
    });
    return answer;
  }
}
