import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { rawRequest, type RawRequest, type RawResponse } from '../application/raw-request';
import type { Application } from '../application/start-application';

/** Differs from response to response, or tells how a response was made; its presence is compared, not its value. */
const PER_RESPONSE: ReadonlySet<string> = new Set(['date', 'x-response-time']);

/** Says what the cache did, so that an answer without it has none; framing, which Node chooses. */
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

/** What must be the same in every lane, and without a cache. */
export const comparable = ({ status, headers, body }: RawResponse): Comparable => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CACHE.has(name))
      .map(([name, value]) => [name, PER_RESPONSE.has(name) ? 'present' : value]),
  ),
  body: (decoders[headers['content-encoding'] ?? '']?.(body) ?? body).toString(),
});

/** What must be the same in every lane, beside that. */
export const taggedAndSized = ({ headers, body }: RawResponse): unknown => ({
  etag: headers.etag,
  cache: [headers['x-cache'], headers['cache-status']?.toString().replace(/ttl=\d+/, 'ttl')],
  age: headers.age === undefined ? 'absent' : 'present',
  // Compressed on the fly, a response has no length; ready-made, it has.
  ...(headers['content-encoding'] === undefined ? { length: headers['content-length'], bytes: body.byteLength } : {}),
});

/** The same request again and again: everything that can be made or learned is made and learned in between. */
export const repeated = async (
  application: Application,
  path: string,
  request: RawRequest,
  times = 6,
): Promise<RawResponse[]> => {
  const answers: RawResponse[] = [];
  for (let attempt = 0; attempt < times; attempt += 1) {
    answers.push(await rawRequest(application, path, request));
    // Compression happens behind the response.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return answers;
};
