import { sequence, type Sequence } from '../../cache/sequence';

/** The first part of every script's reply. `number` counts from 0 within an epoch. */
export interface Position {
  readonly epoch: string;
  readonly generation: number;
  readonly number: number;
}

/**
 * Redis counts from zero again in each epoch; the engine must never see a number twice. Numbers of an epoch are moved
 * above everything this process has seen before, so that whatever was noted in an earlier epoch is older than all of
 * the present one. The moved numbers mean nothing to other processes and are never sent to them.
 */
export class Numbering {
  #epoch = '';
  #generation = 0;
  #highest = 0;
  #base = 0;

  /** The memory of this process, which the scripts compare with Redis: epoch, generation, highest number seen. */
  get remembered(): readonly [epoch: string, generation: number, highest: number] {
    return [this.#epoch, this.#generation, this.#highest];
  }

  get epoch(): string {
    return this.#epoch;
  }

  /** The highest number seen, as the engine knows it. */
  get highest(): Sequence {
    return sequence(this.#base + this.#highest);
  }

  /** Takes notice of a reply. `old`: the reply is from an earlier epoch; `new`: it is the first of a new epoch. */
  accept({ epoch, generation, number }: Position): 'same' | 'new' | 'old' {
    if (epoch === this.#epoch) {
      this.#highest = Math.max(this.#highest, number);
      return 'same';
    }
    if (generation <= this.#generation) return 'old';
    this.#base += this.#highest + 1;
    this.#epoch = epoch;
    this.#generation = generation;
    this.#highest = number;
    return 'new';
  }

  toEngine(number: number): Sequence {
    return sequence(this.#base + number);
  }

  /** The number within the present epoch; -1 for one of an earlier epoch, which is below all of the present one. */
  toRedis(number: Sequence): number {
    return Math.max(number - this.#base, -1);
  }
}
