import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../server/src/cache/clock';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds, type Milliseconds } from '../../server/src/cache/milliseconds';
import { ResponseCache, type Computation } from '../../server/src/cache/response-cache';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import type { Provider } from '../../server/src/cache/provider';

/** Milliseconds after which something that has not recovered counts as hanging. */
const PATIENCE = 60_000;

/** One Strapi process as far as the cache is concerned: an engine on a provider. */
export interface Instance {
  readonly provider: Provider;
  readonly cache: ResponseCache;
}

export const instanceOf = (provider: Provider, getTimeout: Milliseconds, clock: Clock): Instance => ({
  provider,
  cache: new ResponseCache({ provider, clock, getTimeout, onStoreError: () => undefined }),
});

export interface Read {
  readonly kind: 'hit' | 'miss' | 'uncached';
  readonly version: number;
}

export interface StaleRead {
  readonly key: string;
  readonly instance: number;
  readonly seen: number;
  readonly acknowledged: number;
  /** The time at which the read began, in monotonic milliseconds. */
  readonly at: number;
}

export interface Conduct {
  readonly keys?: number;
  readonly readersPerInstance?: number;
  /** Milliseconds between the writes of one instance; 0 for no writers. */
  readonly writeEvery?: number;
  /** The size of a body in bytes. */
  readonly bodySize?: number;
}

/**
 * A "database" in which every row is a version number, and the readers and writers of several instances. A read that
 * begins after version n of a row was acknowledged must see n or later. Anything else is stale.
 */
export class VersionedDatabase {
  readonly #committed = new Map<string, number>();
  readonly #acknowledged = new Map<string, number>();
  readonly #running: Array<Promise<void>> = [];
  #stopped = false;
  readonly stale: StaleRead[] = [];
  readonly errors: unknown[] = [];
  reads = 0;
  hits = 0;
  writes = 0;
  computations = 0;

  constructor(
    readonly instances: readonly Instance[],
    readonly bodySize = 100,
  ) {}

  async read(index: number, key: string): Promise<Read> {
    const instance = this.instances[index];
    if (instance === undefined) throw new Error(`no instance ${index}`);
    const acknowledged = this.#acknowledged.get(key) ?? 0;
    const at = performance.now();
    let version = -1;
    const resolution = await instance.cache.resolve(`/api/${key}?&&` as CacheKey, async () => {
      this.computations += 1;
      // The version is read at the beginning, and the time passes afterwards: the worst case for a cache.
      version = this.#committed.get(key) ?? 0;
      await delay(1 + Math.random() * 4);
      return this.#computation(key, version);
    });
    if (resolution.kind !== 'uncached') version = Number(resolution.entry.response.body.toString().split(' ')[0]);
    this.reads += 1;
    if (resolution.kind === 'hit') this.hits += 1;
    if (version < acknowledged) this.stale.push({ key, instance: index, seen: version, acknowledged, at });
    return { kind: resolution.kind, version };
  }

  /**
   * Announces, commits, stamps and acknowledges, as `commitAndStamp` does. A failure of the store does not fail the
   * write.
   */
  async write(index: number, key: string): Promise<number> {
    const provider = this.instances[index]?.provider;
    if (provider === undefined) throw new Error(`no instance ${index}`);
    const tags = [tag(key)];
    const announcement = await attempt(() => provider.announce(tags));
    await delay(1);
    const version = (this.#committed.get(key) ?? 0) + 1;
    this.#committed.set(key, version);
    await attempt(() => provider.invalidate(tags, announcement));
    this.#acknowledged.set(key, Math.max(version, this.#acknowledged.get(key) ?? 0));
    this.writes += 1;
    return version;
  }

  /** Announces a write whose commit fails. */
  async rollBack(index: number, key: string): Promise<void> {
    const provider = this.instances[index]?.provider;
    const announcement = await attempt(() => provider?.announce([tag(key)]));
    await delay(1);
    await attempt(() => provider?.invalidate([tag(key)], announcement));
  }

  /** A commit whose process dies before it can report it. */
  commitUntold(key: string): void {
    const version = (this.#committed.get(key) ?? 0) + 1;
    this.#committed.set(key, version);
    this.#acknowledged.set(key, version);
  }

  /** Keeps readers and writers busy until {@link stop}. */
  start({ keys = 6, readersPerInstance = 2, writeEvery = 15 }: Conduct = {}): void {
    const someKey = (): string => `row${Math.floor(Math.random() * keys)}`;
    this.instances.forEach((_, index) => {
      for (let reader = 0; reader < readersPerInstance; reader += 1) {
        this.#loop(async () => {
          await this.read(index, someKey());
          await delay(Math.random() * 4);
        });
      }
      if (writeEvery > 0) {
        this.#loop(async () => {
          await delay(writeEvery * (0.5 + Math.random()));
          if (Math.random() < 0.1) await this.rollBack(index, someKey());
          else await this.write(index, someKey());
        });
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** Waits until every instance serves hits, however slow the machine is. An instance that hangs fails the test. */
  async untilCaching(): Promise<void> {
    const until = performance.now() + PATIENCE;
    for (const index of this.instances.keys()) {
      const key = `probe${index}`;
      for (;;) {
        await this.read(index, key);
        if ((await this.read(index, key)).kind === 'hit') break;
        if (performance.now() > until) throw new Error(`instance ${index} does not come back to caching`);
        await delay(10);
      }
    }
  }

  /** Waits until so many reads have been hits. */
  async untilHits(count: number): Promise<void> {
    const until = performance.now() + PATIENCE;
    while (this.hits < count) {
      if (performance.now() > until) throw new Error(`only ${this.hits} of ${count} hits`);
      await delay(10);
    }
  }

  #loop(step: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      while (!this.#stopped) {
        try {
          await step();
        } catch (error) {
          this.errors.push(error);
          return;
        }
      }
    };
    this.#running.push(run());
  }

  #computation(key: string, version: number): Computation {
    return {
      response: {
        status: 200,
        headers: [],
        body: Buffer.from(`${version} `.padEnd(this.bodySize, `${key}.`)),
        etag: undefined,
      },
      labels: { contentType: 'api::row.row', route: '/api/rows', params: {}, identity: '' },
      tags: [EVERYTHING, tag(key)],
      maxAge: milliseconds(86_400_000),
    };
  }
}

const attempt = async <T>(operation: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await operation();
  } catch {
    return undefined;
  }
};
