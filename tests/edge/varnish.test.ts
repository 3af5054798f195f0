import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { rawRequest, type RawResponse } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { hasVarnish, PurgeProxy, Varnish } from './varnish';

/** "The edge": what is read through Varnish after a write was acknowledged is never older than the write. */

const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';
const TAG = 'api::tag.tag';

/** Reads after writes; `EDGE_READS=10000` for more. */
const READS = Number(process.env.EDGE_READS ?? 1500);

const waitUntil = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 300) throw new Error('it never came to that');
    await delay(100);
  }
};

describe.runIf(hasVarnish())('through Varnish', () => {
  let application: Application;
  let varnish: Varnish;
  let proxy: PurgeProxy;
  let documentIds: string[];
  let urls: string[];

  beforeAll(async () => {
    proxy = await PurgeProxy.start();
    application = await startApplication({
      restCache: {
        strategy: {
          enableEtag: true,
          enableXCacheHeaders: true,
          contentTypes: [ARTICLE, AUTHOR, TAG, 'api::category.category', 'api::homepage.homepage'],
          edge: { header: 'xkey', maxAge: 3_600_000, targets: [{ name: 'varnish', url: proxy.url }] },
        },
      },
    });
    varnish = await Varnish.start(application.origin);
    proxy.upstream = varnish.origin;
    // What the start purges, and repeats.
    await waitUntil(() => proxy.purges.length === 2);
    const articles = await application.strapi
      .documents(ARTICLE)
      .findMany({ status: 'published', fields: ['documentId'], limit: 8, sort: 'id' });
    documentIds = articles.map(({ documentId }) => documentId);
    urls = [
      '/api/articles',
      '/api/articles?sort=title&pagination[pageSize]=5',
      '/api/articles?populate=*&pagination[pageSize]=10',
      '/api/articles?filters[author][name][$contains]=a&pagination[pageSize]=5',
      '/api/articles?filters[tags][name][$contains]=e&populate=tags&pagination[pageSize]=5',
      '/api/authors?populate=articles',
      '/api/tags',
      '/api/categories?populate=*',
      '/api/homepage?populate=*',
      ...documentIds.flatMap((id) => [`/api/articles/${id}`, `/api/articles/${id}?populate=*`]),
    ];
  });

  afterAll(async () => {
    await varnish.stop();
    await application.stop();
    proxy.stop();
  });

  beforeEach(() => {
    proxy.does = 'pass';
  });

  const read = (url: string, headers = {}): Promise<RawResponse> => rawRequest(varnish, url, { headers });

  /** Varnish names the request that fetched an answer beside the one that is given it. */
  const isFromVarnish = ({ headers }: RawResponse): boolean => String(headers['x-varnish']).includes(' ');

  const retitle = async (documentId: string, title: string): Promise<void> => {
    await application.strapi.documents(ARTICLE).update({ documentId, data: { title } as never, status: 'published' });
  };

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

  it('purges no key that was not handed out', async () => {
    const [changed = ''] = documentIds;
    const path = `/api/articles/${changed}`;
    const asked = async (method: string) => (await rawRequest(application, path, { method })).headers.xkey;
    await asked('GET');
    const keys = await asked('GET');
    const { headers } = await rawRequest(application, path);
    const unmodified = await rawRequest(application, path, { headers: { 'if-none-match': String(headers.etag) } });
    // Misses, hits of either lane, HEAD and 304 carry the same.
    expect([await asked('GET'), await asked('HEAD'), unmodified.status, unmodified.headers.xkey]).toEqual([
      keys,
      keys,
      304,
      keys,
    ]);
    const from = proxy.purges.length;
    await retitle(changed, 'Few keys');
    const purged = new Set(proxy.purges.slice(from).flat());
    expect(purged.size).toBeGreaterThan(0);
    expect(purged.size).toBeLessThan(40);
  });

  it('forgets what a permission had allowed', async () => {
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

  it('keeps nothing that is one caller’s', async () => {
    const { status, headers } = await read('/api/articles', { authorization: 'Bearer nobody' });
    expect([status, headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it(`is never stale in ${READS} reads after acknowledged writes`, async () => {
    const { strapi } = application;
    const names = ['Ada', 'Bea', 'Cea', 'Dea'];
    const authors = await strapi.documents(AUTHOR).findMany({ fields: ['documentId'], limit: 4 });
    const writes: Array<(round: number) => Promise<unknown>> = [
      (round) => retitle(documentIds[round % documentIds.length] ?? '', `Title ${round}`),
      (round) =>
        strapi.documents(AUTHOR).update({
          documentId: authors[round % authors.length]?.documentId ?? '',
          data: { name: `${names[round % names.length]} ${round}` } as never,
        }),
      (round) =>
        strapi.db
          .connection('tags')
          .where('id', '>', 0)
          .limit(1)
          .update({ name: `Tag ${round}` }),
      (round) =>
        strapi.documents(ARTICLE).create({
          data: { title: `A ${round}`, slug: `edge-${round}`, body: 'New' } as never,
          status: 'published',
        }),
    ];
    const stale: string[] = [];
    let [reads, fromVarnish] = [0, 0];
    for (let round = 0; reads < READS; round += 1) {
      await writes[round % writes.length]?.(round);
      const answers = await Promise.all(
        urls.map(async (url) => [url, await read(url), await rawRequest(application, url)] as const),
      );
      reads += answers.length;
      for (const [url, edge, origin] of answers) {
        expect([edge.status, origin.status]).toEqual([200, 200]);
        if (isFromVarnish(edge)) fromVarnish += 1;
        if (!edge.body.equals(origin.body)) stale.push(`${round} ${url}`);
      }
    }
    expect(stale).toEqual([]);
    console.log(`${reads} reads, ${fromVarnish} answered by Varnish`);
    // What a write does not concern stays there.
    expect(fromVarnish).toBeGreaterThan(reads / 5);
  }, 600_000);

  it.each(['refuse', 'lose'] as const)(
    'recovers from purges that are met with “%s”',
    async (does) => {
      const [changed = ''] = documentIds;
      const path = `/api/articles/${changed}`;
      await read(path);
      await retitle(changed, 'Before');
      proxy.does = does;
      const startedAt = Date.now();
      await retitle(changed, `During ${does}`);
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      expect(application.warnings.join('\n')).toContain('the edge target varnish is behind with its purges');
      // Nothing new is kept.
      expect((await read(`/api/articles?pagination[start]=${Date.now() % 1000}`)).headers['cache-control']).toBe(
        'public, no-cache',
      );
      proxy.does = 'pass';
      await waitUntil(async () => (await read(path)).body.toString().includes(`During ${does}`));
      await waitUntil(async () => String((await read(path)).headers['cache-control']).includes('s-maxage'));
    },
    120_000,
  );
});
