import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import { recordFromText, recordToText, type ActivityRecord } from './activity-record';

/** A list of records, of which the store keeps the latest. */
export interface RecordList {
  readonly name: string;
  readonly limit: number;
}

/** As long as there is a history of requests. */
const LIFETIME = milliseconds(7 * 86_400_000);

/** Records of one list that are on their way to the store. Those that do not fit any more are given up. */
export class SharedActivity {
  readonly #list: RecordList;
  readonly #owed: ActivityRecord[] = [];

  constructor(list: RecordList) {
    this.#list = list;
  }

  owe(record: ActivityRecord): void {
    this.#owed.push(record);
    this.#bound();
  }

  /** @throws whatever the store throws; it is owed the records then. */
  async share(lists: SharedLists): Promise<void> {
    const records = this.#owed.splice(0);
    if (records.length === 0) return;
    const { name, limit } = this.#list;
    try {
      await lists.add(name, records.map(recordToText), limit, LIFETIME);
    } catch (error) {
      this.#owed.unshift(...records);
      this.#bound();
      throw error;
    }
  }

  /** What all processes have shared, newest first. */
  async read(lists: SharedLists): Promise<Array<Omit<ActivityRecord, 'id'>>> {
    // One that the store took, and was too late to say so, has come a second time.
    return [...new Set(await lists.read(this.#list.name))].flatMap((text) => recordFromText(text) ?? []);
  }

  #bound(): void {
    this.#owed.splice(0, this.#owed.length - this.#list.limit);
  }
}
