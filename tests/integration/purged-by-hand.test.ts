import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { createApiToken } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';
import { expectKept, expectPurged } from './warm-entries';

/**
 * People purge by hand after a write from outside of Strapi. Responses that show the content have to be purged together
 * with its own entries.
 */

const ARTICLE = 'api::article.article';
const HOMEPAGE = '/api/homepage?populate[featured]=true';
const LIST = '/api/articles?sort=title';

const start = (clearRelatedCache: boolean): Promise<Application> =>
  startApplication({
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        enableContentApiPurge: true,
        clearRelatedCache,
        contentTypes: [
          { contentType: ARTICLE, routes: ['/api/articles/by-slug/:slug'] },
          'api::homepage.homepage',
          'api::category.category',
        ],
      },
    },
  });

let application: Application;
let admin: AdminSession;
let featured: { readonly documentId: string; readonly slug: string };
let other: { readonly documentId: string };

const documentsOf = async (path: string): Promise<Array<{ documentId: string; slug: string }>> =>
  (JSON.parse((await application.get(path)).body) as { data: Array<{ documentId: string; slug: string }> }).data;

describe('by default', () => {
  beforeAll(async () => {
    application = await start(true);
    admin = await logIn(application);
    const { data } = JSON.parse((await application.get(HOMEPAGE)).body) as {
      data: { featured: [{ documentId: string; slug: string }] };
    };
    [featured] = data.featured;
    const shown = new Set(data.featured.map(({ documentId }) => documentId));
    const rest = (await documentsOf('/api/articles?pagination[pageSize]=50')).filter(
      (each) => !shown.has(each.documentId),
    );
    other = rest[0] ?? featured;
  });

  afterAll(() => application.stop());

  const purge = (body: object): Promise<unknown> => admin.post('/rest-cache/purge', { contentType: ARTICLE, ...body });

  describe('a purge of a content type', () => {
    it.each([
      ['POST /rest-cache/purge', () => purge({})],
      [
        'POST /api/rest-cache/purge',
        async () => {
          const { headers } = await createApiToken(application, 'full-access');
          const answer = await application.request('/api/rest-cache/purge', {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify({ contentType: ARTICLE }),
          });
          expect(await answer.json()).toEqual({ entries: null });
        },
      ],
      ['clearByUid', () => application.strapi.plugin('rest-cache').service('cacheStore').clearByUid(ARTICLE)],
    ])('by %s reaches the pages that show it, and no others', async (_name, request) => {
      await expectPurged(application, [LIST, HOMEPAGE], request);
      await expectKept(application, ['/api/categories', '/api/homepage'], request);
    });

    it('is counted before, by a preview', async () => {
      await application.strapi.plugin('rest-cache').service('cacheStore').reset();
      await expectPurged(application, [LIST, HOMEPAGE], async () => {
        const { body } = await admin.post('/rest-cache/purge-preview', { contentType: ARTICLE });
        expect(body).toEqual({ entries: 2 });
        await purge({});
      });
    });
  });

  describe('a purge narrowed by params', () => {
    it.each([
      ['id', () => ({ id: featured.documentId })],
      ['an attribute', () => ({ slug: featured.slug })],
    ])('by %s reaches the document, and the lists and pages that show it', async (_name, params) => {
      const narrowed = (): Promise<unknown> => purge({ params: params() });
      await expectPurged(application, [`/api/articles/${featured.documentId}`, LIST, HOMEPAGE], narrowed);
      await expectKept(application, [`/api/articles/${other.documentId}`, '/api/homepage'], narrowed);
    });

    it('leaves pages alone that show other documents', async () => {
      await expectKept(application, [`/api/articles/${featured.documentId}`, HOMEPAGE], () =>
        purge({ params: { id: other.documentId } }),
      );
    });
  });
});

describe('where clearRelatedCache is false', () => {
  beforeAll(async () => {
    application = await start(false);
  });
  afterAll(() => application.stop());

  const update = (uid: string, documentId: string, values: object): Promise<unknown> =>
    application.strapi
      .documents(uid as typeof ARTICLE)
      .update({ documentId, data: values as never, status: 'published' });

  it('entries are kept when a related type changes, and purged when the type, its components or its join rows do', async () => {
    const { documentId, author } = (await application.strapi
      .documents(ARTICLE)
      .findFirst({ status: 'published', populate: ['author'] })) as unknown as {
      documentId: string;
      author: { documentId: string };
    };
    await expectKept(application, [`/api/articles/${documentId}?populate=author`], () =>
      update('api::author.author', author.documentId, { name: 'Unseen' }),
    );
    const path = `/api/articles/${documentId}?populate[0]=seo&populate[1]=tags`;
    for (const seen of [{ summary: 'Seen' }, { seo: { metaTitle: 'Seen too' } }, { tags: [] }])
      await expectPurged(application, [path], () => update(ARTICLE, documentId, seen));
  });

  it('a purge stays with the entries of the type', async () => {
    const clear = (): Promise<unknown> =>
      application.strapi.plugin('rest-cache').service('cacheStore').clearByUid(ARTICLE);
    await expectPurged(application, [LIST], clear);
    await expectKept(application, [HOMEPAGE], clear);
  });
});
