import prepare from '../application/prepare';
import type { Child } from '../bench/child';
import { compete } from '../bench/contest';
import { Load } from '../bench/load';
import { startStrapi, WITHOUT_LOG } from '../bench/strapi-process';
import { PATHS, restCache, warm } from '../bench/subjects';
import { middle, ratioOf } from '../bench/turns';
import { RedisServer } from './redis-server';

/**
 * `npx tsx tests/redis/measure-hits.ts`: compares hits over HTTP from memory and through Redis, in turn within one run.
 * Prints how much more Redis takes of the server's CPU time and of the time until a response. See docs/redis.md.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 40);

const measure = async (): Promise<void> => {
  prepare();
  const redis = await RedisServer.start();
  const load = await Load.start();
  const servers: Child[] = [];
  try {
    const provider = (localCache: unknown) => ({ name: 'redis', options: { connection: redis.url, localCache } });
    const chosen = {
      memory: { name: 'memory' },
      'first level': provider({}),
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
      const contestants = Object.fromEntries(servers.map((server) => [server.name, { server, paths: [path] }]));
      const turns = await compete(contestants, load, ROUNDS);
      console.log(`${path} (${Math.round(size / 1024)} KiB)`);
      for (const server of servers) {
        const cpu = turns[server.name] ?? [];
        const times = 1 / ratioOf(turns, server.name, 'memory');
        const latencies = await load.latencies(server, { paths: [path], connections: 10 }, { count: 3000, rate: 500 });
        console.log(
          `  ${server.name.padEnd(16)} CPU ${middle(cpu).toFixed(1)} µs (× ${times.toFixed(2)})  answered within ${middle(latencies).toFixed(2)} ms`,
        );
      }
    }
  } finally {
    await Promise.all([load, ...servers].map((one) => one.stop()));
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
