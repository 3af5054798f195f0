import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../application/free-port';
import { expectNoHarm, openInstance, FIRST_LEVEL, type RedisInstance } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { VersionedDatabase } from './versioned-database';

describe.skipIf(missingRedis !== undefined)('topologies', () => {
  const closers: Array<() => Promise<unknown>> = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const start = async (...args: string[]): Promise<RedisServer> => {
    const server = await RedisServer.start(...args);
    closers.push(() => server.end());
    return server;
  };
  const open = (...parameters: Parameters<typeof openInstance>): RedisInstance => {
    const instance = openInstance(...parameters);
    closers.push(() => instance.provider.close());
    return instance;
  };

  /** Three masters without replicas. */
  const cluster = async (): Promise<RedisServer[]> => {
    const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500'];
    const nodes = await Promise.all([start(...args), start(...args), start(...args)]);
    const [first] = nodes;
    for (const [index, node] of nodes.entries()) {
      const slots = [Math.floor((16384 * index) / 3), Math.floor((16384 * (index + 1)) / 3) - 1];
      await node.command('CLUSTER', 'ADDSLOTSRANGE', String(slots[0]), String(slots[1]));
      if (first !== undefined && node !== first) await node.command('CLUSTER', 'MEET', '127.0.0.1', String(first.port));
    }
    for (const node of nodes) {
      for (let attempt = 0; attempt < 300; attempt += 1) {
        const info = String(await node.command('CLUSTER', 'INFO'));
        if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')) break;
        await delay(50);
      }
    }
    return nodes;
  };
  const addresses = (nodes: readonly RedisServer[]): Array<{ host: string; port: number }> =>
    nodes.map(({ port }) => ({ host: '127.0.0.1', port }));

  it('hits, purges and survives a kill on a cluster of three masters', async () => {
    const nodes = await cluster();
    const options = { cluster: { nodes: addresses(nodes) } };
    const instances = [open(options), open({ ...options, ...FIRST_LEVEL }), open(options)];
    const database = new VersionedDatabase(instances);
    await database.untilCaching();
    database.start();
    await database.untilHits(50);
    let owner: RedisServer | undefined;
    for (const node of nodes) if (Number(await node.command('DBSIZE')) > 0) owner = node;
    expect(owner).toBeDefined();
    await owner?.kill();
    await delay(500);
    await owner?.start();
    await database.untilCaching();
    await delay(300);
    await database.stop();
    expectNoHarm(database);
    const { entries } = (await instances[0]?.provider.usage()) ?? { entries: 0 };
    expect(entries).toBeGreaterThan(0);
  });

  it('says that it is a cluster, where the connection is to one of its nodes', async () => {
    const nodes = await cluster();
    const providers = nodes.map(({ url }) => open({ connection: url }).provider);
    const reasons = (): unknown[] => providers.map((provider) => provider.health().reason);
    await expect
      .poll(reasons, { timeout: 20_000 })
      .toEqual(expect.arrayContaining([expect.stringContaining('needs provider.options.cluster')]));
  });

  it('spreads applications over a cluster, each in one slot, with a first level kept coherent', async () => {
    const nodes = await cluster();
    const options = { cluster: { nodes: addresses(nodes) }, ...FIRST_LEVEL };
    for (const keysPrefix of ['a', 'b', 'c', 'd']) {
      const instance = open(options, { keysPrefix });
      const database = new VersionedDatabase([instance]);
      await database.untilCaching();
    }
    const used = await Promise.all(nodes.map((node) => node.command('DBSIZE')));
    expect(used.filter((size) => Number(size) > 0).length).toBeGreaterThan(1);
  });

  /** A master, a replica, and three sentinels that agree within a short time. */
  const sentinels = async (): Promise<{ master: RedisServer; replica: RedisServer; guards: RedisServer[] }> => {
    const master = await start();
    const replica = await start('--replicaof', '127.0.0.1', String(master.port), '--repl-diskless-sync-delay', '0');
    const guards: RedisServer[] = [];
    for (let index = 0; index < 3; index += 1) {
      const port = await freePort();
      const directory = mkdtempSync(join(tmpdir(), 'rest-cache-sentinel-'));
      const conf = join(directory, 'sentinel.conf');
      writeFileSync(
        conf,
        [
          `port ${port}`,
          'bind 127.0.0.1',
          `dir ${directory}`,
          `sentinel monitor main 127.0.0.1 ${master.port} 2`,
          'sentinel down-after-milliseconds main 400',
          'sentinel failover-timeout main 3000',
        ].join('\n'),
      );
      const guard = new RedisServer(port, [conf, '--sentinel']);
      await guard.start();
      closers.push(async () => {
        await guard.end();
        rmSync(directory, { recursive: true, force: true });
      });
      guards.push(guard);
    }
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const known = await Promise.all(
        guards.map(async (guard) => {
          const info = String(await guard.command('INFO', 'sentinel'));
          return info.includes('slaves=1,sentinels=3');
        }),
      );
      if (known.every(Boolean)) break;
      await delay(50);
    }
    return { master, replica, guards };
  };

  it('follows a failover that Sentinel makes, and serves nothing of before', async () => {
    const { master, replica, guards } = await sentinels();
    const options = { connection: { sentinels: addresses(guards), name: 'main' } };
    const instances = [open(options), open({ ...options, ...FIRST_LEVEL }), open(options)];
    const database = new VersionedDatabase(instances);
    await database.untilCaching();
    database.start();
    await delay(400);
    await master.kill();
    let promoted = false;
    for (let attempt = 0; attempt < 200 && !promoted; attempt += 1) {
      // A promotion closes the connections.
      const info = await replica.command('INFO', 'replication').catch(() => '');
      promoted = String(info).includes('role:master');
      await delay(50);
    }
    expect(promoted).toBe(true);
    await database.untilCaching();
    await delay(300);
    await database.stop();
    expectNoHarm(database);
  });

  it('uses a connection it was given and leaves it open', async () => {
    const server = await start();
    const given = new Redis(server.port, { keyPrefix: 'theirs:' });
    closers.push(() => Promise.resolve(given.disconnect()));
    const instance = open({ connection: given, ...FIRST_LEVEL });
    const database = new VersionedDatabase([instance]);
    await database.untilCaching();
    expect((await instance.provider.usage()).entries).toBeGreaterThan(0);
    await instance.provider.clear();
    await instance.provider.close();
    expect(await given.ping()).toBe('PONG');
    // The connection that was given, and the one that runs this command.
    const clients = String(await server.command('CLIENT', 'LIST'));
    expect(clients.trim().split('\n').length).toBe(2);
    for (const name of await server.command<string[]>('KEYS', '*')) expect(name).toMatch(/^theirs:\{rest-cache:/);
  });

  it('survives a kill on a connection it was given', async () => {
    const server = await start();
    const given = new Redis(server.port);
    given.on('error', () => undefined);
    closers.push(() => Promise.resolve(given.disconnect()));
    const database = new VersionedDatabase([open({ client: given }), open({ connection: server.url })]);
    await database.untilCaching();
    database.start();
    await delay(200);
    await server.kill();
    await delay(500);
    await server.start();
    await database.untilCaching();
    await database.stop();
    expectNoHarm(database);
  });

  it('uses a cluster connection it was given', async () => {
    const nodes = await cluster();
    const given = new Cluster(addresses(nodes));
    closers.push(() => Promise.resolve(given.disconnect()));
    const database = new VersionedDatabase([open({ client: given })]);
    await database.untilCaching();
  });
});
