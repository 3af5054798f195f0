import { createHash } from 'node:crypto';
import { sizeOf, type Entry, type StoredResponse } from '../../cache/entry';
import type { EntrySummary } from '../../cache/entry-summary';
import type { Sequence } from '../../cache/sequence';
import { isEntry } from '../entry-shape';

/** Protects against damage, not against malice: anyone who can write to the store can write a matching checksum. */
const checksum = (meta: Uint8Array, body: Uint8Array): string =>
  createHash('sha1').update(meta).update(body).digest('base64url');

/**
 * An entry as it is stored in Redis: the body as bytes, everything else in `meta`, and once more in `summary` what is
 * said of the entry where it is not served.
 */
export interface EncodedEntry {
  readonly meta: string;
  readonly body: Buffer;
  readonly summary: string;
}

/** Everything of a summary but what the script that lists it replies. A `maxAge` without end is `null` in JSON. */
type WrittenSummary = readonly [
  contentType: string,
  route: string,
  params: EntrySummary['labels']['params'],
  identity: string,
  createdAt: EntrySummary['createdAt'],
  maxAge: EntrySummary['maxAge'] | null,
  size: number,
  hasEtag: 0 | 1,
  keptFor?: EntrySummary['keptFor'],
];

/** Everything of an entry but its body, and its version. */
interface Meta {
  readonly version: string;
  readonly entry: Omit<Entry, 'response'>;
  readonly response: Omit<StoredResponse, 'body'>;
}

export const encodeEntry = (given: Entry, version: string): EncodedEntry => {
  const {
    response: { body, ...response },
    ...entry
  } = given;
  const meta: Meta = { version, entry, response };
  const text = JSON.stringify(meta);
  const { contentType, route, params, identity } = entry.labels;
  const hasEtag = response.etag === undefined ? 0 : 1;
  const { createdAt, maxAge, keptFor } = entry;
  const written = [contentType, route, params, identity, createdAt, maxAge, sizeOf(given), hasEtag] as const;
  const summary: WrittenSummary = keptFor === undefined ? written : [...written, keptFor];
  return { meta: `${checksum(Buffer.from(text), body)} ${text}`, body, summary: JSON.stringify(summary) };
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
  const [contentType, route, params, identity, createdAt, maxAge, size, hasEtag, keptFor] = JSON.parse(
    written,
  ) as WrittenSummary;
  const carries = new Array<boolean>(lists).fill(false);
  if (carried !== '') for (const list of carried.split(/[ ,]/)) carries[Number(list)] = true;
  const labels = { contentType, route, params, identity };
  return {
    ...{ labels, createdAt, size, carries },
    maxAge: maxAge ?? (Infinity as EntrySummary['maxAge']),
    ...(keptFor === undefined ? {} : { keptFor }),
    hasEtag: hasEtag === 1,
  };
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
