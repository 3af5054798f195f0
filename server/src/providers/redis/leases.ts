import type { CacheKey } from '../../cache/key';
import type { Commands } from './commands';
import type { Link } from './link';

/** Leases last a second: what has piled up beyond this has run out. */
const MAX_LEFT = 1000;

/** The leases on cold keys that this process may hold without being able to tell that it does not use them. */
export class Leases {
  readonly #left = new Set<CacheKey>();
  readonly #link: Link;
  readonly #commands: Commands;

  constructor(link: Link, commands: Commands) {
    this.#link = link;
    this.#commands = commands;
  }

  /** Does what may give a lease or give it back. Where that fails, others must not wait for it once Redis is back. */
  async holding<T>(key: CacheKey, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#left.size < MAX_LEFT) this.#left.add(key);
      // It may have failed before the link went down, and be heard of when it is on its way up again.
      if (this.#link.isInContact) void this.giveBack().catch(() => undefined);
      throw error;
    }
  }

  async giveBack(): Promise<void> {
    const left = [...this.#left];
    this.#left.clear();
    await Promise.all(
      left.map((key) =>
        this.#commands.unlease(key, 1).catch((error: unknown) => {
          this.#left.add(key);
          throw error;
        }),
      ),
    );
  }
}
