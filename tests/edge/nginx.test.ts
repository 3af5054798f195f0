import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawResponse } from '../application/raw-request';
import { hasNginx, Nginx } from './nginx';
import { readFrom, World } from './world';

/** "mode: 'revalidate' for whoever cannot purge": nginx stores the bytes, and revalidates them on every request. */

/** The number of reads after writes. Use `EDGE_READS=10000` for more. */
const READS = Number(process.env.EDGE_READS ?? 500);

describe.runIf(hasNginx())('through nginx', () => {
  let world: World;
  let nginx: Nginx;

  beforeAll(async () => {
    world = await World.start({ mode: 'revalidate' });
    nginx = await Nginx.start(world.application.origin);
  });
  afterAll(async () => {
    await nginx.stop();
    await world.application.stop();
  });

  const read = (url: string, headers = {}): Promise<RawResponse> => readFrom(nginx, url, headers);

  it('answers with the bytes it has, after it has asked', async () => {
    const first = await read('/api/tags');
    expect([first.headers['cache-control'], nginx.answered('REVALIDATED')]).toEqual(['public, no-cache', 0]);
    const again = await read('/api/tags');
    expect(again.body.equals(first.body)).toBe(true);
    expect(nginx.answered('REVALIDATED')).toBe(1);
    const { status } = await read('/api/tags', { 'if-none-match': String(first.headers.etag) });
    expect([status, nginx.answered('REVALIDATED')]).toEqual([304, 2]);
  });

  it('keeps nothing that is one caller’s', async () => {
    for (let tries = 0; tries < 2; tries += 1) {
      const { status, headers } = await read('/api/articles?private', { authorization: 'Bearer nobody' });
      expect([status, headers['cache-control']]).toEqual([401, 'no-store']);
    }
    expect((await read('/api/articles?private')).status).toBe(200);
  });

  it(`is never stale in ${READS} reads after acknowledged writes`, async () => {
    const before = nginx.answered('REVALIDATED');
    const { reads, stale } = await world.readAfterWrites(nginx, READS);
    const revalidated = nginx.answered('REVALIDATED') - before;
    console.log(`${reads} reads, ${revalidated} answered 304 to nginx`);
    expect(stale).toEqual([]);
    expect(revalidated).toBeGreaterThan(reads / 5);
  });
});
