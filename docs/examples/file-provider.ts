import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import { sequence, type Sequence } from '../../server/src/cache/sequence';
import { EVERYTHING, type Tag } from '../../server/src/cache/tag';
import type { Guard, Health, Lookup, Provider } from '../../server/src/cache/provider';

/** Stamps remembered one by one before all of them are summed up in the floor. */
const MAX_STAMPS = 100_000;

/** An entry from further ahead was made before the clock was put back, so nobody knows its age. Milliseconds. */
const MOST_AHEAD = 60_000;

interface Held {
  /** Everything but the body, which is in the file. */
  readonly entry: Entry;
  readonly file: string;
  readonly bytes: number;
}

/**
 * Bodies in files, everything else in memory. A restart begins with an empty folder: what this process does not
 * remember it cannot prove to be fresh.
 */
export class FileProvider implements Provider {
  readonly name = 'file';
  readonly #directory: string;
  readonly #now: () => number;
  readonly #held = new Map<CacheKey, Held>();
  readonly #stamps = new Map<Tag, Sequence>();
  readonly #ready: Promise<unknown>;
  readonly #since = Date.now();
  #sequence = sequence(0);
  /** Every tag that is not in `#stamps` counts as stamped with this number. */
  #floor = sequence(0);

  constructor(directory: string, now: () => number = Date.now) {
    this.#directory = directory;
    this.#now = now;
    this.#ready = rm(directory, { recursive: true, force: true }).then(() => mkdir(directory, { recursive: true }));
    // Whoever waits for it is told; if nobody does yet, a failure must not end the process.
    this.#ready.catch(() => undefined);
  }

  async lookup(key: CacheKey, guard?: Guard): Promise<Lookup> {
    const held = this.#held.get(key);
    if (held === undefined) return { sequence: this.#sequence };
    if (!this.#isFresh(held.entry)) {
      await this.#drop(held);
      return { sequence: this.#sequence };
    }
    if (guard !== undefined && this.#isStamped(guard.tags, guard.since)) return { sequence: this.#sequence };
    const noted = this.#sequence;
    try {
      const body = await readFile(held.file);
      return { entry: { ...held.entry, response: { ...held.entry.response, body } } };
    } catch {
      // Replaced or dropped while it was read. The number noted before is the safe one.
      return { sequence: noted };
    }
  }

  knownSequence(): Sequence {
    return this.#sequence;
  }

  async store(entry: Entry): Promise<boolean> {
    await this.#ready;
    const { body } = entry.response;
    const file = join(this.#directory, randomUUID());
    await writeFile(file, body);
    const held: Held = {
      entry: { ...entry, response: { ...entry.response, body: Buffer.alloc(0) } },
      file,
      bytes: body.byteLength,
    };
    // Asked after the last wait: an invalidation may have come while the file was written.
    if (!this.#isFresh(entry)) {
      await rm(file, { force: true });
      return false;
    }
    const replaced = this.#held.get(entry.key);
    this.#held.set(entry.key, held);
    if (replaced !== undefined) await rm(replaced.file, { force: true });
    return true;
  }

  #isStamped(tags: readonly Tag[], since: Sequence): boolean {
    return [EVERYTHING, ...tags].some((name) => (this.#stamps.get(name) ?? this.#floor) > since);
  }

  /** One process: entries and stamps die together, so there is nothing to announce. */
  announce(): undefined {
    return undefined;
  }

  invalidate(tags: readonly Tag[]): Sequence {
    this.#sequence = sequence(this.#sequence + 1);
    for (const name of tags) this.#stamps.set(name, this.#sequence);
    if (this.#stamps.size > MAX_STAMPS) {
      this.#stamps.clear();
      this.#floor = this.#sequence;
    }
    return this.#sequence;
  }

  async delete(key: CacheKey): Promise<boolean> {
    const held = this.#held.get(key);
    if (held !== undefined) await this.#drop(held);
    return held !== undefined;
  }

  async *entries(): AsyncIterable<Entry> {
    for (const key of [...this.#held.keys()]) {
      const { entry } = await this.lookup(key);
      if (entry !== undefined) yield entry;
    }
  }

  usage(): { entries: number; bytes: number; maxBytes: undefined } {
    let bytes = 0;
    for (const held of this.#held.values()) bytes += held.bytes;
    return { entries: this.#held.size, bytes, maxBytes: undefined };
  }

  async clear(): Promise<void> {
    this.invalidate([EVERYTHING]);
    for (const held of [...this.#held.values()]) await this.#drop(held);
  }

  health(): Health {
    return { state: 'up', since: this.#since };
  }

  async close(): Promise<void> {
    await this.#ready;
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** The one rule: young enough, and nothing it was computed from was stamped since. */
  #isFresh({ createdAt, maxAge, tags, sequence: since }: Entry): boolean {
    const age = this.#now() - createdAt;
    return age < maxAge && age >= -MOST_AHEAD && !this.#isStamped(tags, since);
  }

  async #drop(held: Held): Promise<void> {
    if (this.#held.get(held.entry.key) === held) this.#held.delete(held.entry.key);
    await rm(held.file, { force: true });
  }
}

/** What the plugin calls when `provider.name` is the path of this module. */
export const createProvider = (options: Readonly<Record<string, unknown>>): Provider => {
  if (typeof options.directory !== 'string') throw new Error('provider.options.directory: not a path');
  return new FileProvider(options.directory);
};
