import { describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { EVERY_ANSWER, type EdgeDebt, type EdgeKey } from '../../server/src/cache/edge-purge';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import type { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { fill } from '../../provider-suite';
import { systemClock } from '../../server/src/cache/clock';
import { caughtUp } from './instances';
import { oneServer } from './one-server';
import { missingRedis } from './redis-server';

/**
 * The keys that the edge was given and has to purge. All processes on one Redis share this knowledge, and no loss of it
 * goes unnoticed.
 */

const keysOf = (text: string): EdgeKey[] => text.split(' ') as EdgeKey[];
const ANY_AGE = milliseconds(0);

describe.skipIf(missingRedis !== undefined)('what Redis knows of the edge', () => {
  const oneRedis = oneServer();
  const open = (keysPrefix: string, timing = {}, fingerprint = 'f1'): Promise<RedisProvider> =>
    oneRedis.open({}, { keysPrefix, fingerprint, timing: { beat: milliseconds(0), ...timing } });

  const nameOf = (keysPrefix: string, part: string): string => `{rest-cache:v1:${keysPrefix}}:${part}`;
  const everythingIn = (debts: readonly EdgeDebt[]): boolean => debts.some(({ keys }) => keys.includes(EVERY_ANSWER));
  /** Settles the debts that exist at the start. */
  const settleEverything = async ({ edge }: RedisProvider): Promise<void> => {
    for (const { id } of await edge.owed(ANY_AGE)) await edge.settle(id);
  };

  it('costs a hit nothing once its keys are noted, here or by another process', async () => {
    const [one, other] = [await open('known'), await open('known')];
    expect(await one.edge.issueKeys(keysOf('a b'), [])).toBe(true);
    expect(one.edge.issueKeys(keysOf('b a'), [])).toBe(true);
    // The other process asks Redis itself, but only once.
    const asked = other.edge.issueKeys(keysOf('a b'), []);
    expect([asked instanceof Promise, await asked, other.edge.issueKeys(keysOf('a b'), [])]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    ['deleted', (name: string) => [['DEL', name]]],
    ['emptied by half', (name: string) => [['SPOP', name]]],
    [
      'another kind of key',
      (name: string) => [
        ['DEL', name],
        ['SET', name, 'mine'],
      ],
    ],
  ])('counts every key as handed out where those that were are %s', async (how, commands) => {
    const prefix = `handed-${how}`.replaceAll(' ', '-');
    const [one, other] = [await open(prefix), await open(prefix)];
    await settleEverything(one);
    await one.edge.issueKeys(keysOf('a b'), []);
    expect((await other.edge.owe('before', keysOf('a c'), [])).flatMap(({ keys }) => keys)).toEqual(['a']);
    for (const [command = '', ...args] of commands(nameOf(prefix, 'handed')))
      await oneRedis.server.command(command, ...args);
    // The first process still answers from its own notes.
    expect(one.edge.issueKeys(keysOf('a'), [])).toBe(true);
    const owed = await other.edge.owe('after', keysOf('a c'), []);
    expect([everythingIn(owed), owed.at(-1)?.keys]).toEqual([true, ['a', 'c']]);
  });

  it('owes everything where what was owed is lost', async () => {
    const provider = await open('owed');
    await settleEverything(provider);
    await provider.edge.issueKeys(keysOf('a b'), []);
    await provider.edge.owe('write', keysOf('a'), []);
    await oneRedis.server.command('DEL', nameOf('owed', 'owed'));
    expect(everythingIn(await provider.edge.owed(ANY_AGE))).toBe(true);
  });

  it('knows nothing in a new epoch: everything is owed, and every key noted anew', async () => {
    const provider = await open('epoch');
    await settleEverything(provider);
    await provider.edge.issueKeys(keysOf('a b'), []);
    await oneRedis.server.command('FLUSHALL');
    // The next request notices the new epoch, and the provider comes back up.
    await expect.poll(() => fill(provider, systemClock).catch(() => false), { timeout: 10_000 }).toBe(true);
    const owed = await provider.edge.owe('write', keysOf('a'), []);
    expect([everythingIn(owed), owed.length]).toEqual([true, 1]);
    const again = provider.edge.issueKeys(keysOf('a'), []);
    expect([again instanceof Promise, await again]).toEqual([true, true]);
    expect((await provider.edge.owe('next', keysOf('a'), [])).at(-1)?.keys).toEqual(['a']);
  });

  it('has one process purge everything, and others only if that takes too long, or where they start or write', async () => {
    const [one, other] = [await open('told'), await open('told')];
    const long = milliseconds(60_000);
    expect(everythingIn(await one.edge.owed(long))).toBe(true);
    expect([everythingIn(await other.edge.owed(long)), everythingIn(await one.edge.owed(long))]).toEqual([
      false,
      false,
    ]);
    expect(everythingIn(await other.edge.owe('write', keysOf('a'), []))).toBe(true);
    expect(everythingIn(await other.edge.owed(ANY_AGE))).toBe(true);
    await expect
      .poll(async () => everythingIn(await other.edge.owed(milliseconds(20))), { timeout: 10_000 })
      .toBe(true);
    // Another loss is another debt.
    await settleEverything(one);
    await one.invalidate([EVERYTHING]);
    expect(everythingIn(await other.edge.owed(long))).toBe(true);
  });

  it.each(['old', 'new'])(
    'owes everything once more when the last process of the %s release has gone',
    async (left) => {
      const [old, older] = [await open(`rolled-${left}`, {}, 'old'), await open(`rolled-${left}`, {}, 'old')];
      await settleEverything(old);
      const latest = await open(`rolled-${left}`, {}, 'new');
      await settleEverything(latest);
      // Between that purge and its end, the other release has issued more.
      const [leaving, staying] = left === 'old' ? [old, latest] : [latest, old];
      expect(await leaving.edge.issueKeys(keysOf('a'), [])).toBe(true);
      expect(everythingIn(await staying.edge.owed(ANY_AGE))).toBe(false);
      if (left === 'old') await older.close();
      expect(everythingIn(await staying.edge.owed(ANY_AGE))).toBe(false);
      await leaving.close();
      expect(everythingIn(await staying.edge.owed(ANY_AGE))).toBe(true);
      await settleEverything(staying);
      expect(everythingIn(await staying.edge.owed(ANY_AGE))).toBe(false);
    },
  );

  it('owes everything of a process that fell silent', async () => {
    const silent = await open('silent', { beat: milliseconds(50) });
    const other = await open('silent', { beat: milliseconds(50), silence: milliseconds(400) });
    await settleEverything(other);
    await silent.close();
    // A member that was killed would leave this.
    await oneRedis.server.command('ZADD', nameOf('silent', 'members'), '1', 'killed');
    await expect.poll(async () => everythingIn(await other.edge.owed(ANY_AGE)), { timeout: 10_000 }).toBe(true);
  });

  it('knows a bounded number of keys, and of writes', async () => {
    const provider = await open('bounded');
    await settleEverything(provider);
    for (let batch = 0; batch < 8; batch += 1)
      await provider.edge.issueKeys(
        Array.from({ length: 25_000 }, (_, key) => `k${batch}${key}`.padEnd(8, '-') as EdgeKey),
        [],
      );
    const memory = Number(
      await oneRedis.server.command('MEMORY', 'USAGE', nameOf('bounded', 'handed'), 'SAMPLES', '0'),
    );
    console.log(`200,000 keys take ${(memory / 2 ** 20).toFixed(1)} MiB`);
    expect((await provider.edge.owe('few', keysOf('none'), [])).length).toBe(0);
    await provider.edge.issueKeys(keysOf('one-more'), []);
    expect(Number(await oneRedis.server.command('SCARD', nameOf('bounded', 'handed')))).toBe(1);
    expect((await provider.edge.owe('all', keysOf('none'), [])).at(-1)?.keys).toEqual(['none']);
    expect(await provider.edge.issueKeys(keysOf('another'), [])).toBe(true);
    for (let write = 0; write < 1000; write += 1) await provider.edge.owe(`write ${write}`, keysOf('a b c'), []);
    expect(everythingIn(await provider.edge.owed(ANY_AGE))).toBe(true);
    expect(Number(await oneRedis.server.command('HLEN', nameOf('bounded', 'owed')))).toBeLessThan(1000);
  });

  it('lets nothing out that a write has overtaken, which announced before and stamped after', async () => {
    const [reader, writer] = [await open('race'), await open('race')];
    await settleEverything(reader);
    for (let round = 0; round < 200; round += 1) {
      const name = tag(`row:${round}`);
      const since = await caughtUp(reader);
      const key = keysOf(`key${round}`);
      const write = async (): Promise<boolean> => {
        const announcement = await writer.announce([name]);
        await writer.edge.owe(`w${round}`, key, []);
        await writer.invalidate([name], announcement);
        return (await writer.edge.owe(`w${round}`, key, [])).length > 0;
      };
      const [isPurged, isOut] = await Promise.all([
        write(),
        delay(Math.random() * 2).then(() => reader.edge.issueKeys(key, [{ tags: [name], since }])),
      ]);
      expect(isPurged || !isOut).toBe(true);
    }
  });
});
