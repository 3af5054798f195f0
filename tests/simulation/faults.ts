import type { Clock } from '../../server/src/cache/clock';
import type { Entry } from '../../server/src/cache/entry';
import { isYoung } from '../../server/src/cache/freshness';
import type { CacheKey } from '../../server/src/cache/key';
import {
  ResponseCache,
  type Compute,
  type Resolution,
  type ResponseCacheSettings,
} from '../../server/src/cache/response-cache';
import type { InvalidationSink } from '../../server/src/observe/commit-and-stamp';
import { noted } from '../../provider-suite';
import { Recording } from '../../server/src/observe/recording';
import type { Provider } from '../../server/src/cache/provider';
import type { Installation } from './plan';
import type { Parts } from './scene';

/** A mistake that somebody might make, built from the engine's own parts. The production code has no switch for it. */
export interface Fault {
  readonly title: string;
  /** The smallest installation in which the mistake shows. */
  readonly installation: Installation;
  readonly parts: Partial<Parts>;
}

const ALONE: Installation = { store: 'memory', processes: 1 };
const REMOTE: Installation = { store: 'shared', processes: 1 };
const SEVERAL: Installation = { store: 'shared', processes: 2 };

/** The same provider with some of its methods replaced. */
const altered = (store: Provider, methods: Partial<Provider>): Provider =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });

/**
 * Notes the sequence number when storing instead of before computing. The number says how old the data is, so a number
 * noted too late makes old data count as new.
 */
const noteSequenceWhenStoring = (store: Provider): Provider =>
  altered(store, {
    store: async (entry: Entry) => store.store({ ...entry, sequence: await noted(store) }),
  });

/** Coalescing as it is usually written: every request for a key waits for the computation that is under way. */
class JoinsWhateverRuns extends ResponseCache {
  readonly #running = new Map<CacheKey, Promise<Resolution>>();
  readonly #clock: Clock;

  constructor(settings: ResponseCacheSettings) {
    super(settings);
    this.#clock = settings.clock;
  }

  override async resolve(key: CacheKey, compute: Compute): Promise<Resolution> {
    const joinedAt = this.#clock.now();
    const joined = await this.#running.get(key)?.catch(() => undefined);
    if (joined?.kind === 'miss' && isYoung(joined.entry, joinedAt))
      return { kind: 'hit', entry: joined.entry, collapsed: true };
    const resolution = super.resolve(key, compute);
    this.#running.set(key, resolution);
    try {
      return await resolution;
    } finally {
      if (this.#running.get(key) === resolution) this.#running.delete(key);
    }
  }
}

/** What `commitAndStamp` would do if it stamped first and then committed. */
const stampBeforeCommitOnly = (store: Provider): InvalidationSink => ({
  announce: async (tags) => {
    await store.invalidate(tags);
    return undefined;
  },
  invalidate: () => undefined,
});

/** What `commitAndStamp` would do if it did not wait for the stamp before it acknowledges the write. */
const stampUnawaited = (store: Provider): InvalidationSink => ({
  announce: (tags) => store.announce(tags),
  invalidate: (tags, announcement) => {
    void Promise.resolve(store.invalidate(tags, announcement)).catch(() => undefined);
  },
});

/** The same without an announcement before the commit, as with a provider that needs none. */
const stampUnawaitedAndUnannounced = (store: Provider): InvalidationSink => ({
  ...stampUnawaited(store),
  announce: () => undefined,
});

/** Stamps correctly, but announces nothing before the commit, so a crash between commit and stamp goes unnoticed. */
const announceNothing = (store: Provider): InvalidationSink => ({
  announce: () => undefined,
  invalidate: (tags) => store.invalidate(tags),
});

/** Stores responses that show uncommitted writes. */
class IgnoresTransactions extends Recording {
  override forbidStoring(): void {
    // Does nothing: this is the fault.
  }
}

/** Loses one of the tags that a response depends on. */
const loseATag = (store: Provider): Provider =>
  altered(store, {
    store: (entry: Entry) => store.store({ ...entry, tags: entry.tags.filter((name) => !name.endsWith('#1')) }),
  });

export const FAULTS: readonly Fault[] = [
  {
    title: 'sequence read when storing instead of before computing',
    installation: ALONE,
    parts: { provider: noteSequenceWhenStoring },
  },
  {
    title: 'joining a computation begun before a stamp',
    installation: ALONE,
    parts: { cache: (settings) => new JoinsWhateverRuns(settings) },
  },
  { title: 'stamping before commit only', installation: ALONE, parts: { sink: stampBeforeCommitOnly } },
  { title: 'stamping un-awaited after commit', installation: REMOTE, parts: { sink: stampUnawaited } },
  {
    title: 'stamping un-awaited after an unannounced commit',
    installation: REMOTE,
    parts: { sink: stampUnawaitedAndUnannounced },
  },
  {
    title: 'storing what was computed inside a transaction that later rolls back',
    installation: ALONE,
    parts: { recording: () => new IgnoresTransactions() },
  },
  { title: 'announcing nothing before a crash', installation: SEVERAL, parts: { sink: announceNothing } },
  { title: 'losing a tag', installation: ALONE, parts: { provider: loseATag } },
];
