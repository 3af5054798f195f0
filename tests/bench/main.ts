import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Console } from 'node:console';
import prepare from '../application/prepare';
import { ROOT } from '../application/paths';
import type { Server } from './child';
import { fullReport } from './full-report';
import { measureHits, worstRatio } from './hits';
import { DEFAULT_MIDDLEWARES, runFolder, startBare, startStrapi, WITHOUT_LOG } from './strapi-process';
import { anotherBuild, byDefault, restCache, withoutCache, writeResponses } from './subjects';
import { measurePluginCost, ratioWithout } from './plugin-cost';
import { measureWrites, type WriteCost } from './writes';

/** `npm run bench [-- --quick] [--json] [--peers]`; see docs/benchmarks.md. */
const flags = new Set(process.argv.slice(2));
const isQuick = flags.has('--quick');
const isJson = flags.has('--json');
/** With `--json` nothing but JSON goes to the standard output. */
const log = new Console(isJson ? process.stderr : process.stdout, process.stderr);
globalThis.console = log;

const bench = async (): Promise<void> => {
  if (anotherBuild === undefined) prepare();
  const folder = runFolder();
  const servers: Server[] = [];
  const started = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    servers.push(server);
    return server;
  };

  try {
    const [front, logged, router, uncached] = await Promise.all([
      started(startStrapi('front', { middlewares: WITHOUT_LOG, plugins: restCache() })),
      started(startStrapi('logged', { middlewares: DEFAULT_MIDDLEWARES, plugins: restCache() })),
      started(startStrapi('router', { middlewares: WITHOUT_LOG, plugins: restCache({ lane: 'router' }) })),
      started(startStrapi('uncached', { middlewares: WITHOUT_LOG, plugins: withoutCache })),
    ]);
    const responses = await writeResponses(front, folder);
    const koa = await started(startBare('koa', responses));

    if (isQuick) {
      const hits = await measureHits({ koa, front, logged, router }, { rounds: 3, seconds: 1, folder });
      await Promise.all(servers.map((server) => server.stop()));
      // The application without a cache is the same process, with the plugin taken out.
      const misses = await measurePluginCost(
        { middlewares: WITHOUT_LOG, plugins: byDefault() },
        { turns: 28, requests: 24 },
      );
      const writes = await measureWrites({ middlewares: WITHOUT_LOG, plugins: byDefault() }, 8);
      const round = (value: number): number => Math.round(value * 1000) / 1000;
      const ratios = {
        anonymous: round(worstRatio(hits, 'front', 'koa')),
        anonymousLogged: round(worstRatio(hits, 'logged', 'koa')),
        router: round(worstRatio(hits, 'router', 'koa')),
        authenticated: round(worstRatio(hits, 'authenticated', 'koa')),
        notModified: round(worstRatio(hits, 'front 304', 'koa 304')),
        uniqueKeys: round(ratioWithout(misses)),
        /** Processor time of a write with the plugin, of that without; and statements. */
        writes: perKind(writes, ({ with: plugin, without }) => round(plugin.cpu / without.cpu)),
        statements: perKind(writes, ({ with: plugin, without }) => round(plugin.statements / without.statements)),
      };
      if (isJson) process.stdout.write(`${JSON.stringify({ ratios }, null, 2)}\n`);
      else console.log(ratios);
    } else {
      const report = await fullReport({
        front,
        logged,
        router,
        uncached,
        koa,
        responses,
        folder,
        withPeers: flags.has('--peers'),
        started,
      });
      if (isJson) process.stdout.write(`${JSON.stringify({ ratios: report.ratios }, null, 2)}\n`);
      writeFileSync(path.join(ROOT, 'docs', 'benchmarks.md'), report.text);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
};

const perKind = (
  writes: ReadonlyMap<string, WriteCost>,
  ratio: (cost: WriteCost) => number,
): Readonly<Record<string, number>> => Object.fromEntries([...writes].map(([kind, cost]) => [kind, ratio(cost)]));

bench().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
