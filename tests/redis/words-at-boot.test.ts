import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../application/free-port';
import { openInstance, type RedisInstance, whenUp } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';

const SECRET = 'hunter2-very-secret';

/** Generous, for slow machines. Milliseconds. */
const PATIENCE = 20_000;

describe.skipIf(missingRedis !== undefined)('what is said when Redis is met for the first time', () => {
  let open: RedisServer;
  let locked: RedisServer;
  let instance: RedisInstance | undefined;

  beforeAll(async () => {
    open = await RedisServer.start();
    locked = await RedisServer.start(
      ...['--requirepass', SECRET],
      ...['--user', 'reader', 'on', `>${SECRET}`, '~*', '&*', '+@read', '+@connection', '+info'],
      ...['--user', 'elsewhere', 'on', `>${SECRET}`, '~other:*', '&*', '+@all'],
    );
  });
  afterEach(async () => {
    await instance?.provider.close();
    instance = undefined;
  });
  afterAll(async () => {
    await open.end();
    await locked.end();
  });

  const meet = (options: Record<string, unknown>): RedisInstance => (instance = openInstance(options));

  it('is that it is there, and nothing else, where it is healthy', async () => {
    const { provider, states } = meet({ connection: open.url });
    // Blocks the event loop like a process that is busy booting: it reads nothing until it is done.
    const until = performance.now() + 1500;
    while (performance.now() < until);
    await delay(50);
    while (performance.now() < until + 1500);
    await whenUp(provider);
    await delay(200);
    expect(states.map(({ state }) => state)).toEqual(['up']);
  });

  const at = (url: () => string, credentials: string) => (): Record<string, unknown> => ({
    connection: url().replace('redis://', `redis://${credentials}`),
  });
  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ['no password', at(() => locked.url, ''), /user name or password in provider\.options \(NOAUTH\)/],
    [
      'a wrong password',
      at(() => locked.url, `:wrong-${SECRET}@`),
      /user name or password in provider\.options \(WRONGPASS\)/,
    ],
    [
      'a wrong user',
      at(() => locked.url, `nobody:${SECRET}@`),
      /user name or password in provider\.options \(WRONGPASS\)/,
    ],
    ['a user who may not write', at(() => locked.url, `reader:${SECRET}@`), /the Redis user lacks a permission/],
    ['a user of other keys', at(() => locked.url, `elsewhere:${SECRET}@`), /the Redis user lacks a permission/],
    [
      'a database that is not there',
      () => ({ connection: { host: '127.0.0.1', port: open.port, db: 99 } }),
      /does not have the database number in provider\.options/,
    ],
    [
      'one that is no cluster',
      () => ({ cluster: { nodes: [{ host: '127.0.0.1', port: open.port }] } }),
      /needs provider\.options\.connection instead of cluster/,
    ],
    [
      'a wrong port',
      () => ({ connection: { host: '127.0.0.1', port: 1 } }),
      /at the address in provider\.options \(ECONNREFUSED\)/,
    ],
    [
      'a wrong host',
      () => ({ connection: { host: 'no-such-host.invalid' } }),
      /at the address in provider\.options \((?:ENOTFOUND|EAI_AGAIN)\)/,
    ],
    [
      'a socket that is not there',
      () => ({ connection: '/tmp/no-such-socket' }),
      /at the address in provider\.options \(ENOENT\)/,
    ],
  ])('is what is wrong with %s, and never the password', async (_name, options, expected) => {
    const { states } = meet(options());
    await expect.poll(() => states.length, { timeout: PATIENCE }).toBeGreaterThan(0);
    expect(states[0]).toMatchObject({ state: 'down', reason: expect.stringMatching(expected) as string });
    expect(JSON.stringify(states)).not.toContain(SECRET);
  });

  it('is that connections take too long, and how long they may take, where Redis is far away', async () => {
    const proxy = await TcpProxy.to(open.port, 700);
    try {
      const { states } = meet({ connection: { host: '127.0.0.1', port: proxy.port } });
      await expect
        .poll(() => states[0]?.reason, { timeout: PATIENCE })
        .toMatch(/longer than 1000 ms until one is ready/);
    } finally {
      await proxy.close();
    }
  });

  it('is nothing else while the database is not there, and nothing is written to another', async () => {
    const before = await open.command('DBSIZE');
    const { provider, states } = meet({ connection: { host: '127.0.0.1', port: open.port, db: 99 } });
    await expect.poll(() => states.length, { timeout: PATIENCE }).toBeGreaterThan(0);
    await delay(2500);
    expect(states.map(({ state }) => state)).toEqual(['down']);
    expect(provider.health().state).toBe('down');
    expect(await open.command('DBSIZE')).toBe(before);
  });

  it('is that it is a replica', async () => {
    const replica = await RedisServer.start();
    try {
      await replica.command('REPLICAOF', '127.0.0.1', String(await freePort()));
      const { states } = meet({ connection: replica.url });
      await expect.poll(() => states[0]?.reason, { timeout: PATIENCE }).toMatch(/read-only replica/);
    } finally {
      await replica.end();
    }
  });
});
