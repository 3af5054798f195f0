import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { TEMPLATE_DATABASE, WORK } from '../application/paths';
import { RedisServer } from '../redis/redis-server';
import { StrapiProcess } from './strapi-process';

/** The result of `seenByTracer` in the files of `instrumented/`. */
interface Seen {
  /** The status of each request that was answered, by its span. */
  readonly requests: readonly number[];
  /** How many requests were measured, for tracers that measure. */
  readonly measured?: number;
  readonly scopes: readonly string[];
}

const { resolve } = createRequire(import.meta.url);
const isInstalled = (name: string): boolean => {
  try {
    return resolve(name) !== '';
  } catch {
    return false;
  }
};

const preload = (option: string, name: string): string =>
  `${option}=${fileURLToPath(new URL(`instrumented/${name}.cjs`, import.meta.url))}`;

/** The two heavy ones are not among the devDependencies: see scripts/test-instrumentation.mjs. */
const TRACERS = [
  ['OpenTelemetry', '@opentelemetry/sdk-trace-node', preload('--require', 'opentelemetry')],
  ['dd-trace', 'dd-trace', preload('--require', 'dd-trace')],
  ['Sentry', '@sentry/node', preload('--import', 'sentry')],
] as const;

const TAGS = '/api/tags?sort=name';
const BEGIN = 'if (globalThis.seenByTracer === undefined) throw new Error("nothing is loaded");';
const PUBLISH = `const { documentId } = await strapi.documents('api::tag.tag').findFirst({});
  await strapi.documents('api::tag.tag').update({ documentId, data: { name: 'Renamed' }, status: 'published' });`;

describe.each(TRACERS)('with %s loaded, everything is as without', (_name, needed, options) => {
  let running: StrapiProcess | undefined;
  let redis: RedisServer | undefined;
  const database = path.join(WORK, `${randomUUID()}.db`);

  const boot = async (environment: Record<string, string> = {}): Promise<StrapiProcess> => {
    cpSync(TEMPLATE_DATABASE, database);
    running = new StrapiProcess('instrumented', {
      environment: { DATABASE_FILENAME: database, NODE_OPTIONS: options, ...environment },
    });
    await running.start();
    await running.run(BEGIN);
    return running;
  };
  afterEach(async () => {
    await running?.remove();
    await redis?.end();
    redis = undefined;
    rmSync(database, { force: true });
  });

  /** Reads as a client that propagates its own trace, which is another one for each page of a front end. */
  const read = async ({ request }: StrapiProcess): Promise<string | null> => {
    const id = randomUUID().replaceAll('-', '');
    const headers = {
      traceparent: `00-${id}-${id.slice(0, 16)}-01`,
      'sentry-trace': `${id}-${id.slice(0, 16)}-1`,
      baggage: `sentry-trace_id=${id}`,
      'x-datadog-trace-id': String(parseInt(id.slice(0, 8), 16)),
    };
    const response = await request(TAGS, { headers });
    await response.arrayBuffer();
    return response.headers.get('x-cache');
  };
  const readings = async (instance: StrapiProcess, times: number): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (let time = 0; time < times; time += 1) seen.push(await read(instance));
    return seen;
  };

  it.runIf(isInstalled(needed))('the front lane answers, every hit has its span, and a write is seen', async () => {
    const instance = await boot();
    expect(instance.output).toContain('[rest-cache] hits are answered before Strapi: ');
    expect(await readings(instance, 5)).toEqual(['MISS', 'HIT', 'HIT', 'HIT', 'HIT']);
    const seen = await instance.run<Seen>('await delay(100); return globalThis.seenByTracer();');
    expect(seen.requests).toEqual([200, 200, 200, 200, 200]);
    if (seen.measured !== undefined) expect(seen.measured).toBe(5);
    await instance.run(PUBLISH);
    expect(await readings(instance, 3)).toEqual(['MISS', 'HIT', 'HIT']);
  });

  it.runIf(isInstalled(needed))('Redis is spoken to as ever', async () => {
    redis = await RedisServer.start();
    const instance = await boot({ CACHE_PROVIDER: 'redis', REDIS_URL: redis.url });
    await instance.run(`while (!strapi.plugin('rest-cache').service('cacheStore').ready) await delay(20);`);
    expect(await readings(instance, 3)).toEqual(['MISS', 'HIT', 'HIT']);
    await instance.run(PUBLISH);
    expect(await readings(instance, 3)).toEqual(['MISS', 'HIT', 'HIT']);
  });
});
