import { totalmem } from 'node:os';
import type { Clock } from '../cache/clock';
import { sizeOf, type Entry } from '../cache/entry';
import type { EntrySummary, SummaryQuestion } from '../cache/entry-summary';
import { mayBeServed } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import { NoRoom } from '../cache/no-room';
import { NO_INVALIDATION, sequence, type Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import { TagTexts } from '../cache/tag-texts';
import { ProcessLedger } from '../edge/process-ledger';
import type { EdgeLedger, Guard, Health, Lookup, Provider, ProviderEvents } from '../cache/provider';
import { HeldEntries } from './held-entries';

export const DEFAULT_MAX_SIZE = 32767;

interface MemoryProviderSettings {
  readonly clock: Clock;
  /** Entries held before the least recently used go. Default 32767. */
  readonly maxSize?: number;
  /** Bytes held before the least recently used go. Default: see {@link defaultMaxBytes}. */
  readonly maxBytes?: number;
  readonly events?: ProviderEvents;
}

/** The sweep rests this many times as long as it worked, so that it never costs more than a few percent. */
const SWEEP_REST_FACTOR = 30;

/** Nobody expects a cache to take more without being asked: other processes may share a large machine. */
const MAX_DEFAULT_BYTES = 2 ** 30;

/**
 * A quarter of the memory that the process may use, and at most 1 GiB. Bodies are Buffers, outside the JavaScript heap:
 * the container's or the machine's memory limits them.
 */
export const defaultMaxBytes = (
  constrained: number | undefined = process.constrainedMemory(),
  machine: number = totalmem(),
): number => {
  const available = constrained !== undefined && constrained > 0 ? Math.min(constrained, machine) : machine;
  return Math.min(Math.floor(available / 4), MAX_DEFAULT_BYTES);
};

/** The bytes of a large budget that evicted bodies may occupy until the garbage collector frees them. */
const collectorSlack = (maxBytes: number): number =>
  maxBytes < LARGE_BUDGET ? 0 : Math.min(MAX_COLLECTOR_SLACK, Math.floor(maxBytes / 10));

const LARGE_BUDGET = 256 * 2 ** 20;
const MAX_COLLECTOR_SLACK = 96 * 2 ** 20;

/** Keeps entries in this process's memory and evicts the least recently used first. Answers synchronously. */
export class MemoryProvider implements Provider {
  readonly name = 'memory';
  readonly reportsSwept = true;
  readonly isOfOneProcess = true;
  readonly edge: EdgeLedger = new ProcessLedger((guard) => this.holds(guard));
  readonly #held: HeldEntries;
  readonly #tagTexts = new TagTexts();
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #startedAt: number;
  #sequence: Sequence = NO_INVALIDATION;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor({ clock, maxSize = DEFAULT_MAX_SIZE, maxBytes, events = {} }: MemoryProviderSettings) {
    this.#clock = clock;
    this.#maxBytes = maxBytes ?? defaultMaxBytes();
    this.#startedAt = clock.now();
    this.#held = new HeldEntries({
      maxSize,
      maxBytes: this.#maxBytes - collectorSlack(this.#maxBytes),
      onDead: (entry) => events.swept?.(entry),
      onEvicted: (key) => events.evict?.([key]),
    });
  }

  lookup(key: CacheKey, guard?: Guard): Lookup {
    const entry = this.#held.get(key, this.#clock.now());
    return entry !== undefined && (guard === undefined || this.holds(guard)) ? { entry } : { sequence: this.#sequence };
  }

  lookupExpired(key: CacheKey): Entry | undefined {
    return this.#held.getExpired(key, this.#clock.now());
  }

  knownSequence(): Sequence {
    return this.#sequence;
  }

  store(entry: Entry): boolean {
    if (!mayBeServed(entry, this.#clock.now())) return false;
    if (this.#held.put({ ...entry, tags: this.#tagTexts.share(entry.tags) }, entry.sequence)) return true;
    if (sizeOf(entry) > this.#held.maxBytes) throw new NoRoom();
    return false;
  }

  holds(guard: Guard): boolean {
    return this.#held.holds(guard);
  }

  announce(): undefined {
    // Entries and stamps die together with the process.
    return undefined;
  }

  invalidate(tags: readonly Tag[]): Sequence {
    this.#sequence = sequence(this.#sequence + 1);
    this.#held.stamp(tags, this.#sequence);
    this.#scheduleSweep();
    return this.#sequence;
  }

  delete(key: CacheKey): boolean {
    return this.#held.delete(key);
  }

  summaries(question: SummaryQuestion): Iterable<readonly EntrySummary[]> {
    return this.#held.summaries(question, () => this.#clock.now());
  }

  usage(): { entries: number; bytes: number; maxBytes: number } {
    return { entries: this.#held.count, bytes: this.#held.bytes, maxBytes: this.#maxBytes };
  }

  clear(): void {
    this.invalidate([EVERYTHING]);
    this.#held.clear();
  }

  health(): Health {
    return { state: 'up', since: this.#startedAt };
  }

  close(): void {
    clearTimeout(this.#sweepTimer);
    this.#held.clear();
  }

  /**
   * Schedules a sweep that frees entries which are invalidated or too old, a slice at a time, so that an invalidation
   * never blocks the event loop.
   */
  #scheduleSweep(): void {
    const sweep = (): void =>
      this.#sweep(
        this.#held.sweep(() => this.#clock.now()),
        this.#sequence,
        0,
      );
    this.#sweepTimer ??= setTimeout(sweep, 50).unref();
  }

  #sweep(steps: Iterator<undefined>, startedAt: Sequence, worked: number): void {
    const began = performance.now();
    const isOver = steps.next().done === true;
    const total = worked + performance.now() - began;
    const goOn = (): void => this.#sweep(steps, startedAt, total);
    const rest = (): void => {
      this.#sweepTimer = undefined;
      if (startedAt !== this.#sequence) this.#scheduleSweep();
    };
    const pause = isOver ? Math.max(1000, total * SWEEP_REST_FACTOR) : 1;
    this.#sweepTimer = setTimeout(isOver ? rest : goOn, pause).unref();
  }
}
