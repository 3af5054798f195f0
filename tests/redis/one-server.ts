import { afterAll, beforeAll } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { openInstance, type OpenSettings, whenUp } from './instances';
import { RedisServer } from './redis-server';

/** A Redis for all tests of a `describe`, with instances on it that are closed at the end. */
export const oneServer = () => {
  let server: RedisServer;
  const opened: RedisProvider[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const provider of opened) await provider.close();
    await server.end();
  });

  /** Resolves when the instance is in use. */
  const use = async (provider: RedisProvider): Promise<RedisProvider> => {
    opened.push(provider);
    await whenUp(provider);
    return provider;
  };
  return {
    get server(): RedisServer {
      return server;
    },
    use,
    /** Opens an instance whose deadlines are long, for tests that are not about deadlines. */
    open: (options: Record<string, unknown>, { timing, ...settings }: OpenSettings): Promise<RedisProvider> => {
      const patient = { getTimeout: milliseconds(20_000), timing: { settle: milliseconds(0), ...timing } };
      return use(openInstance({ connection: server.url, ...options }, { ...settings, ...patient }).provider);
    },
  };
};
