import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { compressionOptions, EncodedBodies } from '../../../server/src/lanes/encoded-bodies';

const entry = (text: string, createdAt = 1): Entry => ({
  key: '/api/tags' as CacheKey,
  response: { status: 200, headers: [], body: Buffer.from(text), etag: undefined },
  labels: { contentType: 'api::tag.tag', route: '/api/tags', params: {}, identity: '' },
  tags: [],
  sequence: sequence(0),
  createdAt: milliseconds(createdAt),
  maxAge: milliseconds(1000),
  cost: milliseconds(1),
});

const made = async (bodies: EncodedBodies, of: Entry, coding: string): Promise<Buffer> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const body = bodies.encode(of, coding);
    if (body !== undefined) return body;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('never made');
};

describe('bodies in other codings', () => {
  it('are made off the path, once, and kept for every copy of the entry', async () => {
    const bodies = new EncodedBodies(compressionOptions({}));
    const text = 'a'.repeat(5000);
    expect(bodies.encode(entry(text), 'gzip')).toBeUndefined();
    const body = await made(bodies, entry(text), 'gzip');
    expect(gunzipSync(body).toString()).toBe(text);
    expect(bodies.encode(entry(text), 'gzip')).toBe(body);
    expect(brotliDecompressSync(await made(bodies, entry(text), 'br')).toString()).toBe(text);
  });

  it('of a later entry are its own', async () => {
    const bodies = new EncodedBodies(compressionOptions({}));
    await made(bodies, entry('before', 1), 'gzip');
    expect(gunzipSync(await made(bodies, entry('after', 2), 'gzip')).toString()).toBe('after');
  });

  it('in a coding nobody knows are never made', () => {
    expect(new EncodedBodies(compressionOptions({})).encode(entry('x'), 'zstd')).toBeUndefined();
  });

  it("follow strapi::compression's choice, per entry and spelling", () => {
    const bodies = new EncodedBodies(compressionOptions({}));
    bodies.noteChoice(entry('x'), 'gzip, br', 'br');
    bodies.noteChoice(entry('x'), '', '');
    expect(bodies.choice(entry('x'), 'gzip, br')).toBe('br');
    expect(bodies.choice(entry('x'), '')).toBe('');
    expect(bodies.choice(entry('x'), 'gzip')).toBeUndefined();
    expect(bodies.choice(entry('x', 2), 'gzip, br')).toBeUndefined();
  });

  it("use koa-compress' options: its defaults, and the application's on top", () => {
    expect(compressionOptions({ gzip: { level: 1 }, br: false })).toMatchObject({
      gzip: { level: 1 },
      deflate: {},
      br: { params: expect.any(Object) },
    });
  });
});
