import { createHash } from 'node:crypto';

/** A hash of a text in 48 bits, as a number: a map of texts would hold the texts. A collision shows a wrong reason. */
export const keyHash = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6);
