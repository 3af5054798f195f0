import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Auditor, firstDifference } from '../../server/src/background/auditor';
import { askedBy, KnownRequests } from '../../server/src/background/known-requests';
import {
  type Asked,
  markOf,
  type OwnOutcome,
  OwnRequest,
  OwnRequests,
  type Purpose,
} from '../../server/src/background/own-requests';
import { headersToSend, keptBeyond, Revalidation } from '../../server/src/background/revalidation';
import { Warmer } from '../../server/src/background/warmer';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Reason } from '../../server/src/cache/response-cache';
import { tag, type Tag } from '../../server/src/cache/tag';
import { DEFAULT_STALE, DEFAULT_WARM } from './config/defaults';
import { notingReads } from '../../server/src/http/unkeyed-reads';
import { createBackground } from '../../server/src/plugin/background';
import { MemoryProvider } from '../../server/src/providers/memory';
import { ManualClock } from '../simulation/manual-clock';
import { koaContext } from './http/koa-context';
import { anEntry } from './monitor/route';

const stale = (changes: object) => ({ ...DEFAULT_STALE, ...changes });
const asked = (target: string) => ({ target, headers: {} });
const outside = <T>(work: () => T): T => work();

describe('a response that is merely old', () => {
  const revalidation = (outcome: OwnOutcome | Promise<OwnOutcome>) => {
    const clock = new ManualClock();
    const sent: string[] = [];
    const dropped: CacheKey[] = [];
    const send = ({ target }: Asked) => (sent.push(target), Promise.resolve(outcome));
    const provider = { delete: (key: CacheKey) => dropped.push(key) > 0 };
    return { clock, sent, dropped, made: new Revalidation({ clock, own: { send }, provider }) };
  };
  const old = anEntry({ createdAt: new ManualClock().now() });
  const rule = (made: Revalidation, changes: object) => made.rule('/a', {}, stale(changes));

  it.each<[string, OwnOutcome, boolean, number]>([
    ['fails', { hasFailed: true }, true, 0],
    // The store is asked anew, and has it.
    ['is stored', { made: old }, false, 0],
    ['is not stored any more', { reason: { code: 'vary', detail: '' } }, false, 1],
    ['is refused for the moment', { reason: { code: 'status', detail: 'status 429', isPassing: true } }, false, 0],
    ['is refused by a middleware', {}, false, 0],
  ])('within ifError, if the new one %s', async (_name, outcome, mayServe, drops) => {
    const { clock, made, dropped } = revalidation(outcome);
    clock.pass(milliseconds(61_000));
    expect(await rule(made, { ifError: 5000 })(old)).toBe(mayServe);
    expect(dropped).toHaveLength(drops);
  });

  it('is computed once for all who ask meanwhile, and not again for ten seconds after a failure', async () => {
    const { clock, made, sent } = revalidation({ hasFailed: true });
    clock.pass(milliseconds(61_000));
    const decide = rule(made, { ifError: 60_000 });
    expect(await Promise.all([decide(old), decide(old)])).toEqual([true, true]);
    clock.pass(milliseconds(9_999));
    expect(decide(old)).toBe(true);
    expect(sent).toHaveLength(1);
    clock.pass(milliseconds(1));
    await decide(old);
    expect(sent).toHaveLength(2);
  });

  it('is served at once within whileRevalidate, and computed for the visitor after all times', () => {
    const { clock, made } = revalidation(new Promise<OwnOutcome>(() => undefined));
    clock.pass(milliseconds(60_000));
    const decide = rule(made, { whileRevalidate: 1000, ifError: 500 });
    expect(decide(old)).toBe(true);
    clock.pass(milliseconds(1000));
    expect(decide(old)).toBe(false);
  });

  it('is served if the new one takes too long', async () => {
    const { clock, made } = revalidation(new Promise<OwnOutcome>(() => undefined));
    clock.pass(milliseconds(61_000));
    expect(await rule(made, { ifError: 60_000, timeout: 1 })(old)).toBe(true);
  });

  it.each<[string, ReadonlyArray<[string, string]>, number, number | undefined]>([
    ['for the longer of both times', [], Infinity, 2000],
    ['no longer than its signed URLs work', [], 61_500, 1500],
    ['not if they end with it', [], 60_000, undefined],
    ['not if the handler forbids it', [['cache-control', 'max-age=60, must-revalidate']], Infinity, undefined],
    ['if the handler gives a time only', [['cache-control', 'max-age=60']], Infinity, 2000],
  ])('is kept %s', (_name, headers, usable, expected) => {
    const times = stale({ whileRevalidate: 1000, ifError: 2000 });
    expect(keptBeyond({ headers }, times, milliseconds(60_000), usable)).toBe(expected);
  });

  it('is computed with the headers of the request, but for those that ask for a part or have a body', () => {
    // `keys.useHeaders` may name it.
    const kept = { accept: 'a', cookie: 'c', 'content-language': 'de' };
    expect(headersToSend({ ...kept, 'if-none-match': '"x"', range: 'bytes=1-', 'content-length': '1' })).toEqual(kept);
  });
});

describe('a request of the plugin itself', () => {
  const dispatched: ServerResponse[] = [];
  const own = new OwnRequests((response) => void dispatched.push(response));
  const last = (): ServerResponse => dispatched.pop() ?? expect.unreachable();

  it('is known by its object, and has no client', async () => {
    const sent = own.send({ target: '/a', headers: { accept: 'b' } }, 'warm');
    const response = last();
    expect(markOf(response.req)).toBeInstanceOf(OwnRequest);
    expect([response.req.url, response.req.headers]).toEqual(['/a', { accept: 'b' }]);
    response.end('body');
    expect(await sent).toEqual({});
  });

  it('takes what middlewares set on a connection', async () => {
    const sent = own.send(asked('/a'), 'warm');
    const response = last();
    response.req.setTimeout(1000);
    response.setTimeout(1000);
    response.req.socket.setKeepAlive(true).setNoDelay().unref();
    response.end();
    expect(await sent).toEqual({});
  });

  it('has failed if it is answered with a status from 500 on', async () => {
    const sent = own.send(asked('/a'), 'warm');
    const response = last();
    response.statusCode = 503;
    response.end();
    expect(await sent).toEqual({ hasFailed: true });
  });

  it('is waited for at the end, after which none is sent', async () => {
    let hasEnded = false;
    void own.send(asked('/a'), 'warm');
    const closed = own.close().then(() => (hasEnded = true));
    expect(await own.send(asked('/b'), 'warm')).toEqual({});
    await new Promise((resolve) => setImmediate(resolve));
    expect([dispatched.length, hasEnded]).toEqual([1, false]);
    last().end();
    await closed;
  });
});

describe('warming', () => {
  const warming = (top: number, urls: readonly string[] | Promise<never> = [], written: string[] = []) => {
    const clock = new ManualClock();
    const provider = new MemoryProvider({ clock });
    const hits = new Map<CacheKey, number>();
    const known = new KnownRequests(({ key }) => hits.get(key) ?? 0);
    const sent: string[] = [];
    const waiting: Array<(outcome?: OwnOutcome) => void> = [];
    const send = ({ target }: Asked): Promise<OwnOutcome> => {
      sent.push(target);
      return new Promise((resolve) =>
        waiting.push((outcome = { made: anEntry({ key: `${target}?&&` }) }) => resolve(outcome)),
      );
    };
    const lists = {
      read: () => written,
      add: (_list: string, texts: readonly string[]) => void written.push(...texts),
    };
    const own = { send, outside };
    const warm = { ...DEFAULT_WARM, top };
    const warmer = new Warmer({
      warm,
      known,
      provider,
      own,
      lists,
      urls: async () => (await urls).map(asked),
    });
    const store = (target: string, tags: string[], count: number, by: Asked = asked(target)): void => {
      const entry = anEntry({ key: `${target}?&&`, tags, cost: 10, createdAt: clock.now() });
      hits.set(entry.key, count);
      known.note(by, entry);
    };
    const purge = (...tags: Tag[]): void => {
      provider.invalidate(tags);
      warmer.purged(tags);
    };
    return { warmer, purge, sent, waiting, store, provider, clock, known, written };
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('begins with those whose hits have saved most, and leaves out those nobody has asked for again', async () => {
    const { warmer, purge, sent, waiting, store } = warming(2);
    for (const [target, hits] of [
      ['/a', 1],
      ['/b', 9],
      ['/c', 5],
      ['/d', 0],
    ] as const)
      store(target, ['t'], hits);
    store('/other', ['u'], 100);
    purge(tag('t'));
    for (const target of ['/b', '/c']) {
      await until(() => sent.at(-1) === target);
      waiting.shift()?.();
    }
    await until(() => warmer.state.warm === 2);
    expect([sent, warmer.state]).toEqual([['/b', '/c'], { purged: 2, warm: 2 }]);
  });

  it('takes the newest purge first, and each response once', async () => {
    const { warmer, purge, sent, waiting, store } = warming(5);
    store('/a', ['t'], 9);
    store('/b', ['t'], 5);
    store('/c', ['u'], 1);
    purge(tag('t'));
    await until(() => sent.length === 1);
    purge(tag('u'));
    await until(() => warmer.state.purged === 1);
    while (sent.length < 3) {
      waiting.shift()?.();
      await until(() => waiting.length > 0);
    }
    expect(sent).toEqual(['/a', '/c', '/b']);
  });

  it('leaves out what was computed since the purge', async () => {
    const { warmer, purge, sent, store, known, provider } = warming(5);
    store('/a', ['t'], 9);
    store('/b', ['t'], 5);
    purge(tag('t'));
    known.note(asked('/a'), anEntry({ key: '/a?&&', tags: ['t'], sequence: provider.knownSequence() }));
    await until(() => sent.length > 0);
    expect([sent, warmer.state.purged]).toEqual([['/b'], 1]);
  });

  it('skips what a visitor has made by then', async () => {
    const { warmer, purge, sent, store, provider, clock } = warming(5);
    store('/a', ['t'], 9);
    provider.store(anEntry({ key: '/a?&&', createdAt: clock.now() }));
    purge(tag('t'));
    await until(() => warmer.state.warm === 1);
    expect(sent).toEqual([]);
  });

  it('computes again what a job has overtaken, for 36 seconds, and others meanwhile', async () => {
    const { warmer, purge, sent, waiting, store } = warming(5);
    store('/slow', ['t'], 9);
    store('/other', ['t'], 1);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reason: Reason = { code: 'sources', detail: 'not committed', isPassing: true };
    purge(tag('t'));
    vi.advanceTimersByTime(50);
    for (const after of [100, 300, 900, 2700, 8100, 24_300]) {
      await until(() => waiting.length > 0);
      waiting.shift()?.({ reason });
      await until(() => vi.getTimerCount() > 0);
      if (after === 100) {
        await until(() => sent.at(-1) === '/other');
        waiting.shift()?.();
      }
      vi.advanceTimersByTime(after);
    }
    await until(() => waiting.length > 0);
    waiting.shift()?.();
    await until(() => warmer.state.warm === 2);
    const slow = new Array(6).fill('/slow');
    expect(sent).toEqual(['/slow', '/other', ...slow]);
  }, 5000);

  it('lists no header of which the key holds a digest', async () => {
    const { warmer, store, written } = warming(5);
    const visit = (target: string, headers: Record<string, string>): void => {
      const by = askedBy(koaContext(target, headers), ['x-tenant'], ['accept-language', 'x-api-key']);
      if (by !== undefined) store(target, ['t'], 1, by);
    };
    visit('/keyed', { 'x-tenant': 'acme' });
    visit('/language', { 'accept-language': 'de' });
    visit('/secret', { 'x-api-key': 'a secret' });
    await warmer.close();
    expect(written[0]).toContain('acme');
    expect(written[0]).toContain('"/language"');
    expect(written[0]).not.toContain('secret');
  });

  it('lists a header as it was sent that code in front has changed: it changes it again', async () => {
    const ctx = koaContext('/a', { 'x-tenant': 'acme', 'x-api-key': 'a secret' });
    ctx.req.rawHeaders = ['X-Tenant', 'acme', 'X-API-Key', 'a secret'];
    const code = notingReads(({ headers }, next) => {
      for (const name of ['x-tenant', 'x-api-key']) if (headers[name] !== undefined) delete headers[name];
      return next();
    }, 'a middleware');
    await code(ctx, () => Promise.resolve());
    expect(askedBy(ctx, ['x-tenant'])?.headers).toEqual({ 'x-tenant': 'acme' });
    expect(askedBy(ctx, [], ['x-api-key'])).toBeUndefined();
  });

  it('begins with what an earlier process has listed, however a client has spelled its URL', async () => {
    const first = warming(5);
    first.store('/a', ['t'], 9);
    // The absolute form (RFC 9112, section 3.2.2).
    first.store('http://localhost/b', ['t'], 5);
    await first.warmer.close();
    const { warmer, sent, waiting } = warming(5, [], first.written);
    await warmer.begin();
    for (const target of ['/a', 'http://localhost/b']) {
      await until(() => sent.at(-1) === target);
      waiting.shift()?.();
    }
  });

  it("begins with it although the user's function never tells its URLs", async () => {
    const first = warming(5);
    first.store('/a', ['t'], 9);
    await first.warmer.close();
    const { warmer, sent } = warming(5, new Promise<never>(() => undefined), first.written);
    void warmer.begin();
    await vi.waitFor(() => expect(sent).toEqual(['/a']));
  });

  it("keeps the user's URLs warm however visitors spell them, and what patterns stand for while it is asked for", async () => {
    const { warmer, purge, sent, waiting, store, known } = warming(1, ['/a?x&y', '/list/*']);
    await warmer.begin();
    await until(() => waiting.length > 0);
    waiting.shift()?.();
    known.note(asked('/a?y&x'), anEntry({ key: '/a?x&y?&&', tags: ['t'] }));
    const answered = async (...targets: string[]): Promise<void> => {
      sent.length = 0;
      purge(tag('t'));
      for (const target of targets) {
        await until(() => sent.at(-1) === target);
        waiting.shift()?.();
      }
      await until(() => warmer.state.warm === targets.length);
    };
    const pages = ['/most', '/list/1', '/list/2', '/other'];
    for (const [index, hits] of [9, 2, 0, 2].entries()) store(pages[index] ?? '', ['t'], hits);
    await answered('/most', '/list/1', '/a?y&x');
    // What it is worth is halved with each response that nobody asks for.
    for (let computed = 0; computed < 7; computed += 1) for (const page of pages) store(page, ['t'], 0);
    await answered('/a?y&x');
  });

  it('forgets what waits to be computed with all that is worth less than the rest', async () => {
    const { warmer, purge, sent, waiting, store } = warming(5);
    const long = 'long'.repeat(50_000);
    store('/a', ['t'], 9);
    store(`/b${long}`, ['t'], 5);
    purge(tag('t'));
    await until(() => sent.length === 1);
    for (let page = 0; page < 20; page += 1) store(`/${long}${page}`, ['u'], 10);
    store('/c', ['v'], 1);
    purge(tag('v'));
    await until(() => warmer.state.purged === 1);
    waiting.shift()?.();
    await until(() => sent.length === 2);
    waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sent.map((target) => target.slice(0, 2))).toEqual(['/a', '/c']);
  });

  it('values what was asked for before the latest purge half as much', () => {
    const { known, store } = warming(5);
    store('/a', ['t'], 4);
    const worth = known.byWorth()[0]?.worth;
    store('/a', ['t'], 0);
    // The first response is gone, and with it the count of its hits.
    expect([worth, known.byWorth()[0]?.worth]).toEqual([44, 0]);
  });
});

it.each([
  [{ a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 3 }] }, 'b[1].c'],
  [{ a: 1 }, {}, 'a'],
  [[1], [1, 2], '[1]'],
  [1, 2, ''],
])('the first difference of %j and %j', (one, other, at) => {
  expect(firstDifference(Buffer.from(JSON.stringify(one)), Buffer.from(JSON.stringify(other)))).toBe(at);
});

it('an audit leaves the number of a minute to hits that can be computed again', async () => {
  const provider = new MemoryProvider({ clock: new ManualClock() });
  const known = new KnownRequests(() => 0);
  const sent: string[] = [];
  const auditor = new Auditor({
    audit: { rate: 1, perMinute: 1 },
    known,
    provider,
    own: { send: ({ target }) => (sent.push(target), Promise.resolve({ hasFailed: true })), outside },
    onAudited: () => expect.unreachable(),
  });
  const shared = anEntry({ key: '/shared?&&', createdAt: new ManualClock().now() });
  provider.store(shared);
  known.note(asked('/shared'), shared);
  auditor.hit(anEntry({ key: '/orders?&&up:7' }));
  auditor.hit(shared);
  await vi.waitFor(() => expect(sent).toEqual(['/shared']));
});

it('warming and audits go on though the store has left one question without an answer', async () => {
  const provider = new MemoryProvider({ clock: new ManualClock() });
  const sent: string[] = [];
  const send = ({ target }: Asked, purpose: Purpose): Promise<OwnOutcome> => {
    sent.push(`${purpose} ${target}`);
    return Promise.resolve({});
  };
  const parts = {
    strapi: { config: { get: () => ({}) }, dirs: { app: { root: '/nowhere' } } },
    config: {
      provider: { getTimeout: 20 },
      strategy: { warm: DEFAULT_WARM, audit: { rate: 1, perMinute: Infinity } },
    },
    ...{ provider, observability: { metrics: { hitsOf: () => 100 } }, lanes: { own: { send, outside } } },
  } as unknown as Parameters<typeof createBackground>[0];
  const { known, warmer, auditor } = createBackground(parts, () => Promise.resolve());
  const entry = anEntry({ key: '/a?&&', tags: ['articles'], cost: 10 });
  known?.note(asked('/a'), entry);
  const purge = (): void => {
    provider.invalidate([tag('articles')]);
    warmer?.purged([tag('articles')]);
  };
  vi.spyOn(provider, 'lookup').mockReturnValue(new Promise(() => undefined) as never);
  purge();
  auditor?.hit(entry);
  await vi.waitFor(() => expect(provider.lookup).toHaveBeenCalledTimes(2));
  await delay(50);
  vi.mocked(provider.lookup).mockReturnValue({ sequence: provider.knownSequence() });
  purge();
  auditor?.hit(entry);
  await vi.waitFor(() => expect(sent.sort()).toEqual(['audit /a', 'audit /a', 'warm /a']));
});

/** The background work of an application whose `warm.urls` is this function, what it sends, and what it logs. */
const warmingBy = (urls: () => readonly string[]) => {
  const sent: string[] = [];
  const told: string[] = [];
  const send = ({ target }: Asked): Promise<OwnOutcome> => (sent.push(target), Promise.resolve({}));
  const warn = (line: string) => void told.push(line);
  const config = { get: (name: string) => (name === 'server.absoluteUrl' ? 'http://localhost:1337' : {}) };
  const parts = {
    strapi: { config, dirs: { app: { root: '/nowhere' } }, log: { warn } },
    config: { provider: { getTimeout: 20 }, strategy: { warm: { ...DEFAULT_WARM, urls }, audit: null } },
    provider: new MemoryProvider({ clock: new ManualClock() }),
    ...{ observability: { metrics: { hitsOf: () => 0 } }, lanes: { own: { send, outside } } },
  } as unknown as Parameters<typeof createBackground>[0];
  return { ...createBackground(parts, () => Promise.resolve()), sent, told };
};

it.each([
  // As `fetch` says it.
  [
    new TypeError('URL that includes credentials: https://me:s3cret@example.com/map'),
    'includes credentials: https://…',
  ],
  [Object.create(null), 'failed: it gave no reason'],
])('begins although warm.urls throws %o, and tells no password', async (thrown, expected) => {
  const { warmer, told } = warmingBy(() => {
    throw thrown;
  });
  await warmer?.begin();
  await warmer?.close();
  expect(told).toEqual([expect.stringContaining(expected)]);
});

it('says which of the URLs that a function has made is no path, and warms the others', async () => {
  const { warmer, sent, told } = warmingBy(() => ['https://example.com/api/a', '/b', 7 as never]);
  await warmer?.begin();
  await vi.waitFor(() => expect(sent).toEqual(['/b']));
  expect(told).toEqual([
    '[rest-cache] strategy.warm.urls: "https://…" and 1 more left out; expected paths such as "/api/articles?sort=title".',
  ]);
  await warmer?.close();
});

it('remembers a bounded number of bytes, of those requests that are worth most', () => {
  const hits = new Map<string, number>();
  const known = new KnownRequests(({ key }) => hits.get(key) ?? 0);
  for (let number = 0; number < 1000; number += 1) {
    const key = `/large?page=${number}&&`;
    hits.set(key, number);
    const tags = Array.from({ length: 1000 }, (_, index) => `articles#${number}.${index}`);
    known.note(asked(`/large?page=${number}`), anEntry({ key, tags, cost: 10 }));
  }
  const kept = known.byWorth().map(({ key }) => key);
  expect(kept.length).toBeLessThanOrEqual(500);
  expect(kept[0]).toBe('/large?page=999&&');
  known.note(asked('/small'), anEntry({ key: '/small?&&', tags: ['articles'] }));
  expect(known.of('/small?&&' as CacheKey)).toBeDefined();
});
