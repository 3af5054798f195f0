import * as zlib from 'node:zlib';

type Crc32 = (data: Uint8Array, value?: number) => number;

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** For Node.js before 20.15, which has none. */
export const crc32ByTable: Crc32 = (data, value = 0) => {
  let sum = ~value;
  for (const byte of data) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
};

const crc32: Crc32 = (zlib as { readonly crc32?: Crc32 }).crc32 ?? crc32ByTable;

/** Against damage, not against malice: whoever may write to the store may write anything. */
export const checksum = (meta: Uint8Array, body: Uint8Array): string =>
  // zlib forgets the value it was given when there is no memory behind an empty array.
  (body.byteLength === 0 ? crc32(meta) : crc32(body, crc32(meta))).toString(16);
