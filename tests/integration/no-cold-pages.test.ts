import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { Gate } from '../application/gate';
import { TEMPLATE_DATABASE, WORK } from '../application/paths';
import { probeApi, type ProbeContext } from '../application/probe';
import { providerUnderTest } from '../application/provider-under-test';
import { startApplication, type Application } from '../application/start-application';

/** Responses that are computed although nobody waits for them. */

const TAG = 'api::tag.tag';
const MINUTE = 60_000;

/** Handlers wait here while it is shut. */
const gate = new Gate();
let failure: 'throw' | '502' | undefined;
let answer = 'one';

const titles = async (ctx: ProbeContext, strapi: Application['strapi']): Promise<object> => {
  const rows = (await strapi.db.query(TAG).findMany({ orderBy: 'id' })) as Array<{ name: string }>;
  await gate.pass();
  if (failure === 'throw') throw new Error('the handler fails');
  if (failure === '502') ctx.status = 502;
  return { names: rows.map(({ name }) => name).join() };
};

const probe = probeApi([
  { path: '/probe/plain', handler: titles },
  {
    path: '/probe/old',
    handler: (ctx, strapi) => {
      ctx.set('CDN-Cache-Control', 'max-age=3600');
      return titles(ctx, strapi);
    },
  },
  { path: '/probe/failing', handler: titles },
  { path: '/probe/named', handler: titles },
  { path: '/probe/links', handler: async (ctx, strapi) => ({ ...(await titles(ctx, strapi)), from: ctx.origin }) },
  { path: '/probe/outside', handler: () => ({ answer }) },
  { path: '/probe/unsteady', handler: () => ({ data: [{ at: 1 }, { at: Math.random() }] }) },
]);

/** What the panel shows of the background. */
interface Numbers {
  readonly stale: { readonly hits: number; readonly revalidated: number };
  readonly warm: { readonly warmed: number; readonly latest: { readonly purged: number; readonly warm: number } };
  readonly audit: {
    readonly audited: number;
    readonly stale: number;
    readonly unsteady: ReadonlyArray<{ readonly route: string; readonly at: string }>;
  };
}

let directory: string;
let application: Application;
let admin: AdminSession;
/** What a global middleware has seen. */
const passed: string[] = [];

/** A job that reads what it has written, in a transaction that takes its time: no answer beside it can be stored. */
const slowJob = async ({ db }: Application['strapi']): Promise<void> => {
  await db.transaction(async () => {
    await db.query('api::author.author').updateMany({ data: { bio: randomUUID() } });
    await db.query('api::author.author').findMany({ limit: 1 });
    await delay(200);
  });
};

const start = async (strategy: object, onListening?: typeof slowJob): Promise<void> => {
  application = await startApplication({
    files: probe.files,
    sqlite: path.join(directory, 'data.db'),
    keyPrefix: path.basename(directory),
    beforeLoad: (strapi) => {
      strapi.server.httpServer.once('listening', () => void onListening?.(strapi));
      strapi.server.use((ctx, next) => {
        passed.push(ctx.path);
        return next();
      });
    },
    restCache: { strategy: { enableXCacheHeaders: true, cacheControl: { enabled: true }, ...strategy } },
  });
  admin = await logIn(application);
};

const metrics = async () => {
  const ask = () =>
    admin.get<{ background: Numbers; periods: { day: { totals: { miss: number } } } }>('/rest-cache/metrics');
  const { status } = await ask();
  // A session ends when dates are moved.
  if (status === 401) admin = await logIn(application);
  return (await ask()).body;
};

const numbers = async (): Promise<Numbers> => (await metrics()).background;

/** Waits for a state, however long a busy machine takes. */
const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });

let writes = 0;

/** Renames a tag, which all of the probe's lists show. Resolves to its new name. */
const write = async (): Promise<string> => {
  writes += 1;
  const name = `written ${writes}`;
  const [first] = (await application.strapi.db.query(TAG).findMany({ orderBy: 'id', limit: 1 })) as Array<{
    id: number;
  }>;
  await application.strapi.db.query(TAG).update({ where: { id: first?.id }, data: { name } });
  return name;
};

const explained = async (): Promise<unknown> => {
  admin = await logIn(application);
  return (await admin.post('/rest-cache/explain', { url: '/api/probe/old', as: { kind: 'anonymous' } })).body;
};

/** What the latest write has purged is warm again. */
const allWarm = (): Promise<void> =>
  until(async () => {
    const { purged, warm } = (await numbers()).warm.latest;
    expect(warm).toBe(purged);
  });

const calls = async (route: string, count: number): Promise<void> =>
  until(() => expect(probe.calls(route)).toBe(count));

const timeToLive = (headers: Headers): number => Number(/ttl=(-?\d+)/.exec(headers.get('cache-status') ?? '')?.[1]);

beforeAll(() => {
  directory = mkdtempSync(path.join(WORK, 'no-cold-pages-'));
  cpSync(TEMPLATE_DATABASE, path.join(directory, 'data.db'));
});

afterAll(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

/** How far dates were moved. Only they are: what waits for a time goes on waiting. */
let moved = 0;

/** Dates never go back, between two tests neither: what is warmed there would be too old in the next one. */
const now = (): number => performance.timeOrigin + performance.now() + moved;

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: now() }));
beforeEach(() => void vi.setSystemTime(now()));

const later = (duration: number): void => {
  moved += duration;
  vi.setSystemTime(Date.now() + duration);
};

afterEach(() => {
  gate.open();
  failure = undefined;
});

describe('in a first run', () => {
  beforeAll(() =>
    start({
      warm: { top: 5, urls: () => Promise.resolve(['/api/probe/named', '/api/probe/links?first']) },
      contentTypes: [
        {
          contentType: 'api::article.article',
          maxAge: 10 * MINUTE,
          routes: [
            '/api/probe/plain',
            '/api/probe/named',
            { path: '/api/probe/old', stale: { whileRevalidate: MINUTE } },
            { path: '/api/probe/failing', stale: { ifError: 60 * MINUTE } },
            { path: '/api/probe/links', keys: { ignoreHeaders: ['host', 'x-forwarded-proto'] } },
            { path: '/api/tags', stale: { ifError: 60 * MINUTE } },
          ],
        },
      ],
    }),
  );

  it('the URLs of the user are warm before anybody asks', async () => {
    await until(async () => expect((await numbers()).warm.warmed).toBe(2));
    // More than once, if something was written meanwhile.
    const known = probe.calls('/probe/named');
    expect((await application.get('/api/probe/named')).cache).toBe('HIT');
    expect(probe.calls('/probe/named')).toBe(known);
    const links = await application.get('/api/probe/links?first');
    const { from } = JSON.parse(links.body) as { readonly from: string };
    expect([links.cache, from]).toEqual(['HIT', application.strapi.config.get('server.absoluteUrl')]);
  });

  it('a write is followed by what visitors ask for most, which no visitor waits for', async () => {
    for (let hit = 0; hit < 6; hit += 1) await application.get('/api/probe/plain');
    const before = await numbers();
    const known = probe.calls('/probe/plain');
    passed.length = 0;
    const lines = application.requests.length;
    const name = await write();
    await calls('/probe/plain', known + 1);
    await until(async () => expect((await numbers()).warm.latest).toEqual({ purged: 3, warm: 3 }));
    expect(passed.filter((seen) => seen === '/api/probe/plain')).toEqual(['/api/probe/plain']);
    expect(application.requests.slice(lines).filter((line) => line.includes('probe'))).toEqual([]);
    const first = await application.get('/api/probe/plain');
    expect([first.cache, first.body.includes(name)]).toEqual(['HIT', true]);
    expect((await numbers()).warm.warmed).toBe(before.warm.warmed + 3);
    expect((await metrics()).periods.day.totals.miss).toBe(1);
  });

  it('a page that is asked for in another format is warmed in that format', async () => {
    const v4 = { 'strapi-response-format': 'v4' };
    for (let hit = 0; hit < 6; hit += 1) await application.get('/api/probe/plain?format', v4);
    const known = probe.calls('/probe/plain');
    await write();
    await until(() => expect(probe.calls('/probe/plain')).toBeGreaterThanOrEqual(known + 2));
    await allWarm();
    expect((await application.get('/api/probe/plain?format', v4)).cache).toBe('HIT');
  });

  it('a purge while a response is being warmed: what it made is not kept', async () => {
    const known = probe.calls('/probe/plain');
    gate.shut();
    await write();
    await gate.reached;
    const name = await write();
    gate.open();
    await until(async () => {
      const { purged, warm } = (await numbers()).warm.latest;
      expect([purged > 0, warm]).toEqual([true, purged]);
    });
    const first = await application.get('/api/probe/plain');
    expect(first.body).toContain(name);
    expect(probe.calls('/probe/plain')).toBeGreaterThan(known);
  });

  it('a page with absolute links is warmed with the links of its visitors', async () => {
    const { origin } = application;
    for (let hit = 0; hit < 6; hit += 1) await application.get('/api/probe/links');
    const known = probe.calls('/probe/links');
    const name = await write();
    await calls('/probe/links', known + 1);
    await allWarm();
    const { cache, body } = await application.get('/api/probe/links');
    const { names, from } = JSON.parse(body) as { readonly names: string; readonly from: string };
    expect([cache, names.includes(name), from]).toEqual(['HIT', true, origin]);
  });

  it('a client cannot make its request one of these', async () => {
    const { requests } = application;
    await application.get('/api/probe/plain?own', { 'x-rest-cache': 'warm', purpose: 'warm' });
    await until(() => expect(requests.some((line) => line.includes('?own'))).toBe(true));
  });

  it('what is merely old is served while it is computed anew, once', async () => {
    const { body } = await application.get('/api/probe/old');
    later(10 * MINUTE + 12_000);
    expect(await explained()).toMatchObject({
      verdict: 'hit',
      reason: { code: 'old' },
      entry: { age: 612_000, timeToLive: -12_000 },
    });
    gate.shut();
    const answers = await Promise.all([application.get('/api/probe/old'), application.get('/api/probe/old')]);
    for (const old of answers) {
      expect([old.status, old.cache, old.body]).toEqual([200, 'HIT', body]);
      expect(timeToLive(old.headers)).toBe(-12);
      const told = ['age', 'cache-control', 'cdn-cache-control'].map((name) => old.headers.get(name));
      expect(told).toEqual(['612', 'no-cache', null]);
    }
    await gate.reached;
    gate.open();
    await until(async () => expect((await numbers()).stale).toEqual({ hits: 2, revalidated: 1 }));
    expect(timeToLive((await application.get('/api/probe/old')).headers)).toBeGreaterThan(500);
    expect(probe.calls('/probe/old')).toBe(2);
  });

  it('what is older than that is computed for the visitor', async () => {
    later(11 * MINUTE);
    expect(await explained()).toMatchObject({ verdict: 'miss', reason: { code: 'expired' }, entry: null });
    expect((await application.get('/api/probe/old')).cache).toBe('MISS');
  });

  it('what a write has reached is never served', async () => {
    later(10 * MINUTE + 1000);
    const name = await write();
    const { cache, body } = await application.get('/api/probe/old');
    expect([cache, body.includes(name)]).toEqual(['MISS', true]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['in the panel, by a filter', () => admin.post('/rest-cache/purge-entries', { route: '/api/probe/old' })],
    ['by code of the application', () => cacheStore(application).clearByRegexp([/^\/api\/probe\/old/])],
  ])('what was purged %s is never served', async (_how, purge) => {
    await application.get('/api/probe/old');
    await allWarm();
    later(10 * MINUTE + 1000);
    admin = await logIn(application);
    await purge();
    // It may be warm again by now.
    const { cache, headers } = await application.get('/api/probe/old');
    expect(cache === 'MISS' || timeToLive(headers) > 0).toBe(true);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['in the panel, by a filter', () => admin.post('/rest-cache/purge-entries', { route: '/api/probe/plain' })],
    ['by code of the application', () => cacheStore(application).clearByRegexp([/^\/api\/probe\/plain/])],
  ])('what was purged %s is warm again, without a visitor', async (_how, purge) => {
    for (let hit = 0; hit < 3; hit += 1) await application.get('/api/probe/plain');
    const known = probe.calls('/probe/plain');
    admin = await logIn(application);
    await purge();
    await calls('/probe/plain', known + 1);
    await allWarm();
    expect((await application.get('/api/probe/plain')).cache).toBe('HIT');
    expect(probe.calls('/probe/plain')).toBe(known + 1);
  });

  it('a write while what is old is computed anew: the new response is not kept', async () => {
    later(10 * MINUTE + 1000);
    gate.shut();
    expect((await application.get('/api/probe/old')).cache).toBe('HIT');
    await gate.reached;
    const name = await write();
    gate.open();
    const { body } = await application.get('/api/probe/old');
    expect(body).toContain(name);
  });

  it.each(['throw', '502'] as const)('a handler that fails (%s): what is old is served for that', async (how) => {
    later(20 * MINUTE);
    const { body } = await application.get('/api/probe/failing');
    later(30 * MINUTE);
    failure = how;
    const known = probe.calls('/probe/failing');
    for (let visit = 0; visit < 3; visit += 1) {
      const { status, cache, body: served } = await application.get('/api/probe/failing');
      expect([status, cache, served]).toEqual([200, 'HIT', body]);
    }
    // A failure is remembered for ten seconds.
    expect(probe.calls('/probe/failing')).toBe(known + 1);
    later(11_000);
    await application.get('/api/probe/failing');
    expect(probe.calls('/probe/failing')).toBe(known + 2);
    failure = undefined;
    later(11_000);
    expect(timeToLive((await application.get('/api/probe/failing')).headers)).toBeGreaterThan(500);
  });

  it('a handler that fails after a write: the visitor gets the error', async () => {
    await application.get('/api/probe/failing');
    later(30 * MINUTE);
    await write();
    failure = 'throw';
    expect((await application.get('/api/probe/failing')).status).toBe(500);
  });

  it('a database that is away, and back: the visitors of cached pages see no error', async () => {
    const { body } = await application.get('/api/tags');
    // Callers are remembered by method, as monitors ask again and again.
    await application.request('/api/tags', { method: 'HEAD' });
    later(20 * MINUTE);
    const { client } = application.strapi.db.connection as unknown as { client: { acquireConnection: unknown } };
    const acquire = client.acquireConnection;
    client.acquireConnection = () => Promise.reject(new Error('the database is away'));
    for (let visit = 0; visit < 3; visit += 1) {
      const served = await application.get('/api/tags');
      expect([served.status, served.cache, served.body]).toEqual([200, 'HIT', body]);
    }
    const head = await application.request('/api/tags', { method: 'HEAD' });
    expect([head.status, head.headers.get('x-cache'), timeToLive(head.headers) < 0]).toEqual([200, 'HIT', true]);
    expect((await application.get('/api/tags?sort=name')).status).not.toBe(200);
    client.acquireConnection = acquire;
    later(11_000);
    expect(timeToLive((await application.get('/api/tags')).headers)).toBeGreaterThan(500);
  });

  it('the end of the application waits for what is being computed, and leaves a list', async () => {
    for (let hit = 0; hit < 4; hit += 1) await application.get('/api/probe/plain');
    gate.shut();
    await write();
    await gate.reached;
    let hasStopped = false;
    const stopped = application.stop().then(() => (hasStopped = true));
    const list = path.join(directory, '.rest-cache-warm.json');
    if (providerUnderTest() === 'memory')
      await until(() => expect(readFileSync(list, 'utf8')).toContain('/api/probe/plain'));
    // Visitors are not kept waiting: plugins that were destroyed before, such as GraphQL's, could not answer them.
    await until(() => expect(application.strapi.server.httpServer.listening).toBe(false));
    expect(hasStopped).toBe(false);
    gate.open();
    await stopped;
  });
});

describe('in a second run', () => {
  beforeAll(() =>
    start(
      {
        warm: true,
        audit: { rate: 1, perMinute: 1000 },
        contentTypes: [
          {
            contentType: 'api::article.article',
            routes: ['/api/probe/plain', '/api/probe/named', '/api/probe/outside', '/api/probe/unsteady'],
          },
        ],
      },
      slowJob,
    ),
  );
  afterAll(() => application.stop());

  it('what visitors asked for in the first one is warm before anybody asks', async () => {
    await until(async () => expect(await cacheStore(application).keys()).toContain('/api/probe/plain?&&'));
    expect((await application.get('/api/probe/plain')).cache).toBe('HIT');
    await until(async () => expect((await numbers()).warm.warmed).toBeGreaterThan(0));
  });

  it('a response that has changed without a write is found, told and purged', async () => {
    const told: unknown[] = [];
    const listen = (message: unknown): void => void told.push(message);
    subscribe('rest-cache:audit', listen);
    await application.get('/api/probe/outside');
    answer = 'two';
    await until(async () => {
      expect((await application.get('/api/probe/outside')).body).toContain('two');
    });
    unsubscribe('rest-cache:audit', listen);
    expect(told).toEqual([expect.objectContaining({ route: '/api/probe/outside' })]);
    expect((await numbers()).audit.stale).toBe(1);
    expect(application.warnings.filter((line) => line.includes('an audit found a stale response'))).toHaveLength(1);
  });

  it('a handler that answers differently each time is named, with the place, and not purged', async () => {
    const first = await application.get('/api/probe/unsteady');
    await until(async () => {
      expect((await application.get('/api/probe/unsteady')).body).toBe(first.body);
      expect((await numbers()).audit.unsteady).toEqual([{ route: '/api/probe/unsteady', at: 'data[1].at' }]);
    });
    expect((await numbers()).audit.stale).toBe(1);
  });
});
