import { describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { createApiToken, grant, revoke } from '../application/callers';
import type { Application } from '../application/start-application';
import { runningApplication } from './running-application';
import { expectKept, expectPurged, warm } from './warm-entries';

/** `enableDocumentServiceMiddleware`, `enableAdminCTBMiddleware` and `clearRelatedCache`. `precision`: tests/differential. */

const ARTICLE = 'api::article.article';

const createInPanel = async (application: Application): Promise<void> => {
  const admin = await logIn(application);
  const path = '/content-manager/collection-types/api::writer.editor';
  expect((await admin.post(path, { name: 'In the panel' })).status).toBeLessThan(300);
};

/** Prepares to create an editor of this name through the content API. */
const overHttp = async (application: Application, route: string, name: string): Promise<() => Promise<void>> => {
  const { headers } = await createApiToken(application, 'full-access');
  return async () => {
    const response = await application.request(route, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { name } }),
    });
    expect(response.status).toBe(201);
  };
};

describe('enableDocumentServiceMiddleware: false', () => {
  const path = '/api/editors?pagination[pageSize]=100';

  const application = runningApplication(
    {},
    {
      enableDocumentServiceMiddleware: false,
      contentTypes: ['api::writer.editor'],
    },
  );

  it('a write of the application itself is not observed', async () => {
    await expectKept(application, [path], () =>
      application.strapi.documents('api::writer.editor').create({ data: { name: 'Unobserved' } as never }),
    );
  });

  it('a write of the admin panel is observed, with enableAdminCTBMiddleware (default)', async () => {
    await expectPurged(application, [path], () => createInPanel(application));
  });
});

describe('enableDocumentServiceMiddleware: false and enableAdminCTBMiddleware: false', () => {
  const application = runningApplication(
    {},
    {
      enableDocumentServiceMiddleware: false,
      enableAdminCTBMiddleware: false,
      contentTypes: ['api::writer.editor', 'api::tag.tag'],
    },
  );

  it('a permission that a write of the application itself revokes is revoked all the same', async () => {
    await warm(application, '/api/tags?fields=name');
    await revoke(application, 'public', 'api::tag.tag.find');
    expect((await application.get('/api/tags?fields=name')).status).toBe(403);
    await grant(application, 'public', 'api::tag.tag.find');
    expect((await application.get('/api/tags?fields=name')).cache).toBe('HIT');
  });

  it('a write that arrives on an HTTP write route is observed, however its path is spelled', async () => {
    const write = await overHttp(application, '/API/Editors', 'In capitals');
    const [body] = await expectPurged(application, ['/api/editors?sort=name'], write);
    expect(body).toContain('In capitals');
  });

  it('a write of the admin panel is not observed', async () => {
    await expectKept(application, ['/api/editors'], () => createInPanel(application));
  });
});

describe('clearRelatedCache: false', () => {
  const application = runningApplication(
    {},
    {
      clearRelatedCache: false,
      contentTypes: [ARTICLE, 'api::homepage.homepage', 'api::category.category'],
    },
  );

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
    const clear = (): Promise<unknown> => cacheStore(application).clearByUid(ARTICLE);
    await expectPurged(application, ['/api/articles?sort=title'], clear);
    await expectKept(application, ['/api/homepage?populate[featured]=true'], clear);
  });
});
