import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { bearer } from '../application/callers';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';
import { seenIn } from '../histories/readers';
import { Register } from '../histories/registers';
import { missingRedis, RedisServer } from '../redis/redis-server';
import { setPublic } from './public-role';
import { StrapiProcess } from './strapi-process';

/** The duration of the disturbances, in seconds. The environment can set a longer one. */
const DURATION = Number(process.env.CACHE_PROCESSES_SECONDS ?? 35);

/** As in the playground, in milliseconds. */
const GET_TIMEOUT = 500;

const READERS = 6;
const WRITERS = 4;

/** The longest an answer may take on a machine that is busy booting Strapi. Milliseconds. */
const PATIENCE = 30_000;

const LIST = '/api/articles?fields=views&sort=title&pagination[pageSize]=12';

describe.skipIf(missingRedis !== undefined)('four Strapi processes on one database and one Redis', () => {
  const instances: StrapiProcess[] = [];
  let redis: RedisServer;
  let database: OwnDatabase;
  let admin: AdminSession;
  let writing: Record<string, string>;
  let registers: Register[];

  const at = (index: number): StrapiProcess => {
    const instance = instances[index];
    if (instance === undefined) throw new Error(`there is no instance ${index}`);
    return instance;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  const anybody = (): StrapiProcess | undefined => pick(instances.filter(({ isLive }) => isLive));

  const write = async (instance: StrapiProcess, register: Register, version: number): Promise<number> => {
    const { status } = await instance.request(`/api/articles/${register.documentId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...writing },
      body: JSON.stringify({ data: { views: version } }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (status === 200) register.acknowledged = Math.max(register.acknowledged, version);
    return status;
  };
  const read = async (instance: StrapiProcess, target: string) => {
    const response = await instance.request(target, { signal: AbortSignal.timeout(PATIENCE) });
    return { status: response.status, cache: response.headers.get('x-cache'), body: await response.text() };
  };
  /**
   * Reads, and compares: `behind` are the registers whose version in the answer is older than the one acknowledged
   * before the read.
   */
  const readAndCompare = async (instance: StrapiProcess, target: string) => {
    const expected = new Map(registers.map(({ documentId, acknowledged }) => [documentId, acknowledged]));
    const answer = await read(instance, target);
    const behind = (answer.status === 200 ? [...seenIn(answer.body)] : [])
      .map(([documentId, version]) => ({ documentId, version, least: expected.get(documentId) ?? 0 }))
      .filter(({ version, least }) => version < least);
    return { ...answer, behind };
  };

  beforeAll(async () => {
    redis = await RedisServer.start();
    database = await postgresDatabase(4);
    const environment = { ...database.environment, CACHE_PROVIDER: 'redis', REDIS_URL: redis.url };
    // Three instances as the playground configures them, and one that fetches every hit from Redis.
    const levels = [undefined, undefined, false, undefined] as const;
    instances.push(
      ...levels.map((localCache, index) => new StrapiProcess(`instance ${index}`, { environment, localCache })),
    );
    // The first one starts alone, because it may have to finish what a first boot does to a database.
    await at(0).start();
    await Promise.all(instances.slice(1).map((instance) => instance.start()));

    admin = await logIn(at(0));
    const token = await admin.post<{ data: { accessKey: string } }>('/admin/api-tokens', {
      ...{ name: 'processes', description: '', type: 'full-access', lifespan: null },
    });
    writing = bearer(token.body.data.accessKey);
    const listed = JSON.parse((await read(at(0), LIST)).body) as { data: ReadonlyArray<{ documentId: string }> };
    registers = listed.data.slice(0, 8).map(({ documentId }) => new Register(documentId, 'article'));
    for (const register of registers) expect(await write(at(0), register, register.issue())).toBe(200);
  }, 300_000);

  afterAll(async () => {
    for (const instance of instances) await instance.remove();
    await redis.end();
    await database.drop();
  });

  /** Repeats a read until the instance's first level and its front lane have the entry. */
  const warm = async (instance: StrapiProcess, target: string): Promise<void> => {
    await expect.poll(async () => (await read(instance, target)).cache, { timeout: 10_000 }).toBe('HIT');
    for (let attempt = 0; attempt < 2; attempt += 1) expect((await read(instance, target)).cache).toBe('HIT');
  };

  it('answer from the lane in front, and hit what another has stored', async () => {
    for (const instance of instances) expect(instance.output).toContain('[rest-cache] hits are answered before Strapi');
    const target = `${LIST}&shared`;
    await warm(at(0), target);
    for (const instance of instances.slice(1)) expect((await read(instance, target)).cache).toBe('HIT');
  });

  it('show an edit made on one with the very next request on another', async () => {
    for (let round = 0; round < 8; round += 1) {
      const register = pick(registers);
      const target = `/api/articles/${register.documentId}?fields=views`;
      for (const instance of instances) await warm(instance, target);
      const writer = round % instances.length;
      expect(await write(at(writer), register, register.issue())).toBe(200);
      const answers = await Promise.all(instances.map((instance) => readAndCompare(instance, target)));
      for (const { status, behind } of answers) expect({ status, behind }).toEqual({ status: 200, behind: [] });
    }
  });

  it('deny on the very next request what was revoked on another, and keep the entries', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const instance of instances) await warm(instance, '/api/tags');
      await setPublic(admin, 'tag', 'find', false);
      for (const instance of instances) expect((await read(instance, '/api/tags')).status).toBe(403);
      await setPublic(admin, 'tag', 'find', true);
      for (const instance of instances)
        expect(await read(instance, '/api/tags')).toMatchObject({ status: 200, cache: 'HIT' });
    }
  });

  it(
    'are never behind and fail nobody while they are killed, stopped and restarted, and Redis stalls',
    async () => {
      const problems: string[] = [];
      const outcomes = { reads: 0, hits: 0, writes: 0, lost: 0 };
      const until = performance.now() + DURATION * 1000;
      const isOver = (): boolean => performance.now() > until || problems.length > 20;
      const targets = [LIST, ...registers.map(({ documentId }) => `/api/articles/${documentId}?fields=views`)];

      /** Errors between a client and a process that was killed are not the cache's. */
      const orLost = async (instance: StrapiProcess, work: () => Promise<void>): Promise<void> => {
        const { life } = instance;
        try {
          await work();
        } catch (error) {
          if (instance.life === life) problems.push(`${instance.name}: ${String(error)}`);
          outcomes.lost += 1;
          await delay(20);
        }
      };
      const reading = async (): Promise<void> => {
        while (!isOver()) {
          const instance = anybody();
          if (instance === undefined) {
            await delay(50);
            continue;
          }
          const target = pick(targets);
          await orLost(instance, async () => {
            const { status, cache, behind } = await readAndCompare(instance, target);
            outcomes.reads += 1;
            if (cache === 'HIT') outcomes.hits += 1;
            if (status !== 200) problems.push(`${instance.name}: ${target} answered ${status}`);
            for (const { documentId, version, least } of behind) {
              problems.push(`${instance.name}: ${target} (${cache}) has ${version} of ${documentId}, not ${least}`);
            }
          });
          await delay(Math.random() * 10);
        }
      };
      const writingOn = async (): Promise<void> => {
        while (!isOver()) {
          const instance = anybody();
          if (instance !== undefined) {
            const register = pick(registers);
            await orLost(instance, () =>
              register.exclusively(async () => {
                const status = await write(instance, register, register.issue());
                outcomes.writes += 1;
                if (status !== 200) problems.push(`${instance.name}: a write answered ${status}`);
              }),
            );
          }
          await delay(60 + Math.random() * 120);
        }
      };
      const mishaps = async (): Promise<void> => {
        for (let turn = 0; !isOver(); turn += 1) {
          await delay(1500 + Math.random() * 1500);
          const victim = at(turn % instances.length);
          if (turn % 2 === 0) {
            victim.pause();
            await delay(200 + Math.random() * 2500);
            victim.resume();
          } else if (turn % 4 === 1) {
            await victim.kill();
            await victim.start();
          } else {
            await victim.stop();
            await victim.start();
          }
        }
      };

      /** Some processes miss an answer of Redis, and others just do not. */
      const stalls = async (): Promise<void> => {
        while (!isOver()) {
          await delay(1500 + Math.random() * 3000);
          redis.signal('SIGSTOP');
          await delay(GET_TIMEOUT * (0.9 + Math.random() * 0.4));
          redis.signal('SIGCONT');
        }
      };

      const ends = await Promise.allSettled([
        ...Array.from({ length: READERS }, reading),
        ...Array.from({ length: WRITERS }, writingOn),
        mishaps(),
        stalls(),
      ]);
      console.log(outcomes);
      expect(ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))).toEqual([]);
      expect(problems).toEqual([]);
      expect(outcomes.hits).toBeGreaterThan(outcomes.reads / 20);
      // A write takes seconds while another Strapi boots on the same two cores.
      expect(outcomes.writes).toBeGreaterThan(DURATION / 5);
      // Afterwards everything is cached again, and is the same on every instance.
      for (const instance of instances) {
        await warm(instance, LIST);
        expect((await readAndCompare(instance, LIST)).behind).toEqual([]);
      }
    },
    (DURATION + 180) * 1000,
  );
});
