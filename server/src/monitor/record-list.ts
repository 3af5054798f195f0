import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import { recordFromText, recordToText, type ActivityRecord } from './activity-record';

/** As long as there is a history of requests. */
const LIFETIME = milliseconds(7 * 86_400_000);

/** The latest records of one kind, and those on their way to the store. What does not fit any more is given up. */
export class RecordList {
  readonly records: ActivityRecord[] = [];
  readonly #owed: ActivityRecord[] = [];
  readonly #name: string;
  readonly #limit: number;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  /** @returns whether another had to go. */
  add(record: ActivityRecord): boolean {
    this.records.push(record);
    // What another process has stamped it tells itself.
    if (record.actor.kind !== 'other-instance') this.#owed.push(record);
    this.#bound();
    return this.records.length > this.#limit && this.records.shift() !== undefined;
  }

  /** @throws whatever the store throws; it is owed the records then. */
  async share(lists: SharedLists): Promise<void> {
    const records = this.#owed.splice(0);
    if (records.length === 0) return;
    try {
      await lists.add(this.#name, records.map(recordToText), this.#limit, LIFETIME);
    } catch (error) {
      this.#owed.unshift(...records);
      this.#bound();
      throw error;
    }
  }

  /** What all processes have shared, newest first. */
  async read(lists: SharedLists): Promise<Array<Omit<ActivityRecord, 'id'>>> {
    // One that the store took, and was too late to say so, has come a second time.
    return [...new Set(await lists.read(this.#name))].flatMap((text) => recordFromText(text) ?? []);
  }

  #bound(): void {
    this.#owed.splice(0, this.#owed.length - this.#limit);
  }
}
