import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Core } from '@strapi/strapi';

interface Store {
  get(key: string): Promise<{ readonly tags: readonly string[] } | undefined>;
}

/** Says by which tags entries went. For those who look for a needless one: it asks for URLs one at a time. */
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

  /** The entry just stored is this URL's. */
  async stored(path: string): Promise<void> {
    const entry = this.#storedKey === undefined ? undefined : await this.#store.get(this.#storedKey);
    if (entry !== undefined) this.#tagsOf.set(path, entry.tags);
    this.#storedKey = undefined;
  }

  /** The tags by which an entry went. */
  causesOf(path: string): string[] {
    return (this.#tagsOf.get(path) ?? []).filter((name) => this.#stamped.has(name));
  }

  /** Remembers that an entry went although it was right. */
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
