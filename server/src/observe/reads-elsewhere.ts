import type { Clock, EpochMilliseconds } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import { tableOf, wholeTableTags } from '../dependencies/dependency-tags';
import { Recording } from './recording';

/** What an answer may have been made of beside what was read for it. */
export interface ReadElsewhere {
  readonly tags: ReadonlySet<Tag>;
  /** Noted before any of it was read; `undefined` where the store could not tell. */
  readonly since: Sequence | undefined;
  /** Why an answer that may be made of it must not be kept. */
  readonly unstorable: string | undefined;
}

/** A piece of work (a request, or one statement of nobody's) and its place among all others. */
interface Work {
  readonly recording: Recording;
  /** Numbers count beginnings and ends. */
  readonly began: number;
  /** Of a transaction: when it has gone on. */
  beganAt: EpochMilliseconds;
  /** When the oldest request that was under way had begun. */
  readonly oldest: number;
  readonly isNobodys: boolean;
}

interface Ended {
  readonly read: ReadElsewhere;
  readonly end: number;
  readonly beganAt: EpochMilliseconds;
  readonly isNobodys: boolean;
}

/** Work that has gone on for longer than this before a request comes is not waited for by it. */
const LONGEST = milliseconds(10_000);

/** Pieces of work remembered one by one; of older ones the tables are. */
const MOST = 500;

/** Tags taken one by one; of more, the tables are. */
const MOST_TAGS = 500;

/**
 * What is read while an answer is made, by whomever. Requests may share work: wait for a promise that another has begun,
 * or for a queue that works for nobody in particular. Its reads are then made elsewhere, and nothing tells that an
 * answer was made of them but that they were made at the time.
 */
export class ReadsElsewhere {
  readonly #clock: Clock;
  readonly #sequence: () => Sequence | undefined;
  #count = 0;
  /** In the order of their beginnings. */
  readonly #underWay = new Map<Recording, Work>();
  /** In the order of their ends. */
  #ended: Ended[] = [];

  /** @param sequence the current number, where it can be told at once. */
  constructor(clock: Clock, sequence: () => Sequence | undefined) {
    this.#clock = clock;
    this.#sequence = sequence;
  }

  /** Does the work of a request; its recording is closed then. */
  async during<T>(recording: Recording, work: () => Promise<T>): Promise<T> {
    this.#begin(recording, false);
    try {
      return await work();
    } finally {
      recording.close(() => this.#end(recording));
    }
  }

  /** Runs a statement that no request under way has sent: its reads are recorded, for those who may wait for them. */
  ofNobody<T>(isWriteRequest: boolean, statement: (recording: Recording) => Promise<T>): Promise<T> {
    const recording = new Recording(isWriteRequest, this.#sequence(), true, true);
    this.#begin(recording, true);
    const end = (): void => recording.close(() => this.#end(recording));
    try {
      const answer = statement(recording);
      // Before whoever waits for the answer learns of it, and without a promise more for them to wait for.
      answer.then(end, end);
      return answer;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Begins what no request under way has sent within one transaction: a piece of work, however many statements it has. */
  ofTransaction(isWriteRequest: boolean): { readonly recording: Recording; readonly end: () => void } {
    const recording = new Recording(isWriteRequest, undefined, true, true);
    this.#begin(recording, true);
    return { recording, end: () => recording.close(() => this.#end(recording)) };
  }

  /** Such a transaction has sent another statement, for which others may wait anew. */
  goesOn(recording: Recording): void {
    const work = this.#underWay.get(recording);
    if (work !== undefined) work.beganAt = this.#clock.now();
  }

  /**
   * What others have read while this request was under way, from the beginning of their work; and what was read for
   * nobody since the oldest request began that was under way when this one came.
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
    // A statement that was kept waiting is answered when its request is long over: it is nobody's by now.
    const { beganAt, isNobodys } = this.#underWay.get(recording) ?? { beganAt: this.#clock.now(), isNobodys: true };
    this.#underWay.delete(recording);
    const first = this.#oldestRequest();
    // Nobody is there to take what was read, or will be.
    if (first === undefined) {
      this.#ended = [];
      return;
    }
    if (hasRead(recording)) this.#ended.push({ read: readBy(recording), end: (this.#count += 1), beganAt, isNobodys });
    // Who comes later takes nothing that ended before the oldest had begun.
    if ((this.#ended[0]?.end ?? Infinity) <= first.oldest)
      this.#ended = this.#ended.filter(({ end }) => end > first.oldest);
    if (this.#ended.length > MOST) this.#sumUp();
  }

  /** @param since whoever began earlier does not count. Milliseconds since the epoch. */
  #oldestRequest(since = -Infinity): Work | undefined {
    for (const work of this.#underWay.values()) if (!work.isNobodys && work.beganAt >= since) return work;
    return undefined;
  }

  /** Makes one of the older half: they are remembered by their tables, as if each had ended with the last of them. */
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
    tags: tags.size > mostTags ? new Set([...new Set([...tags].map(tableOf))].flatMap(wholeTableTags)) : tags,
    since: earliest(reads.map(({ since }) => since)),
    unstorable: reads.find(({ unstorable }) => unstorable !== undefined)?.unstorable,
  };
};

/** `undefined` where one of them is. */
export const earliest = (numbers: ReadonlyArray<Sequence | undefined>): Sequence | undefined => {
  let found: Sequence | undefined;
  for (const number of numbers) {
    if (number === undefined) return undefined;
    if (found === undefined || number < found) found = number;
  }
  return found;
};
