import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';
import { milliseconds } from '../../cache/milliseconds';
import type { Entry, EntryOrigin } from '../../cache/entry';
import type { CacheKey } from '../../cache/key';
import type { Sequence } from '../../cache/sequence';
import { tag } from '../../cache/tag';

export type Compression = 'none' | 'gzip' | 'br';

/** Smaller bodies gain nothing. Bytes. */
const WORTH_COMPRESSING = 1024;

/** Of 11: what compresses about as fast as gzip does. */
const BROTLI_QUALITY = 4;

const compressors = {
  gzip: promisify(gzip),
  br: (body: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
} as const;

const decompressors = { gzip: promisify(gunzip), br: promisify(brotliDecompress) } as const;

/** An entry as Redis keeps it: the body as its bytes, everything else beside it. */
export interface EncodedEntry {
  readonly meta: string;
  readonly body: Buffer;
}

interface Meta {
  readonly version: string;
  readonly key: string;
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly etag?: string;
  readonly origin: EntryOrigin;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly maxAge: number;
  readonly cost: number;
  readonly compression: Compression;
}

/** @param version tells this entry from any other ever stored under its key */
export const encodeEntry = async (entry: Entry, version: string, compression: Compression): Promise<EncodedEntry> => {
  const { body, status, headers, etag } = entry.response;
  const applied = body.byteLength >= WORTH_COMPRESSING ? compression : 'none';
  const meta: Meta = {
    version,
    key: entry.key,
    status,
    headers,
    ...(etag === undefined ? {} : { etag }),
    origin: entry.origin,
    tags: entry.tags,
    createdAt: entry.createdAt,
    maxAge: entry.maxAge,
    cost: entry.cost,
    compression: applied,
  };
  return { meta: JSON.stringify(meta), body: applied === 'none' ? body : await compressors[applied](body) };
};

/** The entry, or `undefined` if metadata and body are not those of `version`: another process has just replaced it. */
export const decodeEntry = async (
  encoded: { readonly meta: Buffer; readonly body: Buffer },
  version: string,
  sequence: Sequence,
): Promise<Entry | undefined> => {
  // Written by encodeEntry of the same release: the fingerprint is part of the key.
  const meta = JSON.parse(encoded.meta.toString()) as Meta;
  if (meta.version !== version) return undefined;
  const body = meta.compression === 'none' ? encoded.body : await decompressors[meta.compression](encoded.body);
  return {
    key: meta.key as CacheKey,
    response: { status: meta.status, headers: meta.headers, body, etag: meta.etag },
    origin: meta.origin,
    tags: meta.tags.map(tag),
    sequence,
    createdAt: milliseconds(meta.createdAt),
    maxAge: milliseconds(meta.maxAge),
    cost: milliseconds(meta.cost),
    hits: 0,
  };
};
