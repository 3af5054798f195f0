import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { Entry, StoredResponse } from '../../cache/entry';
import type { Sequence } from '../../cache/sequence';
import { isEntry } from '../entry-shape';

export type Compression = 'none' | 'gzip' | 'br';

/** Smaller bodies gain nothing. Bytes. */
const WORTH_COMPRESSING = 1024;

/** Of 11: what compresses about as fast as gzip does. */
const BROTLI_QUALITY = 4;

const compressors = {
  gzip: promisify(zlib.gzip),
  br: (body: Buffer): Promise<Buffer> =>
    promisify(zlib.brotliCompress)(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
} as const;

const decompressors = { gzip: promisify(zlib.gunzip), br: promisify(zlib.brotliDecompress) } as const;

/** Against damage, not against malice: whoever may write to the store may write anything. */
const checksum = (meta: Uint8Array, body: Uint8Array): string =>
  createHash('sha1').update(meta).update(body).digest('base64url');

/** An entry as Redis keeps it: the body as its bytes, everything else beside it. */
export interface EncodedEntry {
  readonly meta: string;
  readonly body: Buffer;
}

/** All of an entry but its body, and what tells whether the bytes beside it are that. */
interface Meta {
  readonly version: string;
  /** Of the body as it was. Bytes. */
  readonly length: number;
  readonly compression: Compression;
  readonly entry: Omit<Entry, 'response'>;
  readonly response: Omit<StoredResponse, 'body'>;
}

/** @param version tells this entry from any other ever stored under its key */
export const encodeEntry = async (
  { response: { body, ...response }, ...entry }: Entry,
  version: string,
  compression: Compression,
): Promise<EncodedEntry> => {
  const applied = body.byteLength >= WORTH_COMPRESSING ? compression : 'none';
  const meta: Meta = { version, length: body.byteLength, compression: applied, entry, response };
  const text = JSON.stringify(meta);
  const bytes = applied === 'none' ? body : await compressors[applied](body);
  return { meta: `${checksum(Buffer.from(text), bytes)} ${text}`, body: bytes };
};

/** An entry as it comes from Redis, and what the script said that validated it. */
export interface FetchedEntry {
  readonly sequence: Sequence;
  readonly version: string;
  readonly meta: Buffer;
  readonly body: Buffer;
}

/**
 * The entry; `undefined` if metadata and body are not those of `version`, because another process has just replaced it;
 * `'damaged'` if they are not what anybody has stored.
 */
export const decodeEntry = async (encoded: FetchedEntry): Promise<Entry | 'damaged' | undefined> => {
  const { version, sequence } = encoded;
  try {
    const space = encoded.meta.indexOf(' ');
    const text = encoded.meta.subarray(space + 1);
    if (encoded.meta.subarray(0, space).toString() !== checksum(text, encoded.body)) return 'damaged';
    const meta = JSON.parse(text.toString()) as Partial<Meta>;
    if (meta.version !== version) return undefined;
    const body = await decompressed(meta, encoded.body);
    const entry = { ...meta.entry, sequence, response: { etag: undefined, ...meta.response, body } };
    return isEntry(entry) ? entry : 'damaged';
  } catch {
    return 'damaged';
  }
};

const decompressed = async ({ compression, length }: Partial<Meta>, bytes: Buffer): Promise<Buffer | undefined> => {
  if (compression === 'none') return bytes;
  if (compression !== 'gzip' && compression !== 'br') return undefined;
  const body = await decompressors[compression](bytes, { maxOutputLength: length });
  return body.byteLength === length ? body : undefined;
};
