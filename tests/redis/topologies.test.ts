import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { freePort } from '../application/free-port';
import { endedAfterEach } from './ended-after-each';
import { expectNoHarm, FIRST_LEVEL } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { VersionedDatabase } from './versioned-database';

describe.skipIf(missingRedis !== undefined)('topologies', () => {
  const { atEnd, open, start, databaseOn } = endedAfterEach();

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
    for (const node of nodes)
      await expect
        .poll(() => node.command('CLUSTER', 'INFO'), { timeout: 60_000 })
        .toMatch(/cluster_state:ok[^]*cluster_known_nodes:3/);
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
      atEnd(async () => {
        await guard.end();
        rmSync(directory, { recursive: true, force: true });
      });
      guards.push(guard);
    }
    for (const guard of guards)
      await expect.poll(() => guard.command('INFO', 'sentinel'), { timeout: 60_000 }).toContain('slaves=1,sentinels=3');
    return { master, replica, guards };
  };

  it('follows a failover that Sentinel makes, and serves nothing of before', async () => {
    const { master, replica, guards } = await sentinels();
    const options = { connection: { sentinels: addresses(guards), name: 'main' } };
    const database = databaseOn(options, { ...options, ...FIRST_LEVEL }, options);
    await database.untilCaching();
    database.start();
    await delay(400);
    await master.kill();
    // A promotion closes the connections.
    const replication = (): Promise<unknown> => replica.command('INFO', 'replication').catch(() => '');
    await expect.poll(replication, { timeout: 60_000 }).toContain('role:master');
    await database.untilCaching();
    await delay(300);
    await database.stop();
    expectNoHarm(database);
  });

  it('uses a connection it was given and leaves it open', async () => {
    const server = await start();
    const given = new Redis(server.port, { keyPrefix: 'theirs:' });
    atEnd(() => given.disconnect());
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
    atEnd(() => given.disconnect());
    const database = databaseOn({ client: given }, { connection: server.url });
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
    atEnd(() => given.disconnect());
    await databaseOn({ client: given }).untilCaching();
  });
});
