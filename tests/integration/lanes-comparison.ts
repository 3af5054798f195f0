import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { rawRequest, type RawRequest, type RawResponse } from '../application/raw-request';
import type { Application } from '../application/start-application';

/** Headers that differ from response to response. Only their presence is compared, not their values. */
const PER_RESPONSE: ReadonlySet<string> = new Set(['date', 'x-response-time']);

/** Headers that the cache sets and that an uncached response lacks, and framing, which Node.js chooses. */
const OF_THE_CACHE: ReadonlySet<string> = new Set([
  'x-cache',
  'cache-status',
  'age',
  'etag',
  'transfer-encoding',
  'content-length',
]);

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

export interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Decompressed. */
  readonly body: string;
}

/** The part of a response that must be the same in every lane and without a cache. */
export const comparable = ({ status, headers, body }: RawResponse): Comparable => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CACHE.has(name))
      .map(([name, value]) => [name, PER_RESPONSE.has(name) ? 'present' : value]),
  ),
  body: (decoders[headers['content-encoding'] ?? '']?.(body) ?? body).toString(),
});

/** The further part of a response that must be the same in every lane. */
export const taggedAndSized = ({ headers, body }: RawResponse): unknown => ({
  etag: headers.etag,
  cache: [headers['x-cache'], headers['cache-status']?.toString().replace(/ttl=\d+/, 'ttl')],
  age: headers.age === undefined ? 'absent' : 'present',
  // A response that is compressed while it is sent has no Content-Length; one compressed in advance has.
  ...(headers['content-encoding'] === undefined ? { length: headers['content-length'], bytes: body.byteLength } : {}),
});

/** Repeats a request with pauses, so that the lanes can learn and prepare everything in between. */
export const repeated = async (
  application: Application,
  path: string,
  request: RawRequest,
  times = 6,
): Promise<RawResponse[]> => {
  const answers: RawResponse[] = [];
  for (let attempt = 0; attempt < times; attempt += 1) {
    answers.push(await rawRequest(application, path, request));
    // Compression happens after the response.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return answers;
};
