import { afterAll, beforeAll, describe, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { ProviderSubject } from '../../provider-suite';
import { describeProvider } from '../../provider-suite';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { timingFor } from '../../server/src/providers/redis/timing';
import { missingRedis, RedisServer } from './redis-server';
import { whenUp } from './instances';

describe.skipIf(missingRedis !== undefined)('Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.end());

  const subject = (name: string, options: Record<string, unknown>): ProviderSubject => ({
    name,
    shared: true,
    describe,
    it,
    create: async ({ clock, ...settings }) => {
      const provider = new RedisProvider({ connection: server.url, localCache: false, ...options }, settings, clock, {
        ...timingFor(settings.getTimeout),
        settle: milliseconds(0),
      });
      await whenUp(provider);
      return provider;
    },
  });

  const localCache = { maxSize: 1000, maxBytes: 50_000_000 };
  describeProvider(subject('redis', {}));
  describeProvider(subject('redis, first level', { localCache }));
});
