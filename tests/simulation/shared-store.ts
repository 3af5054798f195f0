import type { Clock } from '../../server/src/cache/clock';
import type { Entry } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import type { Sequence } from '../../server/src/cache/sequence';
import { EVERYTHING, type Tag } from '../../server/src/cache/tag';
import type { Announcement, Guard, Lookup } from '../../server/src/cache/provider';
import { MemoryProvider } from '../../server/src/providers/memory';
import type { Process } from './process';

interface Announced {
  readonly tags: readonly Tag[];
  readonly by: Process;
  readonly at: number;
}

/** How long an announcement outlives its process, in milliseconds. Living processes renew theirs in time. */
const HOLD = 100;

/**
 * A store that several processes share: the memory provider, with announcements that outlive the process that made
 * them. Each method is one atomic step, like a script in Redis. Announced tags are stamped, so that entries that carry
 * them are dead, and marked, so that no entry with them is stored until the announcement is closed.
 */
export class SharedStore {
  readonly memory: MemoryProvider;
  readonly #clock: Clock;
  readonly #announced = new Map<Announcement, Announced>();
  #announcements = 0;

  constructor(memory: MemoryProvider, clock: Clock) {
    this.memory = memory;
    this.#clock = clock;
  }

  lookup(key: CacheKey, guard?: Guard): Lookup {
    return this.memory.lookup(key, guard);
  }

  store(entry: Entry): boolean {
    return !this.#isAnnounced(entry.tags) && this.memory.store(entry);
  }

  announce(tags: readonly Tag[], by: Process): Announcement {
    this.#announcements += 1;
    const announcement = String(this.#announcements) as Announcement;
    this.memory.invalidate(tags);
    this.#announced.set(announcement, { tags, by, at: this.#clock.now() });
    return announcement;
  }

  invalidate(tags: readonly Tag[], announcement?: Announcement): Sequence {
    if (announcement !== undefined) this.#announced.delete(announcement);
    return this.memory.invalidate(tags);
  }

  /**
   * Closes announcements whose writers will not close them. The writers may have committed, so the announced tags are
   * stamped.
   */
  settle(isAbandoned: (announced: Announced) => boolean): void {
    for (const [announcement, announced] of this.#announced) {
      if (isAbandoned(announced)) this.invalidate(announced.tags, announcement);
    }
  }

  #isAnnounced(tags: readonly Tag[]): boolean {
    const isAnnounced = [...this.#announced.values()].some((announced) =>
      announced.tags.some((name) => name === EVERYTHING || tags.includes(name)),
    );
    this.settle(({ by, at }) => by.crashed && this.#clock.now() >= at + HOLD);
    return isAnnounced;
  }
}
