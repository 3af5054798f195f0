import { createHash } from 'node:crypto';
import { sizeOf, type Entry, type StoredResponse } from '../../cache/entry';
import type { EntrySummary } from '../../cache/entry-summary';
import type { Sequence } from '../../cache/sequence';
import { isEntry } from '../entry-shape';

/** Protects against damage, not against malice: anyone who can write to the store can write a matching checksum. */
const checksum = (meta: string | Uint8Array, body: Uint8Array): string =>
  createHash('sha1').update(meta).update(body).digest('base64url');

/** Everything of a summary but what the script that lists it replies. */
type WrittenSummary = Omit<EntrySummary, 'key' | 'sequence' | 'carries'>;

/** Everything of an entry but its body, and its version. */
interface Meta {
  readonly version: string;
  readonly entry: Omit<Entry, 'response'>;
  readonly response: Omit<StoredResponse, 'body'>;
}

/** What Redis keeps of an entry beside its body: everything else, and once more what is said of it where it is not served. */
export const encodeEntry = (given: Entry, version: string) => {
  const {
    response: { body, ...response },
    ...entry
  } = given;
  const meta: Meta = { version, entry, response };
  const text = JSON.stringify(meta);
  const { labels, createdAt, maxAge, keptFor } = entry;
  const size = sizeOf(given);
  const hasEtag = response.etag !== undefined;
  const summary: WrittenSummary = { labels, createdAt, maxAge, keptFor, size, hasEtag };
  return {
    meta: `${checksum(text, body)} ${text}`,
    summary: JSON.stringify(summary),
    kibibytes: Math.ceil(size / 1024),
  };
};

/**
 * @param carried the lists of which the entry carries a tag, by their numbers.
 * @param lists how many lists of tags were asked about.
 */
export const decodeSummary = (
  written: string,
  carried: string,
  lists: number,
): Omit<EntrySummary, 'key' | 'sequence'> => {
  const carries = new Array<boolean>(lists).fill(false);
  if (carried !== '') for (const list of carried.split(/[ ,]/)) carries[Number(list)] = true;
  return { ...(JSON.parse(written) as WrittenSummary), carries };
};

/**
 * The entry; `undefined` if metadata and body are of another version, because another process has just replaced the
 * entry; `'damaged'` if they are not as any process has stored them.
 *
 * @param sequence and `version`: as replied by the script that has validated the entry.
 */
export const decodeEntry = (
  sequence: Sequence,
  version: string,
  written: Buffer,
  body: Buffer,
): Entry | 'damaged' | undefined => {
  try {
    const space = written.indexOf(' ');
    const text = written.subarray(space + 1);
    if (written.subarray(0, space).toString() !== checksum(text, body)) return 'damaged';
    const meta = JSON.parse(text.toString()) as Partial<Meta>;
    if (meta.version !== version) return undefined;
    const entry = { ...meta.entry, sequence, response: { etag: undefined, ...meta.response, body } };
    return isEntry(entry) ? entry : 'damaged';
  } catch {
    return 'damaged';
  }
};
