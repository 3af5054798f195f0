import { createHash } from 'node:crypto';

/** A hash of a key in 48 bits: a map of keys would hold their texts. A collision shows a wrong reason. */
export type KeyHash = number & { readonly keyHash: true };

export const keyHash = (key: string): KeyHash => createHash('sha256').update(key).digest().readUIntBE(0, 6) as KeyHash;
