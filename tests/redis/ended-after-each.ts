import { afterEach } from 'vitest';
import { openInstance, type RedisInstance } from './instances';
import { RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';
import { VersionedDatabase } from './versioned-database';

/** Starts servers and opens instances that are ended after each test, the latest first. */
export const endedAfterEach = () => {
  const ends: Array<() => unknown> = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const atEnd = (end: () => unknown): void => void ends.push(end);
  const open = (...parameters: Parameters<typeof openInstance>): RedisInstance => {
    const instance = openInstance(...parameters);
    atEnd(() => instance.provider.close());
    return instance;
  };
  return {
    /** Ends something else. */
    atEnd,
    open,
    start: async (...args: string[]): Promise<RedisServer> => {
      const server = await RedisServer.start(...args);
      atEnd(() => server.end());
      return server;
    },
    proxyOf: async ({ port }: RedisServer, latency = 0): Promise<TcpProxy> => {
      const proxy = await TcpProxy.to(port, latency);
      atEnd(() => proxy.close());
      return proxy;
    },
    /** An instance for each of these options, and the database behind them. */
    databaseOn: (...options: ReadonlyArray<Record<string, unknown>>): VersionedDatabase =>
      new VersionedDatabase(options.map((each) => open(each))),
  };
};
