import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { bodyOf, fill } from '../../provider-suite';
import { endedAfterEach } from './ended-after-each';
import { FIRST_LEVEL, GET_TIMEOUT, whenUp } from './instances';
import { missingRedis, type RedisServer } from './redis-server';
import { VersionedDatabase } from './versioned-database';

/** The duration of each history, in seconds. The environment can set a longer one. */
const DURATION = Number(process.env.CACHE_HISTORY_SECONDS ?? 6);

const stall = async (server: RedisServer, duration: number): Promise<void> => {
  server.signal('SIGSTOP');
  await delay(duration);
  server.signal('SIGCONT');
};

/** Faults, which happen one after the other at random times. */
const MISHAPS: ReadonlyArray<(server: RedisServer) => Promise<unknown>> = [
  (server) => server.command('FLUSHALL'),
  (server) => server.command('UNLINK', '{rest-cache:v1:test}:stamps'),
  (server) => server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
  (server) => stall(server, 50 + Math.random() * 400),
  // Some processes miss an answer, and others just do not.
  (server) => stall(server, GET_TIMEOUT * (0.9 + Math.random() * 0.4)),
  async (server) => {
    await server.command('SAVE').catch(() => undefined);
    await delay(Math.random() * 200);
    await server.kill();
    await server.start();
  },
  (server) => server.command('SCRIPT', 'FLUSH'),
];

describe.skipIf(missingRedis !== undefined)('histories', () => {
  const { open, start } = endedAfterEach();

  it('of a process whose clock is ahead: no other serves its entries for as much longer than their maxAge', async () => {
    const redis = await start();
    const skew = 50_000;
    const options = { connection: redis.url, ...FIRST_LEVEL };
    const [ahead, behind] = [open(options, { skew }).provider, open(options).provider];
    await Promise.all([whenUp(ahead), whenUp(behind)]);
    await fill(ahead, { now: () => milliseconds(Date.now() + skew) }, { maxAge: 2000 });
    expect(await bodyOf(behind)).toBeDefined();
    await expect.poll(() => bodyOf(behind), { timeout: 20_000 }).toBeUndefined();
  });

  for (const nodes of [2, 4]) {
    it(
      `of ${nodes} instances with clocks apart hold no stale answer, whatever happens`,
      async () => {
        const redis = await start();
        const instances = Array.from({ length: nodes }, (_, node) =>
          open({ connection: redis.url, ...(node % 2 === 1 ? FIRST_LEVEL : {}) }, { skew: (node - 1) * 7000 }),
        );
        const database = new VersionedDatabase(instances);
        await database.untilCaching();
        database.start({ keys: 5, writeEvery: 40 });
        const until = performance.now() + DURATION * 1000;
        for (let mishap = Math.floor(Math.random() * MISHAPS.length); performance.now() < until; mishap += 1) {
          await delay(300 + Math.random() * 900);
          await MISHAPS[mishap % MISHAPS.length]?.(redis).catch(() => undefined);
        }
        await database.untilCaching();
        await database.untilHits(30);
        await database.stop();
        expect(database.errors).toEqual([]);
        expect(database.stale).toEqual([]);
      },
      (DURATION + 300) * 1000,
    );
  }
});
