import { expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/** Every way in which a handler can read a parameter. */
const WAYS: Readonly<Record<string, (ctx: ProbeContext) => unknown>> = {
  'ctx.query': (ctx) => ctx.query,
  'ctx.request.query': (ctx) => ctx.request.query,
  'ctx.querystring': (ctx) => ctx.querystring,
  'ctx.request.querystring': (ctx) => ctx.request.querystring,
  'ctx.search': (ctx) => ctx.search,
  'ctx.request.search': (ctx) => ctx.request.search,
  'ctx.url': (ctx) => ctx.url,
  'ctx.request.url': (ctx) => ctx.request.url,
  'ctx.req.url': (ctx) => ctx.req.url,
  'ctx.originalUrl': (ctx) => ctx.originalUrl,
  'ctx.request.originalUrl': (ctx) => ctx.request.originalUrl,
  'ctx.state and all': (ctx) => JSON.stringify(ctx.state),
};

/** These also show the host, which is the same for all requests here. */
const WAYS_WITH_HOST: typeof WAYS = {
  'ctx.href': (ctx) => ctx.href,
  'ctx.request.href': (ctx) => ctx.request.href,
  'ctx.URL': (ctx) => ctx.URL.href,
  'ctx.request.URL': (ctx) => ctx.request.URL.search,
};

const reading =
  (ways: typeof WAYS) =>
  (ctx: ProbeContext): object => {
    ctx.set('X-Seen', ctx.url);
    return {
      at: Math.random(),
      seen: Object.fromEntries(Object.entries(ways).map(([way, read]) => [way, read(ctx)])),
    };
  };

const probe = probeApi([
  { path: '/probe/listed', handler: reading(WAYS) },
  { path: '/probe/none', handler: reading(WAYS) },
  { path: '/probe/host', handler: reading(WAYS_WITH_HOST) },
  {
    path: '/probe/populating',
    handler: (ctx) => ({ query: ctx.query, at: Math.random() }),
    config: { auth: false, middlewares: ['global::populating'] },
  },
  {
    path: '/probe/guarded',
    handler: (ctx) => ({ query: ctx.query }),
    config: { auth: false, policies: ['global::key'] },
  },
]);
const [LISTED = '', NONE = '', HOST = '', POPULATING = '', GUARDED = ''] = probe.paths;

const KEYS = { useQueryParams: ['page', 'filters', 'sort'] };

/** The query of a request, and the part of it that is in the list. */
const REQUESTS: ReadonlyArray<readonly [sent: string, counted: string]> = [
  ['utm_source=x', ''],
  ['status=draft&page=2', 'page=2'],
  ['page=2&pagination[page]=3', 'page=2'],
  ['filters[title][$eq]=a&filters%5Bname%5D=b&filter=c', 'filters[title][$eq]=a&filters%5Bname%5D=b'],
  ['sort=name&sort[]=slug&sorted=1', 'sort=name&sort[]=slug'],
  ['constructor=1&__proto__[a]=1&hasOwnProperty=2', ''],
  ['%70age=2&%75tm=1', '%70age=2'],
  ['page=%zz&x=%zz', 'page=%zz'],
  ['a+b=1&page=1+2', 'page=1+2'],
  ['&&page=1&&=x&', 'page=1'],
  ['page', 'page'],
  ['x=1?page=2', ''],
];

export const queryAllowList: Questions = {
  about: 'parameters outside useQueryParams',
  files: {
    ...probe.files,
    'src/middlewares/populating.js': `module.exports = () => (ctx, next) => {
          ctx.query.populate = ctx.query.deep === undefined ? 'cover' : '*';
          return next();
        };`,
    'src/policies/key.js': `module.exports = ({ request }) => request.query.key === 'open';`,
  },
  contentTypes: [
    {
      contentType: 'api::tag.tag',
      routes: [
        { path: LISTED, keys: KEYS },
        { path: NONE, keys: { useQueryParams: false } },
        { path: HOST, keys: { ...KEYS, useHeaders: ['host'] } },
        { path: POPULATING, keys: KEYS },
        { path: GUARDED, keys: KEYS },
      ],
    },
    { contentType: 'api::category.category', keys: { useQueryParams: false } },
  ],
  ask: (application) => {
    const reset = (): Promise<void> => cacheStore(application).reset();

    const ask = async (path: string, query: string, headers: Record<string, string> = {}) => {
      const answer = await rawRequest(application, query === '' ? path : `${path}?${query}`, { headers });
      const body = answer.body.toString();
      return { cache: answer.headers['x-cache'], body, seen: (JSON.parse(body) as { seen?: unknown }).seen };
    };

    const cases = [LISTED, HOST].flatMap((path) => REQUESTS.map(([sent, counted]) => [path, sent, counted] as const));

    it.each(cases)('%s?%s: the handler sees what it would of ?%s', async (path, sent, counted) => {
      await reset();
      const alone = await ask(path, counted);
      await reset();
      const first = await ask(path, sent);
      expect([alone.cache, first.cache]).toEqual(['MISS', 'MISS']);
      expect(first.seen).toEqual(alone.seen);
      for (const query of [counted, sent, counted, sent]) {
        const repeated = await ask(path, query);
        expect([repeated.cache, repeated.body]).toEqual(['HIT', first.body]);
      }
    });

    it.each(REQUESTS)('useQueryParams: false, ?%s: the handler sees none', async (sent) => {
      await reset();
      const alone = await ask(NONE, '');
      await reset();
      const first = await ask(NONE, sent);
      expect(first.seen).toEqual(alone.seen);
      expect((await ask(NONE, '')).body).toBe(first.body);
    });

    it('beyond the parser’s limit of 1000 parameters, what it has left out is not seen', async () => {
      await reset();
      const many = `${'x=1&'.repeat(1000)}page=2`;
      const first = await ask(LISTED, many);
      expect(JSON.stringify(first.seen)).not.toContain('page=2');
      await reset();
      expect(first.seen).toEqual((await ask(LISTED, '')).seen);
    });

    it('a HEAD that finds no entry does not see them either', async () => {
      await reset();
      const { headers } = await rawRequest(application, `${LISTED}?utm_source=x&page=1`, { method: 'HEAD' });
      expect([headers['x-cache'], headers['x-seen']]).toEqual(['MISS', `${LISTED}?page=1`]);
    });

    it('a request that bypasses the cache is answered with all of them', async () => {
      const { cache, seen } = await ask(LISTED, 'utm_source=x&page=1', { authorization: 'Basic eDp5' });
      expect(cache).toBe('HITPASS');
      expect(seen).toMatchObject({
        'ctx.query': { utm_source: 'x', page: '1' },
        'ctx.url': `${LISTED}?utm_source=x&page=1`,
        'ctx.originalUrl': `${LISTED}?utm_source=x&page=1`,
      });
    });

    it('the log has the URL as it was sent', async () => {
      const { requests } = application;
      const before = requests.length;
      for (let time = 0; time < 3; time += 1) await ask(LISTED, 'utm_source=logged&page=7');
      const logged = requests.slice(before).filter((line) => line.includes(`${LISTED}?utm_source=logged&page=7`));
      expect(logged).toHaveLength(3);
    });

    it('what a middleware of the route sets itself is seen, and counts', async () => {
      await reset();
      const queryOf = async (query: string): Promise<unknown> =>
        (JSON.parse((await ask(POPULATING, query)).body) as { query: unknown }).query;
      expect(await queryOf('utm_source=x')).toEqual({ populate: 'cover' });
      expect(await queryOf('')).toEqual({ populate: 'cover' });
      // With an unlisted parameter that it reads the middleware sets another query, which makes another answer.
      expect(await queryOf('deep=1')).toEqual({ deep: '1', populate: '*' });
      for (const sent of ['populate=author', 'populate=cover', 'utm_source=z&populate=cover'])
        expect(await queryOf(sent)).toEqual({ populate: 'cover' });
      expect((await ask(POPULATING, 'utm_source=y')).cache).toBe('HIT');
    });

    it('a policy sees all of them on every request', async () => {
      const status = async (query: string): Promise<number> =>
        (await rawRequest(application, `${GUARDED}?${query}`)).status;
      for (let time = 0; time < 3; time += 1) {
        expect(await status('key=open')).toBe(200);
        expect(await status('key=wrong')).toBe(403);
      }
    });

    it.each(['fields=slug', 'pagination[page]=2'])(
      'a core route that is asked ?%s first answers others as ever',
      async (query) => {
        await reset();
        const plain = await ask('/api/categories', '');
        await reset();
        expect((await ask('/api/categories', query)).body).toBe(plain.body);
        const others = await ask('/api/categories', '');
        expect([others.cache, others.body]).toEqual(['HIT', plain.body]);
      },
    );
  },
};
