import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Core } from '@strapi/strapi';

interface Store {
  get(key: string): Promise<{ readonly tags: readonly string[] } | undefined>;
}

/**
 * Records which tags invalidated which entries. It helps to find needless invalidations, and requires that URLs are
 * requested one at a time.
 */
export class Causes {
  readonly #store: Store;
  readonly #tagsOf = new Map<string, readonly string[]>();
  readonly #tally = new Map<string, number>();
  #stamped = new Set<string>();
  #storedKey: string | undefined;

  constructor(strapi: Core.Strapi) {
    this.#store = strapi.plugin('rest-cache').service<Store>('cacheStore');
    subscribe('rest-cache:invalidate', this.#invalidated);
    subscribe('rest-cache:store', this.#stored);
  }

  readonly #invalidated = (message: unknown): void => {
    for (const name of (message as { tags: readonly string[] }).tags) this.#stamped.add(name);
  };

  readonly #stored = (message: unknown): void => {
    this.#storedKey = (message as { key: string }).key;
  };

  /** Notes that the entry just stored belongs to this URL. */
  async stored(path: string): Promise<void> {
    const entry = this.#storedKey === undefined ? undefined : await this.#store.get(this.#storedKey);
    if (entry !== undefined) this.#tagsOf.set(path, entry.tags);
    this.#storedKey = undefined;
  }

  /** The tags that invalidated the entry of this URL. */
  causesOf(path: string): string[] {
    return (this.#tagsOf.get(path) ?? []).filter((name) => this.#stamped.has(name));
  }

  /** Counts an invalidation of an entry whose body was still correct. */
  needless(kind: string, path: string): void {
    const causes = this.causesOf(path).map((name) => name.replace(/([#?=~])[^#?=~]*$/, '$1…'));
    const line = `${kind} | ${path.replace(/[a-z0-9]{24}/, ':id')} | ${[...new Set(causes)].slice(0, 4).join(' ')}`;
    this.#tally.set(line, (this.#tally.get(line) ?? 0) + 1);
  }

  forgetStamps(): void {
    this.#stamped = new Set();
  }

  lines(): string[] {
    return [...this.#tally].sort(([, one], [, other]) => other - one).map(([line, count]) => `${count} × ${line}`);
  }

  close(): void {
    unsubscribe('rest-cache:invalidate', this.#invalidated);
    unsubscribe('rest-cache:store', this.#stored);
  }
}
