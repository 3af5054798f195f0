import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib';
import type { Entry } from '../cache/entry';

/** Configuration of `strapi::compression`, which is koa-compress': options by content coding. */
export type CompressionConfig = Readonly<Record<string, unknown>>;

const compressGzip = promisify<Buffer, ZlibOptions, Buffer>(gzip);
const compressDeflate = promisify<Buffer, ZlibOptions, Buffer>(deflate);
const compressBrotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);

/**
 * The bodies of entries in other content codings: each compressed once, off the request's path, and forgotten together
 * with its entry.
 */
export class EncodedBodies {
  readonly #config: CompressionConfig | undefined;
  readonly #byEntry = new WeakMap<Entry, Map<string, Buffer | undefined>>();

  /** @param config of `strapi::compression`; `undefined` where it is not configured. */
  constructor(config: CompressionConfig | undefined) {
    this.#config = config;
  }

  /** Whether the stack compresses at all. */
  get areConfigured(): boolean {
    return this.#config !== undefined;
  }

  /** The entry's body in this coding; `undefined` while there is none, after having begun to make it. */
  encode(entry: Entry, encoding: string): Buffer | undefined {
    let bodies = this.#byEntry.get(entry);
    if (bodies === undefined) this.#byEntry.set(entry, (bodies = new Map()));
    if (!bodies.has(encoding)) {
      bodies.set(encoding, undefined);
      const made = bodies;
      this.#compress(entry.response.body, encoding)?.then(
        (body) => made.set(encoding, body),
        () => undefined,
      );
    }
    return bodies.get(encoding);
  }

  #compress(body: Buffer, encoding: string): Promise<Buffer> | undefined {
    const options = (this.#config?.[encoding] ?? {}) as ZlibOptions & BrotliOptions;
    switch (encoding) {
      case 'gzip':
        return compressGzip(body, options);
      case 'deflate':
        return compressDeflate(body, options);
      case 'br':
        return compressBrotli(body, options);
      default:
        return undefined;
    }
  }
}
