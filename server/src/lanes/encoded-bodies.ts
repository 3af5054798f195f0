import { LRUCache } from 'lru-cache';
import { promisify } from 'node:util';
import { brotliCompress, type BrotliOptions, constants, deflate, gzip, type ZlibOptions } from 'node:zlib';
import type { Entry } from '../cache/entry';

/** Options of zlib by content coding, as `strapi::compression` itself uses them. */
type CodingOptions = Readonly<Record<string, unknown>>;

/** By content coding. */
const COMPRESSIONS = new Map<string, (body: Buffer, options: ZlibOptions & BrotliOptions) => Promise<Buffer>>([
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(gzip)],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(deflate)],
  ['br', promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)],
]);

/** Memory for compressed bodies before the least recently sent go: they are made again where they are missed. */
const MAX_BYTES = 64 * 2 ** 20;

/** Bodies compressed at a time; zlib has four threads, and Strapi needs them too. */
const MAX_AT_ONCE = 2;

/** Answers of `strapi::compression` remembered. */
const MAX_CHOICES = 10_000;

/** Names one body in one coding. */
export type EncodedName = string & { readonly __brand: 'encoded-name' };

export const encodedName = ({ key, createdAt, sequence }: Entry, coding: string): EncodedName =>
  `${coding} ${createdAt} ${sequence} ${key}` as EncodedName;

/**
 * The bodies of entries in other content codings: each compressed once, off the request's path. Which coding a client
 * gets is not decided here: `strapi::compression` does that for the first who asks with these words, by its own filter,
 * threshold and preferences, and its choice is repeated.
 */
export class EncodedBodies {
  readonly #options: CodingOptions | undefined;
  readonly #bodies = new LRUCache<EncodedName, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (body) => body.byteLength + 300,
  });
  readonly #choices = new LRUCache<EncodedName, string>({ max: MAX_CHOICES });
  readonly #underWay = new Set<EncodedName>();

  /** @param options `undefined` where `strapi::compression` is not configured. */
  constructor(options: CodingOptions | undefined) {
    this.#options = options;
  }

  /** Whether the stack compresses at all. */
  get areConfigured(): boolean {
    return this.#options !== undefined;
  }

  /** Remembers what `strapi::compression` has made of this entry for this `Accept-Encoding`: a coding, or `''`. */
  noteChoice(entry: Entry, acceptEncoding: string, coding: string): void {
    if (this.#options !== undefined) this.#choices.set(encodedName(entry, acceptEncoding), coding);
  }

  /** What it would make of it again; `undefined` where it has not been asked. */
  choice(entry: Entry, acceptEncoding: string): string | undefined {
    return this.#choices.get(encodedName(entry, acceptEncoding));
  }

  /** The entry's body in this coding; `undefined` while there is none, after having begun to make it. */
  encode(entry: Entry, coding: string, name = encodedName(entry, coding)): Buffer | undefined {
    const body = this.#bodies.get(name);
    if (body === undefined) this.#make(entry, coding, name);
    return body;
  }

  #make(entry: Entry, coding: string, name: EncodedName): void {
    if (this.#underWay.has(name) || this.#underWay.size >= MAX_AT_ONCE) return;
    const compress = COMPRESSIONS.get(coding);
    if (compress === undefined) return;
    this.#underWay.add(name);
    compress(entry.response.body, this.#options?.[coding] ?? {})
      // A view into zlib's chunk would keep the whole chunk alive.
      .then((body) => this.#bodies.set(name, Buffer.from(Uint8Array.from(body).buffer)))
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(name));
  }
}

/** koa-compress compresses with these where nothing else is configured (version 5.1, lib/encodings.js). */
const DEFAULTS: Readonly<Record<string, object>> = {
  gzip: {},
  deflate: {},
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/** Options of zlib by content coding, as `strapi::compression` derives them from its configuration. */
export const compressionOptions = (config: Readonly<Record<string, unknown>>): CodingOptions =>
  Object.fromEntries(
    Object.entries(DEFAULTS).map(([coding, defaults]) => {
      const own = config[coding];
      return [coding, { ...defaults, ...(typeof own === 'object' ? own : {}) }];
    }),
  );
