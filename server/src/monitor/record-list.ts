import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import { recordFromText, recordToText, type ActivityRecord } from './activity-record';

/** As long as the longest history of request counts. */
const LIFETIME = milliseconds(7 * 86_400_000);

/** The latest records of one kind, and those that still have to be sent to the store. The oldest are dropped. */
export class RecordList {
  readonly records: ActivityRecord[] = [];
  readonly #owed: ActivityRecord[] = [];
  readonly #name: string;
  readonly #limit: number;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  /** @returns the older record that was dropped from `records`, if any. */
  add(record: ActivityRecord): ActivityRecord | undefined {
    this.records.push(record);
    // The process that has stamped the tags sends its own record.
    if (record.actor.kind !== 'other-instance') this.#owed.push(record);
    this.#bound();
    return this.records.length > this.#limit ? this.records.shift() : undefined;
  }

  /** @throws whatever the store throws; the records are then sent the next time. */
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
    // If the store confirmed a record too late, the record was sent a second time.
    return [...new Set(await lists.read(this.#name))].flatMap((text) => recordFromText(text) ?? []);
  }

  #bound(): void {
    this.#owed.splice(0, this.#owed.length - this.#limit);
  }
}
