import { createHash } from 'node:crypto';
import type { Entry, StoredResponse } from '../../cache/entry';
import type { Sequence } from '../../cache/sequence';
import { isEntry } from '../entry-shape';

/** Protects against damage, not against malice: anyone who can write to the store can write a matching checksum. */
const checksum = (meta: Uint8Array, body: Uint8Array): string =>
  createHash('sha1').update(meta).update(body).digest('base64url');

/** An entry as it is stored in Redis: the body as bytes, everything else in `meta`. */
export interface EncodedEntry {
  readonly meta: string;
  readonly body: Buffer;
}

/** Everything of an entry but its body, and its version. */
interface Meta {
  readonly version: string;
  readonly entry: Omit<Entry, 'response'>;
  readonly response: Omit<StoredResponse, 'body'>;
}

/** @param version distinguishes this entry from every other that was ever stored under its key. */
export const encodeEntry = ({ response: { body, ...response }, ...entry }: Entry, version: string): EncodedEntry => {
  const meta: Meta = { version, entry, response };
  const text = JSON.stringify(meta);
  return { meta: `${checksum(Buffer.from(text), body)} ${text}`, body };
};

/** An entry as it comes from Redis, with the number and the version replied by the script that validated it. */
export interface FetchedEntry {
  readonly sequence: Sequence;
  readonly version: string;
  readonly meta: Buffer;
  readonly body: Buffer;
}

/**
 * The entry; `undefined` if metadata and body are of another version, because another process has just replaced the
 * entry; `'damaged'` if they are not as any process has stored them.
 */
export const decodeEntry = ({
  sequence,
  version,
  meta: written,
  body,
}: FetchedEntry): Entry | 'damaged' | undefined => {
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
