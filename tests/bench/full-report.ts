import type { Child } from './child';
import { compete } from './contest';
import { editingDayTable, measureEditingDays } from './editing-day-report';
import { measureGeneration, type Applications, type Generation } from './generation';
import { graphqlRatios, measureGraphql, type GraphqlCosts } from './graphql';
import { Load } from './load';
import { describeMachine } from './machine';
import { measureMemory } from './memory-report';
import { measurePurge } from './purge';
import { measurePurgePrecision } from './purge-precision';
import { costOf, hitTable, labelOf, markdown, quantile, withSpread } from './report';
import { startBare, startStrapi, WITHOUT_LOG } from './strapi-process';
import {
  byDefault,
  HOMEPAGE,
  LIST,
  restCache,
  warm,
  withoutCache,
  writeEncodedResponses,
  writeResponses,
} from './subjects';
import { overGenerations, ratioOf, type Turns } from './turns';
import { RedisServer, missingRedis } from '../redis/redis-server';

const EFFORT = { hits: 32, misses: 32, writes: 8 };
const GENERATIONS = 3;

const KOA = 'bare Koa';

const HITS: Readonly<Record<string, string>> = {
  koa: KOA,
  http: 'bare node:http',
  'http in Strapi': "node:http, in a process of Strapi's",
  front: 'front lane',
  logged: "front lane, Strapi's request log on",
  authenticated: 'front lane, signed-in user',
  route: 'route lane',
  'own global middleware': 'route lane, a global middleware',
  'no cache': 'no cache',
};

const OF_ROUTE: Readonly<Record<string, string>> = {
  route: 'route lane',
  populate: 'a route with a populate middleware',
  policy: 'a route with a policy',
};

const OF_POPULATE: Readonly<Record<string, string>> = {
  populate: 'a route with a populate middleware',
  text: 'a populate middleware, JSON answered as text',
  compression: 'a populate middleware, `strapi::compression`, gzip',
  uncached: 'a populate middleware, the plugin taken out',
};

const NOT_MODIFIED = {
  'koa 304': KOA,
  'http in Strapi 304': "node:http, in a process of Strapi's",
  'front 304': 'front lane',
};

const TRACED = { 'koa traced': KOA, 'front traced': 'front lane' };

const REDIS = { redisLocal: 'Redis', redis: 'Redis, `localCache: false`' };

/** Further applications to measure, among them some with other cache plugins. */
const others = async (redis: RedisServer | undefined, withPeers: boolean): Promise<Applications> => {
  const onRedis = (keysPrefix: string, options: object): Applications[string] => ({
    middlewares: WITHOUT_LOG,
    plugins: restCache({ keysPrefix }, { name: 'redis', options: { connection: redis?.url, ...options } }),
  });
  return {
    'no cache': { middlewares: WITHOUT_LOG, plugins: withoutCache },
    ...(redis === undefined ? {} : { redisLocal: onRedis('a', {}), redis: onRedis('b', { localCache: false }) }),
    ...(withPeers ? (await import('./peers')).peers(redis?.url) : {}),
  };
};

const missTable = (generations: readonly Generation[]): string =>
  markdown(
    ['every request a new key', 'CPU µs without', 'with', 'without to with'],
    Object.entries({ list: labelOf(LIST), homepage: labelOf(HOMEPAGE), deepPopulates: 'deep populates' }).map(
      ([name, label]) => {
        const turns = generations.map(({ misses }) => misses[name] ?? {});
        const ratio = overGenerations(turns.map((own) => ratioOf(own, 'with', 'without')));
        return [label, costOf(turns, 'without').toFixed(0), costOf(turns, 'with').toFixed(0), withSpread(ratio)];
      },
    ),
  );

const pageTable = (generations: readonly Generation[]): string => {
  const turns = generations.map(({ pageLoad }) => pageLoad);
  return markdown(
    ['a page of twelve URLs, in two locales by turns', 'CPU ms', 'without to with'],
    Object.entries({ uncached: 'without', cached: 'with', repeatable: 'with `repeatable: true`' }).map(
      ([name, label]) => [
        label,
        ((12 * costOf(turns, name)) / 1000).toFixed(2),
        withSpread(overGenerations(turns.map((own) => ratioOf(own, name, 'uncached')))),
      ],
    ),
  );
};

const graphqlTable = async (): Promise<string> => {
  const costs: GraphqlCosts[] = [];
  while (costs.length < GENERATIONS) costs.push(await measureGraphql(EFFORT.misses));
  const { hit, miss } = graphqlRatios(costs);
  const kinds = { hits: ['hit', 'uncached'], misses: ['with', 'without'] } as const;
  const rows = Object.entries({ hits: hit, misses: miss }).map(([kind, ratio]) => {
    const turns = costs.map((own) => own[kind as keyof GraphqlCosts]);
    const [by, without] = kinds[kind as keyof GraphqlCosts];
    const label = kind === 'hits' ? 'a hit' : 'a miss, with to without';
    return [label, costOf(turns, without).toFixed(0), costOf(turns, by).toFixed(0), withSpread(ratio)];
  });
  return markdown(['25 articles with author, category and tags', 'CPU µs without', 'with', 'ratio'], rows);
};

const precisionTable = async (): Promise<string> =>
  markdown(
    ['60 edits, seen through', 'pages', 'responses changed', 'purged', 'purged for each changed', 'stale'],
    Object.entries(await measurePurgePrecision()).map(([api, { pages, changed, purged, stale }]) => [
      api,
      ...[pages, changed, purged].map(String),
      (purged / changed).toFixed(2),
      String(stale),
    ]),
  );

const writeTable = (generations: readonly Generation[]): string =>
  markdown(
    ['one write', 'CPU µs without', 'with', 'with to without', 'statements without', 'with'],
    [...(generations[0]?.writes ?? [])].map(([kind, { statements }]) => {
      const turns = generations.map(({ writes }): Turns => writes.get(kind)?.turns ?? {});
      return [
        kind,
        costOf(turns, 'without').toFixed(0),
        costOf(turns, 'with').toFixed(0),
        withSpread(overGenerations(turns.map((own) => ratioOf(own, 'without', 'with')))),
        statements.without.toFixed(0),
        statements.with.toFixed(0),
      ];
    }),
  );

/** Gzip over the wire: the lane's stored bytes compared with a bare server that sends the same bytes. */
const measureCompressed = async (load: Load, folder: string): Promise<string> => {
  const settings = { middlewares: [...WITHOUT_LOG, 'strapi::compression'], plugins: restCache() };
  const compressed = await startStrapi('compressed', settings);
  const headers = { 'accept-encoding': 'gzip' };
  const bare = await startBare('koa', await writeEncodedResponses(compressed, headers, folder));
  const requests = { paths: [LIST], headers };
  const turns = await compete(
    { koa: { server: bare, ...requests }, front: { server: compressed, ...requests } },
    load,
    EFFORT.hits,
  );
  await Promise.all([compressed.stop(), bare.stop()]);
  return markdown(
    ['25-article list', 'CPU µs', 'to bare Koa'],
    Object.entries({
      koa: 'bare Koa sending the gzipped Buffer',
      front: 'front lane, `strapi::compression`, gzip',
    }).map(([name, label]) => [label, costOf([turns], name).toFixed(1), ratioOf(turns, name, 'koa').toFixed(2)]),
  );
};

/** Latencies at a request rate that every contestant can keep up with. */
const measureLatency = async (load: Load, folder: string): Promise<string> => {
  const front = await startStrapi('front', { middlewares: WITHOUT_LOG, plugins: restCache() });
  const uncached = await startStrapi('no cache', { middlewares: WITHOUT_LOG, plugins: withoutCache });
  const koa = await startBare('koa', await writeResponses(front, folder));
  const rows: string[][] = [];
  const contestants: ReadonlyArray<readonly [string, Child, number]> = [
    ['bare Koa', koa, 1000],
    ['front lane', front, 1000],
    ['no cache', uncached, 50],
  ];
  for (const [name, server, rate] of contestants) {
    await warm(server, LIST);
    const requests = { paths: [LIST], connections: 10 };
    const latencies = await load.latencies(server, requests, { count: 6 * rate, rate });
    latencies.sort((a, b) => a - b);
    rows.push([name, String(rate), quantile(latencies, 0.5), quantile(latencies, 0.99)]);
  }
  await Promise.all([front.stop(), uncached.stop(), koa.stop()]);
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

/** The plugin's cost for requests of routes that it does not cache. */
const measureNotCached = async (load: Load): Promise<string> => {
  const server = await startStrapi('not cached', {
    middlewares: WITHOUT_LOG,
    plugins: byDefault(['api::tag.tag', 'api::homepage.homepage']),
    switchable: true,
  });
  const requests = { server, paths: [LIST], unique: true, connections: 4 };
  const turns = await compete({ without: { ...requests, isWithoutPlugin: true }, with: requests }, load, EFFORT.misses);
  await server.stop();
  return markdown(
    ['a route that is not cached', 'CPU µs without', 'with', 'without to with'],
    [
      [
        labelOf(LIST),
        ...['without', 'with'].map((name) => costOf([turns], name).toFixed(0)),
        ratioOf(turns, 'with', 'without').toFixed(3),
      ],
    ],
  );
};

export const fullReport = async (
  folder: string,
  withPeers: boolean,
): Promise<{ readonly text: string; readonly generations: readonly Generation[] }> => {
  const redis = missingRedis === undefined ? await RedisServer.start() : undefined;
  const load = await Load.start();
  const sections: Array<readonly [title: string, body: string]> = [];
  const add = async (title: string, measure: () => Promise<string> | string): Promise<void> => {
    // If one part fails, the others are still reported.
    const body = await Promise.resolve()
      .then(measure)
      .catch((error: unknown) => `Not measured: ${String(error)}`);
    console.log(`\n## ${title}\n\n${body}`);
    sections.push([title, body]);
  };
  const generations: Generation[] = [];
  try {
    const applications = await others(redis, withPeers);
    while (generations.length < GENERATIONS) generations.push(await measureGeneration(EFFORT, folder, applications));
    const known = new Set([...Object.keys(HITS), ...Object.keys(REDIS)]);
    const ofPeers = Object.fromEntries(
      Object.keys(applications)
        .filter((name) => !known.has(name))
        .map((name) => [name, name]),
    );
    await add('Hits', () => hitTable(generations, { ...HITS, ...ofPeers }, 'koa'));
    await add('Hits answered 304', () => hitTable(generations, NOT_MODIFIED, 'koa 304'));
    await add('Hits with OpenTelemetry loaded', () => hitTable(generations, TRACED, 'koa traced', [LIST]));
    await add('Routes with functions of their own', () =>
      [hitTable(generations, OF_ROUTE, 'route', [LIST]), hitTable(generations, OF_POPULATE, 'populate', [LIST])].join(
        '\n\n',
      ),
    );
    await add('A page of a front end', () => pageTable(generations));
    await add('Misses', async () => `${missTable(generations)}\n\n${await measureNotCached(load)}`);
    await add('GraphQL', graphqlTable);
    await add('Writes', () => writeTable(generations));
    await add('An editing day', async () => editingDayTable(await measureEditingDays()));
    await add('What an edit purges', precisionTable);
    await add('Compressed', () => measureCompressed(load, folder));
    await add('Redis', () => missingRedis ?? hitTable(generations, { koa: KOA, ...REDIS }, 'koa'));
    await add('Latency at a constant rate', () => measureLatency(load, folder));
    await add('Purge', () => measurePurges());
    await add('Memory', () => measureMemory());
  } finally {
    await Promise.all([load.stop(), redis?.end()]);
  }
  const text = `${INTRODUCTION}\n\n${new Date().toISOString().slice(0, 10)}. ${generations.length} generations. ${describeMachine()}.\n\n${sections
    .map(([title, body]) => `## ${title}\n\n${body}`)
    .join('\n\n')}\n`;
  return { text, generations };
};

const INTRODUCTION = `# Benchmark results

Written by \`npm run bench\`. docs/internals/benchmarks.md explains the numbers.`;
