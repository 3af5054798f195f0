import type { Context } from 'koa';
import { inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { leaveUnwatched, noteReads, type ReadName } from '../../../server/src/http/request-reads';
import { beginReadsOfStrategies, notingReads, unkeyedReads } from '../../../server/src/http/unkeyed-reads';
import { exchangeOf } from '../../../server/src/http/exchange';
import { koaContext } from './koa-context';
import { posted } from './posted';

/** What is noted of reads that Koa makes for a purpose of its own. */

const ADDRESS = 'remote-address';

const notedOf = (read: (ctx: Context) => unknown, proxy: boolean): readonly ReadName[] => {
  const ctx = koaContext('/', { 'x-forwarded-proto': 'https', 'if-none-match': '"1"', cookie: 'lang=fr' });
  // Shared by all contexts of these tests.
  ctx.app.proxy = proxy;
  ctx.status = 200;
  ctx.set('ETag', '"1"');
  const reads = new Set<ReadName>();
  const end = noteReads(ctx, reads);
  try {
    read(ctx);
  } catch {
    // Some reads end like that.
  } finally {
    end();
    ctx.app.proxy = false;
  }
  return [...reads].sort();
};

const CONDITIONAL = ['cache-control', 'if-modified-since', 'if-none-match'];

describe.each([false, true])('noted where Koa trusts a proxy: %s', (proxy) => {
  const ofProxy = proxy ? ['x-forwarded-proto'] : [];

  it.each<[string, (ctx: Context) => unknown, readonly ReadName[]]>([
    ['ctx.fresh', (ctx) => ctx.fresh, CONDITIONAL],
    ['ctx.request.stale', (ctx) => ctx.request.stale, CONDITIONAL],
    ['ctx.ip', (ctx) => ctx.ip, [ADDRESS]],
    ['ctx.ips', (ctx) => ctx.ips, ['x-forwarded-for']],
    ['the connection', (ctx) => ctx.req.connection.remoteFamily, [ADDRESS]],
    ['ctx.secure', (ctx) => ctx.secure, ofProxy],
    ['a cookie', (ctx) => ctx.cookies.get('lang'), ['cookie']],
    ['two cookies', (ctx) => [ctx.cookies.get('lang'), ctx.cookies.get('theme')], ['cookie']],
    ['a redirect', (ctx) => ctx.redirect('/elsewhere'), []],
    ['cookies of the application’s own', (ctx) => [(ctx.cookies = Object.freeze({}) as never), ctx.cookies], []],
    ['a redirect back', (ctx) => ctx.redirect('back'), ['referer']],
  ])('by %s', (_what, read, expected) => {
    expect(notedOf(read, proxy)).toEqual(expect.arrayContaining([...expected]));
    expect(expected).toEqual(
      expect.arrayContaining(
        notedOf(read, proxy).filter((name) => name !== 'accept' && name !== 'host' && name !== 'x-forwarded-host'),
      ),
    );
  });
});

it("watches Koa once, however many requests of the plugin's own have inherited an application", () => {
  const ctx = koaContext();
  noteReads(ctx, new Set())();
  const { redirect } = ctx.app.response;
  const own = (Object.create(ctx.app) as Context['app']).createContext(ctx.req, ctx.res);
  noteReads(own, new Set())();
  expect(ctx.app.response.redirect).toBe(redirect);
});

it('notes who reads or sets the session', async () => {
  const ctx = koaContext();
  const context = ctx.app.context;
  const usedBy = (use: () => unknown): readonly ReadName[] => {
    const reads = new Set<ReadName>();
    const end = noteReads(ctx, reads);
    use();
    end();
    return [...reads];
  };
  try {
    Object.defineProperty(context, 'session', { configurable: true, get: () => ({}), set: () => undefined });
    expect(usedBy(() => undefined)).toEqual([]);
    expect(usedBy(() => ctx.session)).toEqual([':session']);
    expect(usedBy(() => (ctx.session = null))).toEqual([':session']);
    // Some code reads every accessor of the prototype of all contexts.
    expect(usedBy(() => context.session)).toEqual([]);

    // In front of the lane, what counts is what the session was found by.
    const inFront = async (sessionOptions?: object): Promise<readonly ReadName[]> => {
      const asked = Object.assign(koaContext(), { sessionOptions });
      const middleware = notingReads(({ session }, next) => (void session, next()), 'a middleware');
      await middleware(asked, () => Promise.resolve());
      return [...(exchangeOf(asked).readsInFront?.keys() ?? [])];
    };
    expect(await inFront({})).toEqual(['cookie']);
    expect(await inFront({ externalKey: { get: () => 'x' } })).toEqual([':session']);
  } finally {
    Reflect.deleteProperty(context, 'session');
  }
});

/** What is noted of reads of all headers, however they are made, and what the reading code gets. */

const SENT = { host: 'example.com', 'x-tenant': 'a', accept: '*/*' };

const watchedContext = () => {
  const ctx = koaContext('/', SENT);
  ctx.req.rawHeaders = Object.entries(SENT).flat();
  const reads = new Set<ReadName>();
  return { ctx, reads, end: noteReads(ctx, reads) };
};

describe('a request’s headers', () => {
  const RAW = Object.entries(SENT).flat();

  it.each<[way: string, read: (ctx: Context) => unknown, expected: unknown]>([
    ['cloned', (ctx) => structuredClone(ctx.headers), SENT],
    ['cloned within something else', (ctx) => structuredClone([{ all: ctx.headers }]), [{ all: SENT }]],
    ['posted', (ctx) => posted(ctx.headers), SENT],
    ['serialised by V8', (ctx) => deserialize(serialize(ctx.headers)) as unknown, SENT],
    ['as JSON', (ctx) => JSON.parse(JSON.stringify(ctx.headers)) as unknown, SENT],
    ['spread', (ctx) => ({ ...ctx.headers }), SENT],
    ['their entries', (ctx) => Object.fromEntries(Object.entries(ctx.headers)), SENT],
    ['inspected', (ctx) => inspect(ctx.headers), inspect(SENT)],
    ['their names', (ctx) => Object.keys(ctx.headers), Object.keys(SENT)],
    ['their names after another was read', (ctx) => (ctx.get('accept'), Object.keys(ctx.headers)), Object.keys(SENT)],
    ['whether there is one', (ctx) => Object.hasOwn(ctx.headers, 'x-other'), false],
    [
      'in a loop',
      (ctx) => {
        const names: string[] = [];
        for (const name in ctx.headers) names.push(name);
        return names;
      },
      Object.keys(SENT),
    ],
    ['distinct', (ctx) => ctx.req.headersDistinct, {}],
    ['the list, cloned', (ctx) => structuredClone(ctx.req.rawHeaders), RAW],
    ['the list, searched', (ctx) => ctx.req.rawHeaders.indexOf('x-tenant'), 2],
    ['the list, from its end', (ctx) => ctx.req.rawHeaders.at(-1), '*/*'],
    ['the list, inspected', (ctx) => inspect(ctx.req.rawHeaders), inspect(RAW)],
  ])('%s are heard, and are as they are', (_way, read, expected) => {
    const { ctx, reads, end } = watchedContext();
    const got = read(ctx);
    end();
    expect(got).toEqual(expected);
    expect(reads).toContain('*');
  });

  it('are plain to those who ask', () => {
    const { ctx, end } = watchedContext();
    expect(ctx.headers).toBeInstanceOf(Object);
    expect(ctx.headers.constructor).toBe(Object);
    expect(Object.prototype.toString.call(ctx.headers)).toBe('[object Object]');
    end();
  });

  it('one by one are heard by name, sent or not', () => {
    const { ctx, reads, end } = watchedContext();
    expect([ctx.get('x-tenant'), ctx.headers['x-other'], 'x-third' in ctx.headers]).toEqual(['a', undefined, false]);
    end();
    expect([...reads].sort()).toEqual(['x-other', 'x-tenant', 'x-third']);
  });

  it.each(['hasOwnProperty', 'propertyIsEnumerable'] as const)(
    'asked for by their own %s are heard by name',
    (method) => {
      const { ctx, reads, end } = watchedContext();
      const headers = ctx.headers as unknown as Readonly<Record<typeof method, (name: string) => boolean>>;
      expect([headers[method]('x-tenant'), headers[method]('x-other'), headers[method]('toString')]).toEqual([
        true,
        false,
        false,
      ]);
      end();
      expect([...reads].sort()).toEqual(['x-other', 'x-tenant']);
    },
  );

  it.each<[way: string, ask: (ctx: Context) => unknown]>([
    ['by `in`', (ctx) => 'x-tenant' in ctx.headers],
    ['by `hasOwn`', (ctx) => Object.hasOwn(ctx.request.headers, 'x-tenant')],
    ['by their names', (ctx) => Object.keys(ctx.headers).includes('x-tenant')],
  ])('asked for %s are heard by name where another is read afterwards', (_way, ask) => {
    const { ctx, reads, end } = watchedContext();
    expect([ask(ctx), ctx.get('accept')]).toEqual([true, '*/*']);
    end();
    expect([...reads].sort()).toEqual(['accept', 'x-tenant']);
  });

  it('listed by an authentication strategy are not all remembered, for clients make up their names', () => {
    const read = (strategy: (ctx: Context) => unknown): readonly ReadName[] => {
      const ctx = koaContext('/', SENT);
      const told: ReadName[] = [];
      const end = beginReadsOfStrategies(ctx, (name) => told.push(name));
      strategy(ctx);
      end();
      expect(exchangeOf(ctx).readsOfStrategies).toBeDefined();
      return told;
    };
    expect(read((ctx) => ctx.get('x-tenant'))).toEqual(['x-tenant']);
    expect(read((ctx) => ({ ...ctx.headers }))).toEqual([]);
  });

  it('looked for before one is read do not count as asked for, unless clients seldom send them', () => {
    const ctx = koaContext('/', { host: 'example.com', accept: '*/*', 'cf-ray': '1', 'x-forwarded-for': '1.2.3.4' });
    const reads = new Set<ReadName>();
    const end = noteReads(ctx, reads);

    expect(ctx.request.header && ctx.request.header.accept).toBe('*/*');
    end();
    expect([...reads]).toEqual(['accept']);
  });

  it('keep what was written, added and deleted meanwhile', () => {
    const { ctx, end } = watchedContext();
    ctx.headers['x-tenant'] = 'b';
    ctx.headers['x-added'] = 'c';
    delete ctx.headers.accept;
    expect([ctx.get('x-tenant'), ctx.get('x-added'), ctx.get('accept')]).toEqual(['b', 'c', '']);
    end();
    expect(ctx.headers).toEqual({ host: 'example.com', 'x-tenant': 'b', 'x-added': 'c' });
  });

  it('that other code puts in their place are watched as well', () => {
    const { ctx, reads, end } = watchedContext();
    ctx.get('accept');
    ctx.request.headers = { 'x-tenant': 'b', 'x-other': 'c' };
    expect(ctx.get('x-tenant')).toBe('b');
    end();
    expect([...reads].sort()).toEqual(['accept', 'x-tenant']);
    expect(ctx.headers).toEqual({ 'x-tenant': 'b', 'x-other': 'c' });
  });

  it('are the very same afterwards, and those who kept them are no longer heard', () => {
    const ctx = koaContext('/', SENT);
    const { headers, rawHeaders } = ctx.req;
    const prototype: unknown = Object.getPrototypeOf(ctx.req);
    const reads = new Set<ReadName>();
    const end = noteReads(ctx, reads);
    const kept = ctx.headers;
    expect(kept.host).toBe('example.com');
    end();
    expect([ctx.req.headers === headers, ctx.req.rawHeaders === rawHeaders]).toEqual([true, true]);
    expect(kept['x-tenant']).toBe('a');
    expect([...reads]).toEqual(['host']);
    const later = new Set<ReadName>();
    const endLater = noteReads(ctx, later);
    expect(kept['x-tenant']).toBe('a');
    endLater();
    expect([...later]).toEqual(['x-tenant']);
    leaveUnwatched(ctx);
    expect([ctx.req.headers === headers, Object.getPrototypeOf(ctx.req) === prototype]).toEqual([true, true]);
  });

  it('that are read where authentication is asked again count for the code that has asked', () => {
    const { ctx, reads, end } = watchedContext();
    const endInner = beginReadsOfStrategies(ctx, () => undefined);
    expect(ctx.get('x-tenant')).toBe('a');
    endInner();
    expect(ctx.get('accept')).toBe('*/*');
    end();
    expect([...reads].sort()).toEqual(['accept', 'x-tenant']);
  });

  it.each([['the first'], ['the last']])(
    'are heard after authentications that run at once, of which %s ends first',
    (which) => {
      const ctx = koaContext('/', { 'x-tenant': 'a', 'x-role': 'b', 'x-other': 'c' });
      const reads = new Set<ReadName>();
      const end = noteReads(ctx, reads);
      const ends = [noteReads(ctx, new Set()), noteReads(ctx, new Set(), true)];
      if (which === 'the last') ends.reverse();
      ends[0]?.();
      void ctx.headers['x-role'];
      ends[1]?.();
      void ctx.headers['x-tenant'];
      end();
      void ctx.headers['x-other'];
      expect([...reads].sort()).toEqual(['x-role', 'x-tenant']);
    },
  );

  it('of a message that keeps them as its own count as read', () => {
    const ctx = koaContext('/', SENT);
    Object.defineProperty(ctx.req, 'headers', { value: SENT, writable: true });
    const reads = new Set<ReadName>();
    noteReads(ctx, reads)();
    expect([...reads]).toEqual(['*']);
  });
});

it.each(['if-none-match', 'if-modified-since', 'cache-control', 'range'])(
  'a handler that reads %s, as ctx.fresh does, has read what no key holds',
  (name) => {
    const keys = { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false } as const;
    for (const hitpass of [true, false])
      expect(unkeyedReads(new Set([name]), { keys, hitpass }, { isOpen: false, kind: 'public' })).toEqual([name]);
  },
);
