import type { Clock, EpochMilliseconds } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import { namedBy, wholeTableTags } from '../dependencies/tags';
import { Recording } from './recording';

/** What other work has read that an answer may have been made of. */
export interface ReadElsewhere {
  readonly tags: ReadonlySet<Tag>;
  /** The sequence number noted before any of it was read; `undefined` if none was at hand. */
  readonly since: Sequence | undefined;
  /** Why an answer that may be made of it must not be stored; `undefined` if it may be. */
  readonly unstorable: string | undefined;
}

/**
 * A piece of work and its place among all others: a request, or what no request under way has sent (one statement, or
 * those of one transaction).
 */
interface Work {
  readonly recording: Recording;
  /** The number of its beginning. Beginnings and ends are numbered together. */
  readonly began: number;
  /** For a transaction, when it has last sent a statement. */
  beganAt: EpochMilliseconds;
  /** The number of the beginning of the oldest request that was under way then. */
  readonly oldest: number;
  readonly isNobodys: boolean;
}

interface Ended {
  readonly read: ReadElsewhere;
  readonly end: number;
  readonly beganAt: EpochMilliseconds;
  readonly isNobodys: boolean;
}

/** Work that no request under way has sent, and the function that ends it. */
export interface NobodysWork {
  readonly recording: Recording;
  readonly end: () => void;
}

/** Work that began longer than this before a request is taken not to be waited for by the request. */
const LONGEST = milliseconds(10_000);

/** Ended pieces of work that are remembered one by one; of older ones, only the tables are remembered. */
const MOST = 500;

/** Tags that an answer takes over one by one; of more, it takes over the tables. */
const MOST_TAGS = 500;

/**
 * Knows what was read while an answer was made, no matter for whom. Requests may share work: they may wait for a
 * promise that another request has begun, or for a queue that belongs to no request. The reads of such work are made
 * elsewhere, and only their time shows that an answer may have been made of them.
 */
export class ReadsElsewhere {
  readonly #clock: Clock;
  readonly #sequence: () => Sequence | undefined;
  #count = 0;
  /** In the order of their beginnings. */
  readonly #underWay = new Map<Recording, Work>();
  /** In the order of their ends. */
  #ended: Ended[] = [];

  /** @param sequence returns the current sequence number, if it is known without asking the store. */
  constructor(clock: Clock, sequence: () => Sequence | undefined) {
    this.#clock = clock;
    this.#sequence = sequence;
  }

  /** Runs the work of a request, and closes its recording afterwards. */
  async during<T>(recording: Recording, work: () => Promise<T>): Promise<T> {
    this.#begin(recording, false);
    try {
      return await work();
    } finally {
      recording.close(() => this.#end(recording));
    }
  }

  /**
   * Runs a statement that no request under way has sent: its reads are recorded for requests that may wait for them.
   */
  ofNobody<T>(isWriteRequest: boolean, statement: (recording: Recording) => Promise<T>): Promise<T> {
    const { recording, end } = this.#ofNobody(isWriteRequest, this.#sequence());
    try {
      const answer = statement(recording);
      // Attached first, so that it runs before the caller continues, and gives the caller no further promise to wait
      // for.
      answer.then(end, end);
      return answer;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Begins a piece of work for all statements of one transaction that no request under way has sent; `end` ends it. */
  ofTransaction(isWriteRequest: boolean): NobodysWork {
    return this.#ofNobody(isWriteRequest, undefined);
  }

  /** Called when such a transaction sends another statement, which requests may wait for as well. */
  goesOn(recording: Recording): void {
    const work = this.#underWay.get(recording);
    if (work !== undefined) work.beganAt = this.#clock.now();
  }

  /**
   * What other requests have read whose work was under way at the same time as this request, from the beginning of
   * their work; and what statements of no request have read since the oldest request began that was under way when this
   * one came. `undefined` if that is nothing.
   */
  beside(recording: Recording): ReadElsewhere | undefined {
    const own = this.#underWay.get(recording);
    if (own === undefined) return undefined;
    const earliest = own.beganAt - LONGEST;
    const found = this.#ended
      .filter(({ end, beganAt, isNobodys }) => end > (isNobodys ? own.oldest : own.began) && beganAt >= earliest)
      .map(({ read }) => read);
    for (const work of this.#underWay.values())
      if (work !== own && work.beganAt >= earliest && hasRead(work.recording)) found.push(readBy(work.recording));
    return found.length === 0 ? undefined : merged(found, MOST_TAGS);
  }

  #ofNobody(isWriteRequest: boolean, since: Sequence | undefined): NobodysWork {
    const recording = new Recording(isWriteRequest, since, true, true);
    this.#begin(recording, true);
    return { recording, end: () => recording.close(() => this.#end(recording)) };
  }

  #begin(recording: Recording, isNobodys: boolean): void {
    const beganAt = this.#clock.now();
    const began = (this.#count += 1);
    this.#underWay.set(recording, {
      recording,
      began,
      beganAt,
      oldest: this.#oldestRequest(beganAt - LONGEST)?.began ?? began,
      isNobodys,
    });
  }

  #end(recording: Recording): void {
    // A statement that was kept waiting may be answered long after its request has ended. It then belongs to no
    // request.
    const { beganAt, isNobodys } = this.#underWay.get(recording) ?? { beganAt: this.#clock.now(), isNobodys: true };
    this.#underWay.delete(recording);
    const first = this.#oldestRequest();
    // No request is under way, and later ones do not need what was read before them.
    if (first === undefined) {
      this.#ended = [];
      return;
    }
    if (hasRead(recording)) this.#ended.push({ read: readBy(recording), end: (this.#count += 1), beganAt, isNobodys });
    // Neither requests under way nor later ones take what ended before `first.oldest`.
    if ((this.#ended[0]?.end ?? Infinity) <= first.oldest)
      this.#ended = this.#ended.filter(({ end }) => end > first.oldest);
    if (this.#ended.length > MOST) this.#sumUp();
  }

  /** @param since requests that began earlier do not count. Milliseconds since the epoch. */
  #oldestRequest(since = -Infinity): Work | undefined {
    for (const work of this.#underWay.values()) if (!work.isNobodys && work.beganAt >= since) return work;
    return undefined;
  }

  /**
   * Merges the older half into one piece of work, remembered by its tables, as if all had ended with the last of them.
   */
  #sumUp(): void {
    const older = this.#ended.splice(0, MOST / 2);
    const last = older.at(-1);
    if (last === undefined) return;
    const read = merged(
      older.map((ended) => ended.read),
      0,
    );
    const beganAt = milliseconds(Math.max(...older.map((ended) => ended.beganAt)));
    this.#ended.unshift({ read, end: last.end, beganAt, isNobodys: older.some(({ isNobodys }) => isNobodys) });
  }
}

const hasRead = ({ content, unstorable }: Recording): boolean => content.size > 0 || unstorable !== undefined;

const readBy = ({ content, since, unstorable }: Recording): ReadElsewhere => ({ tags: content, since, unstorable });

const merged = (reads: readonly ReadElsewhere[], mostTags: number): ReadElsewhere => {
  const tags = new Set<Tag>();
  for (const read of reads) for (const name of read.tags) tags.add(name);
  return {
    tags: tags.size > mostTags ? new Set([...tags].flatMap((name) => wholeTableTags(namedBy(name).table ?? ''))) : tags,
    since: earliest(reads.map(({ since }) => since)),
    unstorable: reads.find(({ unstorable }) => unstorable !== undefined)?.unstorable,
  };
};

/** The lowest of these numbers; `undefined` if one of them is, or if there are none. */
export const earliest = (numbers: ReadonlyArray<Sequence | undefined>): Sequence | undefined => {
  let found: Sequence | undefined;
  for (const number of numbers) {
    if (number === undefined) return undefined;
    if (found === undefined || number < found) found = number;
  }
  return found;
};
