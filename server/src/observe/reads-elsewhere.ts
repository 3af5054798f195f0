import { said, type Sentence } from '../cache/sentence';
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
  readonly unstorable: Sentence | undefined;
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
  readonly isBackground: boolean;
}

/** Work that is over. */
interface Ended {
  /** The number of its end. */
  readonly end: number;
  readonly beganAt: EpochMilliseconds;
  readonly isBackground: boolean;
}

/** Work that no request under way has sent, and the function that ends it. */
export interface BackgroundWork {
  readonly recording: Recording;
  readonly end: () => void;
}

/** Work that began longer than this before a request is taken not to be waited for by the request. */
const LONGEST = milliseconds(10_000);

/** Ended pieces of work that are remembered. An answer that may be made of older ones is not stored. */
const MOST = 2000;

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
  readonly #ended = new Map<Recording, Ended>();
  /** The number of the latest end that is not remembered any more although requests under way may need it. */
  #forgotten = 0;

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
  inBackground<T>(isWriteRequest: boolean, statement: (recording: Recording) => Promise<T>): Promise<T> {
    const { recording, end } = this.#background(isWriteRequest, this.#sequence());
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
  ofTransaction(isWriteRequest: boolean): BackgroundWork {
    return this.#background(isWriteRequest, undefined);
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
    if (this.#forgotten > own.oldest) return { tags: new Set(), since: undefined, unstorable: TOO_MUCH };
    const found: Recording[] = [];
    for (const [other, { end, beganAt, isBackground }] of this.#ended)
      if (end > (isBackground ? own.oldest : own.began) && beganAt >= earliest) found.push(other);
    for (const work of this.#underWay.values())
      if (work !== own && work.beganAt >= earliest && hasRead(work.recording)) found.push(work.recording);
    return found.length === 0 ? undefined : merged(found);
  }

  #background(isWriteRequest: boolean, since: Sequence | undefined): BackgroundWork {
    const recording = new Recording({ isWriteRequest, since, namesTablesOnly: true });
    this.#begin(recording, true);
    return { recording, end: () => recording.close(() => this.#end(recording)) };
  }

  #begin(recording: Recording, isBackground: boolean): void {
    const beganAt = this.#clock.now();
    const began = (this.#count += 1);
    this.#underWay.set(recording, {
      recording,
      began,
      beganAt,
      oldest: this.#oldestRequest(beganAt - LONGEST)?.began ?? began,
      isBackground,
    });
  }

  #end(recording: Recording): void {
    // A statement that was kept waiting may be answered long after its request has ended. It then belongs to no
    // request.
    const { beganAt, isBackground } = this.#underWay.get(recording) ?? {
      beganAt: this.#clock.now(),
      isBackground: true,
    };
    this.#underWay.delete(recording);
    const first = this.#oldestRequest();
    // No request is under way, and later ones do not need what was read before them.
    if (first === undefined) {
      this.#ended.clear();
      return;
    }
    this.#ended.delete(recording);
    if (hasRead(recording)) this.#ended.set(recording, { end: (this.#count += 1), beganAt, isBackground });
    for (const [other, { end }] of this.#ended) {
      // Neither requests under way nor later ones take what ended before `first.oldest`.
      const isNeeded = end > first.oldest;
      if (isNeeded && this.#ended.size <= MOST) break;
      this.#ended.delete(other);
      if (isNeeded) this.#forgotten = end;
    }
  }

  /** @param since requests that began earlier do not count. Milliseconds since the epoch. */
  #oldestRequest(since = -Infinity): Work | undefined {
    for (const work of this.#underWay.values()) if (!work.isBackground && work.beganAt >= since) return work;
    return undefined;
  }
}

const TOO_MUCH = said('too-much-read')`more was read at the same time than is remembered`;

const hasRead = ({ content, unstorable }: Recording): boolean => content.size > 0 || unstorable !== undefined;

const merged = (recordings: readonly Recording[]): ReadElsewhere => {
  const tags = new Set<Tag>();
  for (const { content } of recordings) for (const name of content) tags.add(name);
  return {
    tags: tags.size > MOST_TAGS ? new Set(tablesOf(tags).flatMap(wholeTableTags)) : tags,
    since: earliest(recordings.map(({ since }) => since)),
    unstorable: recordings.find(({ unstorable }) => unstorable !== undefined)?.unstorable,
  };
};

/** The tables of tags, all of which name one. */
const tablesOf = (tags: ReadonlySet<Tag>): string[] => [...new Set([...tags].map((name) => namedBy(name).table ?? ''))];

/** The lowest of these numbers; `undefined` if one of them is, or if there are none. */
export const earliest = (numbers: ReadonlyArray<Sequence | undefined>): Sequence | undefined => {
  let found: Sequence | undefined;
  for (const number of numbers) {
    if (number === undefined) return undefined;
    if (found === undefined || number < found) found = number;
  }
  return found;
};
