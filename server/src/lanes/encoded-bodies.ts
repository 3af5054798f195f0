import { LRUCache } from 'lru-cache';
import type { Entry } from '../cache/entry';

/** Memory for compressed bodies before the least recently sent go: they are made again where they are missed. */
const MAX_BYTES = 64 * 2 ** 20;

const MAX_CHOICES = 10_000;

export type EncodedName = string & { readonly __brand: 'encoded-name' };

export const encodedName = ({ key, createdAt, sequence }: Entry, coding: string): EncodedName =>
  `${coding} ${createdAt} ${sequence} ${key}` as EncodedName;

/**
 * What `strapi::compression` has made of the bodies of entries. It decides by its own filter, threshold and preferences for
 * the first who asks with these words; its choice, and the bytes it made, are sent to all others.
 */
export class EncodedBodies {
  readonly #bodies = new LRUCache<EncodedName, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (body) => body.byteLength + 300,
  });
  readonly #choices = new LRUCache<EncodedName, string>({ max: MAX_CHOICES });

  /**
   * @param words everything beside the entry that it looks at.
   * @param coding `''` where it has left the body as it is.
   */
  noteChoice(entry: Entry, words: string, coding: string): void {
    this.#choices.set(encodedName(entry, words), coding);
  }

  noteBody(entry: Entry, coding: string, body: Buffer): void {
    this.#bodies.set(encodedName(entry, coding), body);
  }

  /** What it would choose again; `undefined` where it has not been asked. */
  choice(entry: Entry, words: string): string | undefined {
    return this.#choices.get(encodedName(entry, words));
  }

  /** `undefined` where it has not been made, or had to make room. */
  body(name: EncodedName): Buffer | undefined {
    return this.#bodies.get(name);
  }
}
