import { describe, expect, it } from 'vitest';
import { cacheStore } from '../application/cache-store';
import { probeApi } from '../application/probe';
import { runningApplication } from './running-application';
import { expectKept, expectPurged, warm } from './warm-entries';

/** Services for users' code: today's code for @strapi-community/plugin-rest-cache calls these services. */

const EDITOR = 'api::writer.editor';
const CATEGORY = 'api::category.category';

const probe = probeApi([
  { path: '/probe/menu', handler: () => ({ at: Math.random() }) },
  { path: '/probe/menu/:child', handler: () => ({ at: Math.random() }) },
  { path: '/probe/named', handler: () => ({ at: Math.random() }) },
  { path: '/probe/price-:name.json', handler: () => ({ at: Math.random() }) },
  { path: '/probe/maybe/:part?', handler: () => ({ at: Math.random() }) },
  { path: '/probe/deep/:rest+', handler: () => ({ at: Math.random() }) },
]);

const service = (name: string) => application.strapi.plugin('rest-cache').service(name);
const store = () => cacheStore(application);
const keys = (): Promise<string[]> => store().keys();

const application = runningApplication(
  {
    ...probe.files,
    'src/index.js': `const Router = require('@koa/router');
        module.exports = {
          bootstrap({ strapi }) {
            const router = new Router();
            const make = strapi.plugin('rest-cache').middleware('recv');
            for (const path of ['/api/probe/menu', '/api/probe/menu/:child', '/api/probe/named'])
              router.get(path, make({ cacheRouteConfig: { path, maxAge: 1000, hitpass: false } }, { strapi }));
            strapi.server.router.use(router.routes());
          },
        };`,
  },
  {
    contentTypes: [
      EDITOR,
      { contentType: CATEGORY, maxAge: 5000 },
      {
        contentType: 'api::article.article',
        injectDefaultRoutes: false,
        routes: [
          '/api/probe/named',
          '/api/probe/price-:name.json',
          '/api/probe/maybe/:part?',
          '/api/probe/deep/:rest+',
        ],
      },
    ],
  },
);

const editors = async (): Promise<Array<{ documentId: string }>> =>
  (JSON.parse((await application.get('/api/editors?sort=id')).body) as { data: Array<{ documentId: string }> }).data;

describe('cacheStore', () => {
  it('ready: the store can be asked', () => {
    expect(store().ready).toBe(true);
  });

  it('clearByUid(uid, params) narrows, and wildcard does not', async () => {
    const [one, other] = await editors();
    const paths = [`/api/editors/${one?.documentId}`, `/api/editors/${other?.documentId}`];
    await expectKept(application, paths.slice(1), () => store().clearByUid(EDITOR, { id: one?.documentId }));
    await expectPurged(application, paths.slice(0, 1), () => store().clearByUid(EDITOR, { id: one?.documentId }));
    await expectPurged(application, paths, () => store().clearByUid(EDITOR, { id: one?.documentId }, true));
  });

  it('clearByUid of what is not cached is refused by name', async () => {
    await expect(store().clearByUid('api::tag.tag')).rejects.toThrow('"api::tag.tag" is not a cached content type');
  });

  it('clearByUid of a parameter that no route has is refused by name, unless wildcard ignores it', async () => {
    const narrowed = (params: object, wildcard?: boolean) => store().clearByUid(EDITOR, params, wildcard);
    await expect(narrowed({ slug: 'a' })).rejects.toThrow('"slug"; expected "id"');
    await expect(narrowed({ id: undefined })).rejects.toThrow('params of a purge');
    await expectPurged(application, ['/api/editors?all'], () => narrowed({ slug: 'a' }, true));
  });

  it('keys() are logical keys of valid entries; get() and del() take them', async () => {
    await store().reset();
    const body = await warm(application, '/api/editors?sort=name');
    expect(await keys()).toEqual(['/api/editors?sort=name&&']);
    expect(await store().get('/api/editors?sort=name&&')).toEqual(JSON.parse(body));
    expect(await store().get('/api/editors?sort=nothing&&')).toBeNull();
    expect(await store().del('/api/editors?sort=name&&')).toBe(true);
    expect(await store().del('/api/editors?sort=name&&')).toBe(false);
    expect((await application.get('/api/editors?sort=name')).cache).toBe('MISS');
  });

  it('delMany(keys) and clearByRegexp(patterns) remove what they name', async () => {
    await store().init();
    await store().reset();
    const paths = ['/api/editors?one', '/api/editors?other', '/api/categories?third'];
    const keysOf = async (): Promise<string[]> => (await keys()).sort();
    for (const path of paths) await warm(application, path);
    const [third = '', one = ''] = await keysOf();
    await store().delMany([third]);
    expect(await keysOf()).toHaveLength(2);
    // A global pattern keeps its `lastIndex` between calls.
    await store().clearByRegexp([/nothing/, /^\/api\/editors\?o/g]);
    expect([one, await keysOf()]).toEqual([expect.stringContaining('/api/editors'), []]);
  });

  it('set() says what to use instead', async () => {
    await expect(store().set('/api/editors?&&', {}, 3600)).rejects.toThrow('contentTypes[].routes');
  });

  describe('invalidate(), for writers this process cannot see', () => {
    it.each([
      ['tables', () => ({ tables: ['editors'] })],
      ['content types', () => ({ contentTypes: [EDITOR] })],
    ])('purges what was read from the %s, and nothing else', async (_what, request) => {
      await expectPurged(application, ['/api/editors?unseen'], () => store().invalidate(request()));
      await expectKept(application, ['/api/categories?unseen'], () => store().invalidate(request()));
    });

    it('purges the documents, and the lists that show them', async () => {
      const [one, other] = await editors();
      const documents = [{ contentType: EDITOR, documentId: one?.documentId }];
      await expectPurged(application, [`/api/editors/${one?.documentId}`, '/api/editors?unseen'], () =>
        store().invalidate({ documents }),
      );
      await expectKept(application, [`/api/editors/${other?.documentId}`], () => store().invalidate({ documents }));
    });

    it('refuses a content type that does not exist', async () => {
      await expect(store().invalidate({ contentTypes: ['api::no.no'] })).rejects.toThrow('"api::no.no"');
    });
  });
});

describe('cacheConfig', () => {
  it('isCached, getUids and get tell what is cached', () => {
    expect([service('cacheConfig').isCached(EDITOR), service('cacheConfig').isCached('api::tag.tag')]).toEqual([
      true,
      false,
    ]);
    expect(service('cacheConfig').getUids()).toEqual([EDITOR, CATEGORY, 'api::article.article']);
    expect(service('cacheConfig').get(CATEGORY)).toMatchObject({ uid: CATEGORY, maxAge: 5000, hitpass: true });
    expect(service('cacheConfig').get('api::tag.tag')).toBeUndefined();
    expect(service('cacheConfig').get(CATEGORY)).toMatchObject({ contentType: CATEGORY, singleType: false });
  });

  it('getCacheKeysRegexp finds the keys of a route whose parameters are parts of segments, optional or repeatable', async () => {
    const patterns = (...request: unknown[]): RegExp[] =>
      service('cacheConfig').getCacheKeysRegexp('api::article.article', ...request) as RegExp[];
    const urls = ['/api/probe/price-a.json', '/api/probe/maybe', '/api/probe/maybe/b', '/api/probe/deep/c/d'];
    for (const url of urls) await warm(application, url);
    const found = async (asked: RegExp[]): Promise<string[]> =>
      (await keys()).filter((key) => asked.some((pattern) => pattern.test(key))).map((key) => key.replace(/\?.*/, ''));
    expect((await found(patterns({}, true))).sort()).toEqual([...urls].sort());
    expect(await found(patterns({ name: 'a' }))).toEqual(urls.slice(0, 1));
    expect(await found(patterns({ name: 'x' }))).toEqual([]);
    expect(await found(patterns({ part: 'b' }))).toEqual(['/api/probe/maybe/b']);
    expect(await found(patterns({ rest: 'c/d' }))).toEqual(['/api/probe/deep/c/d']);
    const [list, one] = service('cacheConfig').getCacheKeysRegexp(CATEGORY, { id: 'a.b' }) as [RegExp, RegExp];
    expect([list.source, one.source]).toEqual(['^\\/api\\/categories\\?', '^\\/api\\/categories\\/a\\.b\\?']);
    expect(service('cacheConfig').getCacheKeysRegexp('api::tag.tag')).toEqual([]);
  });

  it('getRelatedCachedUid(uid) are the cached types that show it', () => {
    expect(service('cacheConfig').getRelatedCachedUid('api::tag.tag')).toEqual([]);
    expect(service('cacheConfig').getRelatedCachedUid(CATEGORY)).toEqual(['api::article.article']);
  });

  it('clearCache(uid) is cacheStore.clearByUid', async () => {
    await expectPurged(application, ['/api/categories?old'], () => service('cacheConfig').clearCache(CATEGORY));
    expect(application.warnings).toContainEqual(expect.stringContaining('write cacheStore.clearByUid'));
  });

  it("strapi.config.get('plugin::rest-cache') holds the resolved strategy", () => {
    const { strategy } = application.strapi.config.get<{ strategy: object }>('plugin::rest-cache');
    expect(strategy).toMatchObject({
      maxAge: 3_600_000,
      clearRelatedCache: true,
      contentTypes: [
        { contentType: EDITOR },
        { contentType: CATEGORY, maxAge: 5000 },
        { contentType: 'api::article.article' },
      ],
    });
  });
});

/** Code of others puts this middleware in front of routes of its own. */
describe('recv', () => {
  it('is warned of, with what to write, and its routes answer as without the plugin', async () => {
    const warned = (path: string): unknown =>
      expect.stringContaining(
        `wants GET ${path} cached. Here a route is cached by its name, behind authentication: add routes: ['${path}'] to ` +
          'a content type in strategy.contentTypes.',
      );
    expect(application.warnings.filter((line) => line.includes('recv'))).toEqual([
      warned('/api/probe/menu'),
      warned('/api/probe/menu/:child'),
    ]);
    const answers = [await application.get('/api/probe/menu'), await application.get('/api/probe/menu')];
    expect(answers.map(({ status, cache }) => [status, cache])).toEqual([
      [200, null],
      [200, null],
    ]);
  });

  it('does not keep a route from being cached that the configuration names', async () => {
    const answers = [await application.get('/api/probe/named'), await application.get('/api/probe/named')];
    expect(answers.map(({ cache }) => cache)).toEqual(['MISS', 'HIT']);
  });
});
