import type { CacheKey } from '../../cache/key';
import type { Guard, Lookup } from '../../cache/provider';

interface UnderWay {
  readonly guard: Guard | undefined;
  readonly settled: Promise<unknown>;
  next: Promise<Lookup> | undefined;
}

/**
 * One question about each key under way at a time: those who ask the same meanwhile share the next. An answer to a
 * question that was sent before somebody asked may miss what was invalidated in between, so nobody shares one of those.
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
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    const underWay: UnderWay = { guard, settled, next: undefined };
    this.#byKey.set(key, underWay);
    void settled.then(() => {
      if (underWay.next === undefined && this.#byKey.get(key) === underWay) this.#byKey.delete(key);
    });
    return answer;
  }
}
