import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TEMPLATE_DATABASE } from '../application/paths';
import { StrapiProcess } from '../processes/strapi-process';
import { missingRedis, RedisServer } from '../redis/redis-server';
import { Gateway } from './gateway';
import { PurgeProxy } from './purge-proxy';
import { hasVarnish, Varnish } from './varnish';
import { readFrom } from './world';

/** "Kept in Redis so that a crash loses none", and "only keys that were issued are purged", across processes. */

const TARGET = '/api/tags';

/** Kills the process as soon as the next commit is in the database, before anybody is notified. */
const DIES_WHEN_COMMITTED = `
  const { client } = strapi.db.connection;
  const connection = await client.acquireConnection();
  const driver = Object.getPrototypeOf(connection);
  const { prepare } = driver;
  driver.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (!/^commit/i.test(sql)) return statement;
    const run = (...bindings) => {
      statement.run(...bindings);
      process.kill(process.pid, 'SIGKILL');
    };
    return { reader: false, run };
  };
  await client.releaseConnection(connection);
`;

describe.runIf(hasVarnish() && missingRedis === undefined)('processes on one Redis, behind Varnish', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'rest-cache-edge-'));
  let redis: RedisServer;
  let gateway: Gateway;
  let varnish: Varnish;
  let proxy: PurgeProxy;
  let one: StrapiProcess;
  let other: StrapiProcess;

  beforeAll(async () => {
    const sqlite = path.join(directory, 'data.db');
    cpSync(TEMPLATE_DATABASE, sqlite);
    redis = await RedisServer.start();
    [proxy, gateway] = await Promise.all([PurgeProxy.start(), Gateway.start()]);
    const settings = {
      environment: { DATABASE_FILENAME: sqlite, CACHE_PROVIDER: 'redis', REDIS_URL: redis.url },
      strategy: {
        // A write waits for its purge until the process is killed.
        edge: { header: 'xkey', timeout: 60_000, targets: [{ name: 'varnish', url: proxy.url }] },
      },
    };
    one = new StrapiProcess('one', settings);
    other = new StrapiProcess('other', settings);
    await one.start();
    await other.start();
    gateway.upstream = one.origin;
    varnish = await Varnish.start(gateway.origin);
    proxy.upstream = varnish.origin;
  });

  afterAll(async () => {
    await varnish.stop();
    await one.remove();
    await other.remove();
    await redis.end();
    gateway.stop();
    proxy.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    for (const process of [one, other]) if (process.hasEnded) await process.start();
    gateway.upstream = one.origin;
    proxy.does = 'pass';
    await proxy.quiet();
  });

  const read = async (): Promise<string> => {
    const { status, body } = await readFrom(varnish, TARGET);
    expect(status).toBe(200);
    return body.toString();
  };

  const isKept = async (): Promise<boolean> => {
    const { headers } = await readFrom(varnish, TARGET);
    return String(headers['x-varnish']).includes(' ');
  };

  /** The id of a tag that the answer shows. */
  let tagId = 0;

  /** Every key that an answer has carried. */
  const issued = new Set<string>();

  const keepThere = async (): Promise<void> => {
    await expect.poll(isKept, { timeout: 60_000 }).toBe(true);
    tagId = (JSON.parse(await read()) as { data: ReadonlyArray<{ id: number }> }).data[0]?.id ?? 0;
    for (const process of [one, other].filter(({ isLive }) => isLive))
      for (const key of String((await readFrom(process, TARGET)).headers.xkey).split(' ')) issued.add(key);
  };

  /** The keys of unfinished purges in Redis. */
  const owedKeys = async (): Promise<string[]> => {
    const [, ...owed] = await redis.command<string[]>('HGETALL', '{rest-cache:v1:}:owed');
    return owed[0]?.split('\n')[0]?.split(' ').slice(1) ?? [];
  };

  const rename = (process: StrapiProcess, name: string): Promise<unknown> =>
    process.run(`await strapi.db.connection('tags').where({ id: ${tagId} }).update({ name: '${name}' })`);

  it('a write is one purge, of no key that was not handed out, whoever writes', async () => {
    for (const [round, writer] of [one, other, one, other].entries()) {
      await keepThere();
      const from = proxy.purges.length;
      await rename(writer, `A ${round}`);
      const purges = proxy.purges.slice(from);
      expect(purges).toHaveLength(1);
      expect(purges.flat().filter((key) => !issued.has(key))).toEqual([]);
      expect(purges.flat().length).toBeLessThan(40);
      expect(await read()).toContain(`A ${round}`);
      // Each purge is repeated once, after a while.
      await expect.poll(() => proxy.purges.length, { timeout: 60_000 }).toBe(from + 2);
    }
    const from = proxy.purges.length;
    await one.run(
      "await strapi.db.connection('authors').where('id', '>', 0).limit(1).update({ name: 'Nobody asked' })",
    );
    expect(proxy.purges.slice(from)).toEqual([]);
  });

  it.each([
    ['with its purge under way', 'A killed', false],
    ['between its commit and its stamp', 'A died', true],
  ])('one that is killed %s is made up for by the other', async (_when, name, dies) => {
    await keepThere();
    const from = proxy.purges.length;
    proxy.does = 'lose';
    if (dies) await one.run(DIES_WHEN_COMMITTED);
    rename(one, name).catch(() => undefined);
    if (dies) await expect.poll(() => one.hasEnded, { timeout: 60_000 }).toBe(true);
    else await expect.poll(() => proxy.purges.length, { timeout: 60_000 }).toBe(from + 1);
    await one.kill();
    const owed = await owedKeys();
    expect(owed.length).toBeGreaterThan(0);
    expect(owed.filter((key) => !issued.has(key))).toEqual([]);
    if (!dies) expect(new Set(owed)).toEqual(new Set(proxy.purges[from]));
    const sent = proxy.purges.length - from;
    proxy.does = 'pass';
    gateway.upstream = other.origin;
    await expect.poll(read, { timeout: 60_000 }).toContain(name);
    const made = proxy.purges.slice(from + sent);
    expect(made.length).toBeGreaterThan(0);
    expect(made.flat().filter((key) => !issued.has(key))).toEqual([]);
  });

  it('one that is killed is made up for by the next start', async () => {
    await keepThere();
    await other.stop();
    const from = proxy.purges.length;
    proxy.does = 'lose';
    rename(one, 'A restarted').catch(() => undefined);
    await expect.poll(() => proxy.purges.length, { timeout: 60_000 }).toBe(from + 1);
    await one.kill();
    proxy.does = 'pass';
    await one.start();
    gateway.upstream = one.origin;
    // The purges are done before it listens.
    expect(await read()).toContain('A restarted');
    const made = proxy.purges.slice(from + 1);
    expect(made.length).toBeGreaterThan(0);
    expect(made.flat().filter((key) => !issued.has(key))).toEqual([]);
  });
});
