/**
 * A hash of a key in 53 bits: a map of keys would hold their texts. A collision shows a wrong reason, so a hash that is
 * not cryptographic is enough, at a twentieth of the cost.
 */
export type KeyHash = number & { readonly keyHash: true };

const FIRST = 0x9e3779b1;
const SECOND = 0x85ebca77;

/** Two multiplicative hashes of 32 bits, with different multipliers (Knuth, TAOCP 3, section 6.4). */
export const keyHash = (key: string): KeyHash => {
  let low = FIRST ^ key.length;
  let high = SECOND ^ key.length;
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    low = Math.imul(low ^ code, SECOND);
    high = Math.imul(high ^ code, FIRST);
    low ^= low >>> 15;
    high ^= high >>> 13;
  }
  return (((high >>> 0) % 0x200000) * 0x100000000 + (low >>> 0)) as KeyHash;
};
