import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { noteReads, type ReadName } from '../../../server/src/http/request-reads';
import { koaContext } from './koa-context';

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
    ['ctx.ips', (ctx) => ctx.ips, [ADDRESS]],
    ['the kind of address', (ctx) => ctx.req.socket.remoteFamily, [ADDRESS]],
    ['ctx.secure', (ctx) => ctx.secure, ofProxy],
    ['a cookie', (ctx) => ctx.cookies.get('lang'), ['cookie']],
    ['two cookies', (ctx) => [ctx.cookies.get('lang'), ctx.cookies.get('theme')], ['cookie']],
    ['whether cookies are secure', (ctx) => ctx.cookies.secure, ofProxy],
    ['whether a secure cookie can be set', (ctx) => ctx.cookies.set('a', 'b', { secure: true }), ofProxy],
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
