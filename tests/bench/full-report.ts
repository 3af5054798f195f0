import type { Server } from './child';
import { byDefault, LIST, restCache, warm, withoutCache, writeEncodedResponses } from './subjects';
import { load } from './load';
import { describeMachine } from './machine';
import { measureHits, worstRatio, type Scores } from './hits';
import { measureMemory } from './memory-report';
import { measurePurge } from './purge';
import { measureMisses, missTable } from './misses';
import { measurePluginCost, pluginCostTable } from './plugin-cost';
import { complaints, markdown, scoreTable } from './report';
import { compete } from './rounds';
import { startBare, startStrapi, WITHOUT_LOG } from './strapi-process';
import { measureWrites, writeTable } from './writes';
import { RedisServer, missingRedis } from '../redis/redis-server';

interface Field {
  readonly front: Server;
  readonly logged: Server;
  readonly router: Server;
  readonly uncached: Server;
  readonly koa: Server;
  readonly responses: string;
  readonly folder: string;
  readonly withPeers: boolean;
  started(starting: Promise<Server>): Promise<Server>;
}

const NAMES: Readonly<Record<string, string>> = {
  koa: 'bare Koa, same Buffer, same headers',
  http: 'bare node:http, same Buffer, same headers',
  front: 'front lane',
  logged: "front lane, Strapi's request log on",
  router: 'router lane',
  inner: 'inner lane',
  uncached: 'no cache',
  authenticated: 'front lane, signed-in user',
  'koa 304': 'bare Koa answering 304',
  'front 304': 'front lane answering 304',
  redisLocal: 'Redis with first level (default)',
  redis: 'Redis without first level',
  unique: 'new key on every request',
  observed: 'plugin installed, route not cached',
};

const describeScores = (scores: Scores, base: string): string =>
  [scoreTable(scores, base, NAMES), ...complaints(scores)].join('\n\n');

/** One process each, whose plugin is taken out and put back all the time. */
const measureSwitched = async (): Promise<string> => {
  const effort = { turns: 80, requests: 24 };
  return pluginCostTable({
    'route not cached': await measurePluginCost(
      { middlewares: WITHOUT_LOG, plugins: byDefault(['api::tag.tag']) },
      effort,
    ),
    'new key on every request': await measurePluginCost({ middlewares: WITHOUT_LOG, plugins: byDefault() }, effort),
  });
};

/** Gzip over the wire: the lane's stored bytes against a bare server that sends the same. */
const measureCompressed = async ({ started, folder }: Field): Promise<string> => {
  const compressed = await started(
    startStrapi('compressed', { middlewares: [...WITHOUT_LOG, 'strapi::compression'], plugins: restCache() }),
  );
  const headers = { 'accept-encoding': 'gzip' };
  const bare = await started(startBare('koa', await writeEncodedResponses(compressed, headers, folder)));
  const scores = await compete(
    [
      { name: 'bare Koa sending the gzipped Buffer', server: bare, load: { path: LIST, headers } },
      { name: 'front lane, `strapi::compression`, gzip', server: compressed, load: { path: LIST, headers } },
    ],
    { rounds: 5, seconds: 2, folder },
  );
  await Promise.all([compressed.stop(), bare.stop()]);
  return describeScores(new Map([[LIST, scores]]), 'bare Koa sending the gzipped Buffer');
};

const measureRedis = async ({ started, folder, koa, front, withPeers }: Field): Promise<string> => {
  if (missingRedis !== undefined) return missingRedis;
  const redis = await RedisServer.start();
  try {
    const provider = (options: object) => ({ name: 'redis', options: { connection: redis.url, ...options } });
    const [redisLocal, plain] = await Promise.all([
      started(
        startStrapi('redis with first level', {
          middlewares: WITHOUT_LOG,
          plugins: restCache({ keysPrefix: 'a' }, provider({})),
        }),
      ),
      started(
        startStrapi('redis', {
          middlewares: WITHOUT_LOG,
          plugins: restCache({ keysPrefix: 'b' }, provider({ localCache: false })),
        }),
      ),
    ]);
    const peers = withPeers ? await (await import('./peers')).startRedisPeer(redis.url) : {};
    for (const peer of Object.values(peers)) await started(Promise.resolve(peer));
    const all = await measureHits(
      { koa, front, redisLocal, redis: plain, ...peers },
      { rounds: 5, seconds: 1, folder },
    );
    const scores = only(all, ['koa', 'front', 'redisLocal', 'redis', ...Object.keys(peers)]);
    for (const peer of Object.values(peers)) await peer.stop();
    await Promise.all([redisLocal.stop(), plain.stop()]);
    return describeScores(scores, 'koa');
  } finally {
    await redis.end();
  }
};

/** Latencies at a rate that every contestant can keep. */
const measureLatency = async ({ front, koa, uncached, folder }: Field): Promise<string> => {
  const rows: string[][] = [];
  for (const [name, server, rate] of [
    ['bare Koa', koa, 1000],
    ['front lane', front, 1000],
    ['no cache', uncached, 50],
  ] as const) {
    await warm(server, LIST);
    const { latency } = await load({ url: server.url(LIST), seconds: 6, rate, connections: 10 }, folder);
    rows.push([name, String(rate), latency.p50.toFixed(1), latency.p99.toFixed(1)]);
  }
  return markdown(['25-article list', 'requests/s asked for', 'p50 ms', 'p99 ms'], rows);
};

const measurePurges = async (): Promise<string> => {
  const rows: string[][] = [];
  for (const entries of [1_000, 10_000, 100_000]) {
    const { purge, longestPause } = await measurePurge(entries);
    rows.push([entries.toLocaleString('en-US'), purge.toFixed(0), longestPause.toFixed(1)]);
  }
  return markdown(['entries held', 'purge, µs', 'longest pause of the event loop while sweeping, ms'], rows);
};

export const fullReport = async (
  field: Field,
): Promise<{ readonly text: string; readonly ratios: Record<string, number> }> => {
  const { front, logged, router, uncached, koa, responses, folder, started } = field;
  const [http, inner] = await Promise.all([
    started(startBare('http', responses)),
    started(startStrapi('inner', { middlewares: WITHOUT_LOG, plugins: restCache({ lane: 'inner' }) })),
  ]);
  const peers = field.withPeers ? await (await import('./peers')).startPeers() : {};
  for (const peer of Object.values(peers)) await started(Promise.resolve(peer));

  const hits = await measureHits(
    { koa, http, front, logged, router, inner, uncached, ...peers },
    { rounds: 5, seconds: 1, folder },
  );
  const misses = await measureMisses(
    {
      uncached: { middlewares: WITHOUT_LOG, plugins: withoutCache },
      observed: { middlewares: WITHOUT_LOG, plugins: byDefault(['api::tag.tag']) },
      unique: { middlewares: WITHOUT_LOG, plugins: byDefault() },
    },
    { trials: 5, turns: 20, requests: 30 },
  );
  const sections: Array<readonly [title: string, body: string]> = [];
  const add = async (title: string, measure: () => Promise<string> | string): Promise<void> => {
    // One part that fails leaves the others standing.
    const body = await Promise.resolve()
      .then(measure)
      .catch((error: unknown) => `Not measured: ${String(error)}`);
    console.log(`\n## ${title}\n\n${body}`);
    sections.push([title, body]);
  };
  await add('Hits', () => describeScores(hits, 'koa'));
  await add('Conditional requests', () => describeScores(only(hits, ['koa 304', 'front 304']), 'koa 304'));
  await add('Every request a new key', () => missTable(misses, NAMES, NAMES.uncached ?? 'uncached'));
  await add('The same application with the plugin and without it', () => measureSwitched());
  await add('Writes', async () =>
    writeTable(await measureWrites({ middlewares: WITHOUT_LOG, plugins: byDefault() }, 24)),
  );
  await add('Compressed', () => measureCompressed(field));
  await add('Redis', () => measureRedis(field));
  await add('Latency at a constant rate', () => measureLatency(field));
  await add('Purge', () => measurePurges());
  await add('Memory', () => measureMemory());
  const ratios = {
    anonymous: worstRatio(hits, 'front', 'koa'),
    anonymousLogged: worstRatio(hits, 'logged', 'koa'),
    router: worstRatio(hits, 'router', 'koa'),
    authenticated: worstRatio(hits, 'authenticated', 'koa'),
    notModified: worstRatio(hits, 'front 304', 'koa 304'),
    uniqueKeys: misses.get('unique')?.ratio ?? NaN,
  };
  const text = `${INTRODUCTION}\n\n${new Date().toISOString().slice(0, 10)}. ${describeMachine()}.\n\n${sections
    .map(([title, body]) => `## ${title}\n\n${body}`)
    .join('\n\n')}\n`;
  return { text, ratios };
};

const only = (scores: Scores, names: readonly string[]): Scores =>
  new Map([...scores].map(([path, own]) => [path, new Map([...own].filter(([name]) => names.includes(name)))]));

const INTRODUCTION = `# Benchmarks

Written by \`npm run bench\`: the playground in production mode on SQLite, every contestant a process of its own, in
rounds that take turns (A B A B …); medians. The bare servers send the very Buffer and the very headers the front lane
sends.

*req/s* is what the load generator counted, the median of the rounds. *CPU µs* is the server's processor time per
request, user and system, in its least disturbed round: other work on the machine only ever adds to it. The ratio
compares processor time; on an idle machine it is the ratio of requests per second, and on a shared one, where others
take turns on the same core, it is what of that ratio can still be measured.
Misses cost thousands of times what hits do, and two processes of the same program differ by some percent for as long
as they live: there, everybody is started anew for each trial, and turns of thirty requests alternate; the plugin is
configured with the names of the content types and nothing else. What the plugin costs requests that it cannot answer is
told more exactly by one process whose plugin is taken out and put back all the time (\`tests/bench/plugin-switch.mjs\`).
Writes are measured the same way, by the document service within that process, while answers that show what is written
are kept; *statements* are what the driver is given, the plugin's own included.
\`npm run bench -- --quick --json\` prints the ratios the project promises: of hits for the worse of both bodies, of misses
for both together.`;
