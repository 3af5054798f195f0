import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Computation } from '../../server/src/cache/response-cache';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import { endedAfterEach } from './ended-after-each';
import { type RedisInstance, whenUp } from './instances';
import { missingRedis } from './redis-server';

const KEY = '/api/slow?&&' as CacheKey;

const storable: Computation = {
  response: { status: 200, headers: [], body: Buffer.from('slow'), etag: undefined },
  labels: { contentType: 'api::slow.slow', route: '/api/slow', params: {}, identity: '' },
  tags: [EVERYTHING, tag('slow')],
  maxAge: milliseconds(60_000),
};

describe.skipIf(missingRedis !== undefined)('herds', () => {
  const { open, start } = endedAfterEach();
  let instances: RedisInstance[];

  beforeEach(async () => {
    const server = await start();
    instances = [1, 2, 3, 4].map(() => open({ connection: server.url }, { timing: { settle: milliseconds(0) } }));
    await Promise.all(instances.map(({ provider }) => whenUp(provider)));
  });

  /** Sends twenty-five requests to each of four instances. */
  const herd = async (compute: () => Promise<Computation>, perInstance = 25): Promise<void> => {
    const requests = Array.from({ length: perInstance });
    await Promise.all(instances.flatMap(({ cache }) => requests.map(() => cache.resolve(KEY, compute))));
  };
  it('computes a cold key once in each instance', async () => {
    let computations = 0;
    await herd(async () => {
      computations += 1;
      await delay(200);
      return storable;
    });
    expect(computations).toBeGreaterThan(0);
    expect(computations).toBeLessThanOrEqual(instances.length);
  });

  it('does not make requests wait twice for responses that cannot be stored', async () => {
    let computations = 0;
    const compute = async (): Promise<Computation> => {
      computations += 1;
      await delay(30);
      return { unstorable: { code: 'cookie', detail: 'Set-Cookie' } };
    };
    await herd(compute, 5);
    expect(computations).toBe(20);
    await herd(compute, 5);
    expect(computations).toBe(40);
  });
});
