import prepare from '../application/prepare';
import type { Server } from '../bench/child';
import { compete, median } from '../bench/rounds';
import { runFolder, startStrapi, WITHOUT_LOG } from '../bench/strapi-process';
import { PATHS, restCache, warm } from '../bench/subjects';
import { RedisServer } from './redis-server';

/**
 * `npx tsx tests/redis/measure-hits.ts`: hits over HTTP from memory and through Redis, in turn within one run. Prints
 * how much longer Redis takes: of the server's CPU time, and of the time between two answers. See docs/redis.md.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 2);

const measure = async (): Promise<void> => {
  prepare();
  const redis = await RedisServer.start();
  const servers: Server[] = [];
  try {
    const provider = (localCache: unknown) => ({ name: 'redis', options: { connection: redis.url, localCache } });
    const chosen = {
      memory: { name: 'memory' },
      strict: provider({ mode: 'strict' }),
      bounded: provider({ mode: 'bounded' }),
      'no first level': provider(false),
    };
    for (const [name, options] of Object.entries(chosen)) {
      servers.push(
        await startStrapi(name, { middlewares: WITHOUT_LOG, plugins: restCache({ keysPrefix: name }, options) }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 3000));
    for (const path of PATHS) {
      let size = 0;
      for (const server of servers) size = (await warm(server, path)).body.byteLength;
      const contestants = servers.map((server) => ({ name: server.name, server, load: { path } }));
      const scores = await compete(contestants, { rounds: ROUNDS, seconds: SECONDS, folder: runFolder() });
      const memory = scores.get('memory');
      console.log(`${path} (${Math.round(size / 1024)} KiB)`);
      for (const { name, perSecond, cpu, rounds, latency, queries, errors } of scores.values()) {
        const times = (of: 'cpu' | 'perSecond'): string => {
          const ratios = rounds.map((own, round) => {
            const base = memory?.rounds[round];
            return of === 'cpu' ? own.cpu / (base?.cpu ?? NaN) : (base?.perSecond ?? NaN) / own.perSecond;
          });
          return median(ratios).toFixed(2);
        };
        console.log(
          `  ${name.padEnd(16)} ${Math.round(perSecond)}/s  CPU ${cpu.toFixed(1)} µs (× ${times('cpu')})  time × ${times('perSecond')}  p50 ${latency.p50} ms  p99 ${latency.p99} ms  queries ${queries} errors ${errors}`,
        );
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await redis.end();
  }
};

measure().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
