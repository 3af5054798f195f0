import { expect, it } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { resolveConfig } from '../../../server/src/config/resolve';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { EntryServer } from '../../../server/src/lanes/serve-entry';
import { application } from '../config/application';
import { koaContext } from '../http/koa-context';

const { strategy } = resolveConfig({}, application());

const route: ResolvedRoute = {
  ...strategy,
  contentType: 'api::article.article',
  method: 'GET',
  path: '/api/articles',
  paramNames: [],
  isOpen: false,
};

/** The response headers of a hit that is merely old, of a handler that had set these. */
const headersOfOld = (...headers: ReadonlyArray<readonly [string, string]>) => {
  const entry: Entry = {
    key: '/api/articles?&&' as CacheKey,
    response: { status: 200, headers, body: Buffer.from('{}'), left: 'json', etag: undefined },
    labels: { contentType: route.contentType, route: route.path, params: {}, identity: '' },
    tags: [],
    sequence: sequence(0),
    createdAt: milliseconds(systemClock.now() - 10_000),
    maxAge: milliseconds(5000),
    cost: milliseconds(1),
  };
  const ctx = koaContext('/api/articles');
  const listener = { answered: () => undefined };
  const server = new EntryServer({ route, strategy, listener, edge: undefined });
  server.hit(ctx, { kind: 'hit', entry, collapsed: false, expired: true }, []);
  return Object.fromEntries(
    ['cache-control', 'cdn-cache-control', 'age'].map((name) => [name, ctx.res.getHeader(name)]),
  );
};

it.each([
  ['Cache-Control', 'max-age=3600'],
  ['CDN-Cache-Control', 'max-age=3600'],
  ['Expires', new Date(Date.now() + 3_600_000).toUTCString()],
])('where the handler lets other caches keep a response by %s, they have to ask about one that is old', (...field) => {
  expect(headersOfOld(field)).toEqual({ 'cache-control': 'no-cache', 'cdn-cache-control': undefined, age: '10' });
});

it('where nobody lets other caches keep a response, an old one has the headers that it had before', () => {
  expect(headersOfOld(['X-Other', 'a'])).toEqual({
    'cache-control': undefined,
    'cdn-cache-control': undefined,
    age: undefined,
  });
});
