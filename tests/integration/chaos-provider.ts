import { systemClock } from '../../server/src/cache/clock';
import type { Entry } from '../../server/src/cache/entry';
import type { EntrySummary, SummaryQuestion } from '../../server/src/cache/entry-summary';
import type { CacheKey } from '../../server/src/cache/key';
import type { Sequence } from '../../server/src/cache/sequence';
import type { Tag } from '../../server/src/cache/tag';
import type { Guard, Health, Lookup, MaybePromise, Provider, ProviderSettings } from '../../server/src/cache/provider';
import { MemoryProvider } from '../../server/src/providers/memory';

type Operation = 'lookup' | 'store' | 'invalidate' | 'summaries' | 'delete' | 'usage';

export interface Fault {
  /** `throw`: throws synchronously. `hang`: never settles. `delay`: works after `delay` milliseconds. */
  readonly kind: 'throw' | 'reject' | 'hang' | 'delay';
  readonly operations: readonly Operation[];
  readonly delay?: number;
}

/** The memory provider with faults on demand, like those of a store across a network. */
export class ChaosProvider implements Provider {
  readonly name = 'chaos';
  fault: Fault | undefined;
  readonly #memory: MemoryProvider;

  constructor({ events }: Pick<ProviderSettings, 'events'>) {
    this.#memory = new MemoryProvider({ clock: systemClock, events });
  }

  #suffer<T>(operation: Operation, work: () => MaybePromise<T>): MaybePromise<T> {
    const { fault } = this;
    if (fault === undefined || !fault.operations.includes(operation)) return work();
    switch (fault.kind) {
      case 'throw':
        throw new Error('the store throws');
      case 'reject':
        return Promise.reject(new Error('the store rejects'));
      case 'hang':
        return new Promise(() => undefined);
      case 'delay':
        return new Promise((resolve, reject) => {
          setTimeout(() => Promise.resolve(work()).then(resolve, reject), fault.delay);
        });
    }
  }

  lookup(key: CacheKey, guard?: Guard): MaybePromise<Lookup> {
    return this.#suffer('lookup', () => this.#memory.lookup(key, guard));
  }
  store(entry: Entry): MaybePromise<boolean> {
    return this.#suffer('store', () => this.#memory.store(entry));
  }
  invalidate(tags: readonly Tag[]): MaybePromise<Sequence> {
    return this.#suffer('invalidate', () => this.#memory.invalidate(tags));
  }
  async *summaries(question: SummaryQuestion): AsyncIterable<readonly EntrySummary[]> {
    yield* await this.#suffer('summaries', () => this.#memory.summaries(question));
  }
  knownSequence(): Sequence {
    return this.#memory.knownSequence();
  }
  announce(): undefined {
    return undefined;
  }
  delete(key: CacheKey): MaybePromise<boolean> {
    return this.#suffer('delete', () => this.#memory.delete(key));
  }
  usage(): ReturnType<Provider['usage']> {
    return this.#suffer('usage', () => this.#memory.usage());
  }
  clear(): void {
    this.#memory.clear();
  }
  health(): Health {
    return this.#memory.health();
  }
  close(): void {
    this.#memory.close();
  }
}
