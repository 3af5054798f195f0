import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Computation } from '../../server/src/cache/response-cache';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import { openInstance, type RedisInstance } from './instances';
import { missingRedis, RedisServer } from './redis-server';

const KEY = '/api/slow?&&' as CacheKey;

const storable: Computation = {
  response: { status: 200, headers: [], body: Buffer.from('slow'), etag: undefined },
  labels: { contentType: 'api::slow.slow', route: '/api/slow', params: {}, identity: '' },
  tags: [EVERYTHING, tag('slow')],
  maxAge: milliseconds(60_000),
};

describe.skipIf(missingRedis !== undefined)('herds', () => {
  let server: RedisServer;
  let instances: RedisInstance[];

  beforeEach(async () => {
    server = await RedisServer.start();
    instances = [1, 2, 3, 4].map(() =>
      openInstance({ connection: server.url }, { timing: { settle: milliseconds(0) } }),
    );
    await Promise.all(instances.map(({ provider }) => provider.whenUp()));
  });
  afterEach(async () => {
    for (const { provider } of instances) await provider.close();
    await server.end();
  });

  /** Twenty-five requests at each of four instances. */
  const herd = async (compute: () => Promise<Computation>, perInstance = 25): Promise<void> => {
    const requests = Array.from({ length: perInstance });
    await Promise.all(instances.flatMap(({ cache }) => requests.map(() => cache.resolve(KEY, compute))));
  };
  const isWaitedFor = async ({ provider }: RedisInstance): Promise<boolean> => {
    const found = await provider.lookup(KEY, undefined, milliseconds(1000));
    return found.entry === undefined && found.leased === false;
  };

  it('computes a cold key once across all instances', async () => {
    let computations = 0;
    await herd(async () => {
      computations += 1;
      await delay(200);
      return storable;
    });
    expect(computations).toBe(1);
  });

  it('does not wait for ever for an instance that died', async () => {
    const [dead] = instances;
    await dead?.provider.lookup(KEY, undefined, milliseconds(1000));
    let computations = 0;
    await herd(async () => {
      computations += 1;
      await delay(20);
      return storable;
    });
    // The lease and the patience of those who wait end at about the same moment: some may compute for themselves.
    expect(computations).toBeGreaterThan(0);
    expect(computations).toBeLessThanOrEqual(instances.length);
  });

  it('does not wait for a lease that another request of the same instance was given', async () => {
    const [elsewhere] = instances;
    const rarelyLooking = { settle: milliseconds(0), poll: milliseconds(300) };
    const here = openInstance({ connection: server.url }, { timing: rarelyLooking });
    instances.push(here);
    await here.provider.whenUp();
    await elsewhere?.provider.lookup(KEY, undefined, milliseconds(10_000));
    const compute = async (): Promise<Computation> => {
      await delay(20);
      return storable;
    };
    const waiting = here.cache.resolve(KEY, compute);
    await delay(10);
    // Given back between two looks of the one that waits: the next request gets it.
    await server.command('DEL', `{rest-cache:v1:test}:lease:f1:${KEY}`);
    const next = await here.cache.resolve(KEY, compute);
    expect([(await waiting).kind, next.kind]).toEqual(['hit', 'miss']);
  });

  it('does not make requests wait for responses that cannot be stored', async () => {
    let computations = 0;
    const compute = async (): Promise<Computation> => {
      computations += 1;
      await delay(30);
      return { unstorable: { code: 'cookie', detail: 'Set-Cookie' } };
    };
    await herd(compute, 5);
    expect(computations).toBe(20);
    for (const instance of instances) expect(await isWaitedFor(instance)).toBe(false);
    await herd(compute, 5);
    expect(computations).toBe(40);
  });

  it('does not make requests wait when the computation fails', async () => {
    const [first, ...others] = instances;
    const failing = first?.cache.resolve(KEY, async () => {
      await delay(50);
      throw new Error('the origin failed');
    });
    await expect(failing).rejects.toThrow('the origin failed');
    // Given back beside, not before: nobody is going to store anything.
    await expect
      .poll(() => server.command('GET', `{rest-cache:v1:test}:lease:f1:${KEY}`), { timeout: 60_000 })
      .toBe('-');
    for (const instance of others) expect(await isWaitedFor(instance)).toBe(false);
  });
});
