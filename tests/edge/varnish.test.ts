import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { rawRequest, type RawResponse } from '../application/raw-request';
import type { Application } from '../application/start-application';
import { DELAY, PurgeProxy } from './purge-proxy';
import { hasVarnish, Varnish } from './varnish';
import { readFrom, World } from './world';

/** "The edge": what is read through Varnish after a write was acknowledged is never older than the write. */

/** The number of reads after writes. Use `EDGE_READS=10000` for more. */
const READS = { xkey: Number(process.env.EDGE_READS ?? 1500), ban: Number(process.env.EDGE_READS ?? 500) };

/** How long a write waits for its purge. Milliseconds. */
const DEADLINE = 5000;

/** How long Varnish may keep answers while it does not take purges. Milliseconds. */
const WHILE_UNREACHABLE = 2000;

const waitUntil = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 600) throw new Error('it never came to that');
    await delay(100);
  }
};

describe.runIf(hasVarnish()).each(['xkey', 'ban'] as const)('through Varnish, with %s', (method) => {
  let world: World;
  let application: Application;
  let varnish: Varnish;
  let proxy: PurgeProxy;
  let documentIds: readonly string[];

  beforeAll(async () => {
    proxy = await PurgeProxy.start();
    world = await World.start({
      header: 'xkey',
      maxAge: 3_600_000,
      timeout: DEADLINE,
      whileUnreachable: WHILE_UNREACHABLE,
      targets: [{ name: 'varnish', url: proxy.url, method }],
    });
    ({ application, documentIds } = world);
    varnish = await Varnish.start(application.origin, method);
    proxy.upstream = varnish.origin;
    // The start purges everything, and repeats that.
    await waitUntil(() => proxy.purges.length === 2);
  });

  afterAll(async () => {
    await varnish.stop();
    await application.stop();
    proxy.stop();
  });

  beforeEach(() => {
    proxy.does = 'pass';
  });

  const read = (url: string, headers = {}): Promise<RawResponse> => readFrom(varnish, url, headers);

  /** On a hit, X-Varnish has two numbers: the request, and the one that fetched the response. */
  const isFromVarnish = ({ headers }: RawResponse): boolean => String(headers['x-varnish']).includes(' ');

  const retitle = (documentId: string, title: string): Promise<void> => world.retitle(documentId, title);

  // The method of a purge makes no difference in these tests.
  const itOnce = it.runIf(method === 'xkey');

  it('answers from Varnish until something has changed, in a request of its own for each', async () => {
    const [changed = '', other = ''] = documentIds;
    for (const id of [changed, other]) await read(`/api/articles/${id}`);
    const kept = await read(`/api/articles/${changed}`);
    expect([kept.status, isFromVarnish(kept), kept.headers.xkey]).toEqual([200, true, undefined]);
    expect(kept.headers['cache-control']).toBe('public, max-age=0, must-revalidate, s-maxage=3600');
    const before = proxy.purges.length;
    await retitle(changed, 'Through the edge');
    expect(proxy.purges.length - before).toBeLessThanOrEqual(3);
    const [anew, still] = [await read(`/api/articles/${changed}`), await read(`/api/articles/${other}`)];
    expect([isFromVarnish(anew), isFromVarnish(still)]).toEqual([false, true]);
    expect(anew.body.toString()).toContain('Through the edge');
  });

  itOnce('is told of a publish once, and no key that was not handed out', async () => {
    const [changed = ''] = documentIds;
    const path = `/api/articles/${changed}`;
    const asked = async (method: string) => (await rawRequest(application, path, { method })).headers.xkey;
    await asked('GET');
    const keys = await asked('GET');
    const { headers } = await rawRequest(application, path);
    const unmodified = await rawRequest(application, path, { headers: { 'if-none-match': String(headers.etag) } });
    // Misses, hits in any lane, HEAD and 304 carry the same keys.
    expect([await asked('GET'), await asked('HEAD'), unmodified.status, unmodified.headers.xkey]).toEqual([
      keys,
      keys,
      304,
      keys,
    ]);
    await proxy.quiet();
    const from = proxy.purges.length;
    await retitle(changed, 'Few keys');
    const purges = proxy.purges.slice(from);
    const issued = new Set(String(keys).split(' '));
    for (const url of world.urls)
      for (const key of String((await rawRequest(application, url)).headers.xkey).split(' ')) issued.add(key);
    expect(purges).toHaveLength(1);
    expect(purges.flat().filter((key) => !issued.has(key))).toEqual([]);
    expect(purges.flat().length).toBeLessThan(40);
  });

  itOnce('forgets what a permission had allowed', async () => {
    const { db } = application.strapi;
    await read('/api/tags');
    expect((await read('/api/tags')).status).toBe(200);
    const permission = { action: 'api::tag.tag.find', role: { type: 'public' } };
    const granted = (await db.query('plugin::users-permissions.permission').findOne({
      where: permission,
      populate: ['role'],
    })) as { id: number; role: { id: number } };
    await db.query('plugin::users-permissions.permission').delete({ where: { id: granted.id } });
    const refused = await read('/api/tags');
    expect([refused.status, refused.headers['cache-control']]).toEqual([403, 'no-store']);
    await db
      .query('plugin::users-permissions.permission')
      .create({ data: { action: permission.action, role: granted.role.id } });
    expect((await read('/api/tags')).status).toBe(200);
  });

  itOnce('keeps nothing that is one caller’s', async () => {
    const { status, headers } = await read('/api/articles', { authorization: 'Bearer nobody' });
    expect([status, headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it(`is never stale in ${READS[method]} reads after acknowledged writes`, async () => {
    let fromVarnish = 0;
    const { reads, stale } = await world.readAfterWrites(varnish, READS[method], (answer) => {
      if (isFromVarnish(answer)) fromVarnish += 1;
    });
    console.log(`${reads} reads, ${fromVarnish} answered by Varnish`);
    expect(stale).toEqual([]);
    // Responses that a write does not concern stay in Varnish.
    expect(fromVarnish).toBeGreaterThan(reads / 5);
  });

  /** Stores an article in Varnish. No other purge is under way when the following write begins. */
  const keepThere = async (): Promise<{ readonly id: string; readonly path: string }> => {
    const [id = ''] = documentIds;
    const path = `/api/articles/${id}`;
    await retitle(id, 'Before');
    await proxy.quiet();
    await waitUntil(async () => isFromVarnish(await read(path)));
    return { id, path };
  };

  itOnce('waits for a purge that is delayed', async () => {
    const { id, path } = await keepThere();
    proxy.does = 'delay';
    const startedAt = Date.now();
    await retitle(id, 'Delayed');
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(DELAY);
    expect((await read(path)).body.toString()).toContain('Delayed');
    proxy.does = 'pass';
    await proxy.quiet();
  });

  itOnce.each(['refuse', 'lose', 'down'] as const)('recovers from purges that are met with “%s”', async (does) => {
    const { id, path } = await keepThere();
    const warned = application.warnings.length;
    proxy.does = does;
    const startedAt = Date.now();
    await retitle(id, `During ${does}`);
    const waited = Date.now() - startedAt;
    if (does === 'lose') expect(waited).toBeGreaterThanOrEqual(DEADLINE);
    expect(application.warnings.slice(warned).join('\n')).toContain(
      'the edge target varnish has not accepted all purges',
    );
    // Only the first write waits for its deadline. If each of these waited, they would take twice as long.
    const laterAt = Date.now();
    for (let write = 1; write <= 2; write += 1) await retitle(id, `During ${does} ${write}`);
    expect(Date.now() - laterAt).toBeLessThan(DEADLINE);
    // What the edge stores now is soon gone, though no purge gets through.
    const kept = `/api/articles/${id}?fields=title`;
    const { headers } = await read(kept);
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate, s-maxage=2');
    await retitle(id, `During ${does} 3`);
    await waitUntil(async () => (await read(kept)).body.toString().includes(`During ${does} 3`));
    proxy.does = 'pass';
    await waitUntil(async () => (await read(path)).body.toString().includes(`During ${does} 3`));
    await waitUntil(async () => String((await read(path)).headers['cache-control']).includes('s-maxage'));
  });
});
