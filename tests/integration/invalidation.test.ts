import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { logInCustomer } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';
import { describeTransactions } from '../application/transactions';
import { askOfPurgesByHand } from './purged-by-hand';
import { expectKept, expectPurged, warm } from './warm-entries';

/** Any write to a content type invalidates its entries and those it reaches. */

const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';
const CATEGORY = 'api::category.category';
const TAG = 'api::tag.tag';
const HOMEPAGE = 'api::homepage.homepage';
const EDITOR = 'api::writer.editor';
const FILE = 'plugin::upload.file';
const USER = 'plugin::users-permissions.user';

let application: Application;
let admin: AdminSession;

beforeAll(async () => {
  application = await startApplication({
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        enableContentApiPurge: true,
        // Authors and tags are read only through articles. Their own routes are not cached.
        contentTypes: [
          { contentType: ARTICLE, routes: ['/api/reports/editorial', '/api/articles/by-slug/:slug'] },
          { contentType: CATEGORY, routes: ['/api/reports/categories'] },
          HOMEPAGE,
          EDITOR,
          { contentType: FILE, routes: ['/api/upload/files'] },
          { contentType: USER, hitpass: false, keys: { useAuth: true }, routes: ['/api/users', '/api/users/me'] },
          { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
        ],
      },
    },
  });
  admin = await logIn(application);
});

afterAll(() => application.stop());

describe('transactions, on SQLite', () => {
  describeTransactions(() => application);
});

askOfPurgesByHand(() => application);

interface Article {
  readonly documentId: string;
  readonly title: string;
  readonly slug: string;
  readonly cover: { readonly id: number; readonly documentId: string };
  readonly category: { readonly documentId: string };
  readonly author: { readonly documentId: string };
  readonly tags: ReadonlyArray<{ readonly documentId: string }>;
}

let articles: Article[];

beforeEach(async () => {
  articles = (await application.strapi.documents(ARTICLE).findMany({
    status: 'published',
    locale: 'en',
    sort: 'title',
    limit: 3,
    populate: ['cover', 'category', 'author', 'tags'],
  })) as unknown as Article[];
});

const theArticle = (): Article => {
  const [article] = articles;
  if (article === undefined) throw new Error('no article');
  return article;
};

const path = (article = theArticle()): string => `/api/articles/${article.documentId}`;
const documents = (uid: string) => application.strapi.documents(uid as typeof ARTICLE);
const data = (values: object) => values as never;
const save = (uid: string, documentId: string | undefined, values: object, more: object = {}): Promise<unknown> =>
  documents(uid).update({ documentId: documentId ?? '', data: data(values), ...more });
const publish = (uid: string, documentId: string | undefined, values: object): Promise<unknown> =>
  save(uid, documentId, values, { status: 'published' });

describe('the document service', () => {
  it('create: lists change', async () => {
    const [body] = await expectPurged(application, ['/api/editors?sort=id:desc'], () =>
      documents(EDITOR).create({ data: data({ name: 'Newcomer' }) }),
    );
    expect(body).toContain('Newcomer');
  });

  it('update: the document and the lists that show it', async () => {
    const { documentId } = theArticle();
    const bodies = await expectPurged(application, [path(), '/api/articles?sort=title&pagination[pageSize]=3'], () =>
      publish(ARTICLE, documentId, { summary: 'An updated summary' }),
    );
    for (const body of bodies) expect(body).toContain('An updated summary');
  });

  it('delete, and with a 404 that is not stored', async () => {
    const { documentId } = await documents(EDITOR).create({ data: data({ name: 'Leaving' }) });
    await warm(application, `/api/editors/${documentId}`);
    await expectPurged(application, ['/api/editors?filters[name]=Leaving'], () =>
      documents(EDITOR).delete({ documentId }),
    );
    expect((await application.get(`/api/editors/${documentId}`)).status).toBe(404);
  });

  it('clone', async () => {
    const [editor] = await documents(EDITOR).findMany({ limit: 1 });
    await expectPurged(application, ['/api/editors'], () =>
      documents(EDITOR).clone({ documentId: editor?.documentId ?? '', data: data({ name: 'A double' }) }),
    );
  });

  it('publish and unpublish', async () => {
    const { documentId } = await documents(ARTICLE).create({
      data: data({ title: 'Not yet out', slug: 'not-yet-out' }),
    });
    const list = '/api/articles?filters[slug]=not-yet-out';
    const [shown] = await expectPurged(application, [list, '/api/reports/editorial'], () =>
      documents(ARTICLE).publish({ documentId }),
    );
    expect(shown).toContain('Not yet out');
    const [hidden] = await expectPurged(application, [list, `/api/articles/${documentId}?x`].slice(0, 1), () =>
      documents(ARTICLE).unpublish({ documentId }),
    );
    expect(hidden).not.toContain('Not yet out');
  });

  it('publish again: lists sorted by the time it was published, or asking for it', async () => {
    const sort = 'sort=publishedAt:desc&pagination[pageSize]=2';
    const before = new Date().toISOString();
    const { documentId } = (await documents(ARTICLE).findFirst({
      status: 'published',
      sort: 'publishedAt',
    })) as unknown as Article;
    const paths = [
      `/api/articles?${sort}`,
      `/api/articles?${sort}&fields=title`,
      `/api/articles?${sort}&fields=title,publishedAt`,
      `/api/articles?filters[publishedAt][$gt]=${before}`,
    ];
    const bodies = await expectPurged(application, paths, () => documents(ARTICLE).publish({ documentId }));
    for (const body of bodies) expect((JSON.parse(body) as { data: Article[] }).data[0]).toMatchObject({ documentId });
  });
});

// Drafts in the admin panel, and writes of many rows: tests/differential/what-a-write-leaves.test.ts.
describe('drafts', () => {
  it('saving and discarding a draft purges nothing that visitors read', async () => {
    const { documentId } = theArticle();
    const paths = [path(), '/api/articles?sort=title', `${path()}?populate=*`, '/api/homepage?populate=*'];
    await expectKept(application, paths, () => save(ARTICLE, documentId, { title: 'Only a draft' }));
    await expectKept(application, paths, () => documents(ARTICLE).discardDraft({ documentId }));
  });

  it('creating and deleting one neither', async () => {
    await expectKept(application, [path(), '/api/articles?sort=title'], async () => {
      const { documentId } = await documents(ARTICLE).create({
        data: data({ title: 'A passing draft', slug: 'passing' }),
      });
      await documents(ARTICLE).delete({ documentId });
    });
  });

  it('but purges what shows drafts', async () => {
    const { documentId } = theArticle();
    const [body] = await expectPurged(application, [`${path()}?status=draft`], () =>
      save(ARTICLE, documentId, { title: 'A draft that is shown' }),
    );
    expect(body).toContain('A draft that is shown');
    await documents(ARTICLE).discardDraft({ documentId });
  });
});

describe('types that are not cached themselves, reached from cached ones', () => {
  it('a relation (author)', async () => {
    const { documentId } = theArticle().author;
    const [body] = await expectPurged(application, [`${path()}?populate=author`], () =>
      save(AUTHOR, documentId, { name: 'A married name' }),
    );
    expect(body).toContain('A married name');
  });

  it('a relation of a relation, and its component', async () => {
    const { documentId } = theArticle().author;
    const nested = `/api/categories/${theArticle().category.documentId}?populate[articles][populate][author][populate]=links`;
    const [body] = await expectPurged(application, [nested], () =>
      save(AUTHOR, documentId, { links: [{ label: 'Elsewhere', url: 'https://example.net/' }] }),
    );
    expect(body).toContain('https://example.net/');
  });

  it('many-to-many relations, from both sides', async () => {
    const [tag] = theArticle().tags;
    const paths = [`${path()}?populate=tags`];
    await expectPurged(application, paths, () => publish(TAG, tag?.documentId, { name: 'Renamed' }));
    const [connected] = await expectPurged(application, paths, async () => {
      const created = await documents(TAG).create({
        data: data({ name: 'Connected', slug: 'connected' }),
        status: 'published',
      });
      await publish(TAG, created.documentId, { articles: { connect: [theArticle().documentId] } });
    });
    expect(connected).toContain('Connected');
  });

  it('the other side of a one-to-many relation that is taken over', async () => {
    const [one, other] = await documents(CATEGORY).findMany({ limit: 2, sort: 'name' });
    const shown = `/api/categories/${one?.documentId}?populate=articles`;
    await publish(ARTICLE, theArticle().documentId, { category: one?.documentId });
    const [body] = await expectPurged(application, [shown], () =>
      publish(ARTICLE, theArticle().documentId, { category: other?.documentId }),
    );
    expect(body).not.toContain(theArticle().documentId);
  });

  it('a filter on a relation', async () => {
    const { documentId } = theArticle().author;
    const filtered = '/api/articles?filters[author][name][$eq]=Filtered%20for';
    const [body] = await expectPurged(application, [filtered], () =>
      save(AUTHOR, documentId, { name: 'Filtered for' }),
    );
    expect(body).toContain(theArticle().documentId);
  });

  it('entries that do not show them are kept', async () => {
    const { documentId } = theArticle().author;
    await expectKept(application, [path(), '/api/articles?sort=title', '/api/categories'], () =>
      save(AUTHOR, documentId, { bio: 'Not shown anywhere' }),
    );
  });
});

describe('components, dynamic zones and media', () => {
  it('a component', async () => {
    const { documentId } = theArticle();
    const [body] = await expectPurged(application, [`${path()}?populate=seo`], () =>
      publish(ARTICLE, documentId, { seo: { metaTitle: 'A new meta title' } }),
    );
    expect(body).toContain('A new meta title');
  });

  it('a repeatable component of a single type', async () => {
    const [homepage] = await documents(HOMEPAGE).findMany({});
    const [body] = await expectPurged(application, ['/api/homepage?populate=sections'], () =>
      publish(HOMEPAGE, homepage?.documentId, { sections: [{ title: 'Only one', text: 'left' }] }),
    );
    expect(body).toContain('Only one');
  });

  it('media in an article, in a component and in a dynamic zone', async () => {
    const { cover, documentId } = theArticle();
    await publish(ARTICLE, documentId, {
      cover: cover.id,
      seo: { metaTitle: 'With a picture', shareImage: cover.id },
      blocks: [{ __component: 'shared.gallery', title: 'Of one', images: [cover.id] }],
    });
    const paths = ['cover', 'seo.shareImage', 'blocks.images'].map((populate) =>
      populate.startsWith('blocks')
        ? `${path()}?populate[blocks][on][shared.gallery][populate]=images`
        : `${path()}?populate=${populate}`,
    );
    const bodies = await expectPurged(application, paths, () =>
      application.strapi
        .plugin('upload')
        .service('upload')
        .updateFileInfo(cover.id, { alternativeText: 'A new description' }),
    );
    for (const body of bodies) expect(body).toContain('A new description');
  });
});

describe('upload', () => {
  it('a new file appears among the files', async () => {
    const form = new FormData();
    form.append('files', new Blob(['hello'], { type: 'text/plain' }), 'greeting.txt');
    const [body] = await expectPurged(application, ['/api/upload/files'], async () => {
      const response = await application.request('/upload', {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}` },
        body: form,
      });
      expect(response.status).toBe(201);
    });
    expect(body).toContain('greeting.txt');
  });
});

describe('users-permissions', () => {
  it('a user’s change reaches lists of users and the user', async () => {
    const alice = await logInCustomer(application, 'alice');
    const bodies = await expectPurged(
      application,
      ['/api/users', '/api/users/me', '/api/orders?populate=owner'],
      () => application.strapi.service(USER).edit(alice.id, { username: 'alice-the-second' }),
      alice.headers,
    );
    expect(bodies[0]).toContain('alice-the-second');
    expect(bodies[1]).toContain('alice-the-second');
    await application.strapi.service(USER).edit(alice.id, { username: 'alice' });
  });

  it('registering over HTTP', async () => {
    const alice = await logInCustomer(application, 'alice');
    const [body] = await expectPurged(
      application,
      ['/api/users'],
      () =>
        application.request('/api/auth/local/register', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'dave', email: 'dave@example.com', password: 'Passw0rd1' }),
        }),
      alice.headers,
    );
    expect(body).toContain('dave');
  });
});

describe('the query engine (strapi.db.query) and knex', () => {
  const editors = () => application.strapi.db.query(EDITOR);

  it.each([
    ['create', () => editors().create({ data: { name: 'By query', documentId: 'by-query' } })],
    ['update', () => editors().update({ where: { documentId: 'by-query' }, data: { desk: 'Sport' } })],
    ['delete', () => editors().delete({ where: { documentId: 'by-query' } })],
    ['raw knex', () => application.strapi.db.connection('editors').update({ desk: 'Raw' })],
    ['raw SQL', () => application.strapi.db.connection.raw("update editors set desk = 'SQL'")],
  ])('%s', async (_what, write) => {
    await expectPurged(application, ['/api/editors?pagination[pageSize]=100'], write);
  });

  it('a custom controller on knex sees writes to its tables', async () => {
    await expectPurged(application, ['/api/reports/categories'], () =>
      application.strapi.db.query(CATEGORY).update({ where: { slug: 'boats' }, data: { name: 'Vessels' } }),
    );
  });

  it('a foreign key’s cascade', async () => {
    const category = (await application.strapi.db.query(CATEGORY).findOne({ where: { slug: 'food' } })) as {
      id: number;
    };
    await expectPurged(
      application,
      ['/api/reports/categories', '/api/articles?populate=category&pagination[pageSize]=100'],
      () => application.strapi.db.connection('categories').where({ id: category.id }).delete(),
    );
  });
});

describe('the admin panel, over HTTP', () => {
  const manager = `/content-manager/collection-types/${EDITOR}`;
  const send = async (method: string, url: string, body?: object): Promise<Response> => {
    const response = await application.request(url, {
      method,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    return response;
  };

  it('create, update and delete', async () => {
    const list = ['/api/editors?pagination[pageSize]=100'];
    let documentId = '';
    await expectPurged(application, list, async () => {
      const created = (await (await send('POST', manager, { name: 'Made in the panel' })).json()) as {
        data: { documentId: string };
      };
      documentId = created.data.documentId;
    });
    const [updated] = await expectPurged(application, list, () =>
      send('PUT', `${manager}/${documentId}`, { name: 'Renamed in the panel' }),
    );
    expect(updated).toContain('Renamed in the panel');
    const [deleted] = await expectPurged(application, list, () => send('DELETE', `${manager}/${documentId}`));
    expect(deleted).not.toContain('Renamed in the panel');
  });

  it('bulk unpublish and bulk publish', async () => {
    const documentIds = articles.map(({ documentId }) => documentId);
    const url = `/content-manager/collection-types/${ARTICLE}/actions`;
    const list = ['/api/articles?sort=title&pagination[pageSize]=3', '/api/reports/editorial'];
    await expectPurged(application, list, () => send('POST', `${url}/bulkUnpublish`, { documentIds }));
    await expectPurged(application, list, () => send('POST', `${url}/bulkPublish`, { documentIds }));
  });
});

describe('join rows that Strapi rewrites by itself', () => {
  it('publishing an article that the homepage features', async () => {
    const [featured] = (
      (await application.strapi
        .documents(HOMEPAGE)
        .findMany({ status: 'published', populate: ['featured'] })) as unknown as Array<{
        featured: Array<{ documentId: string }>;
      }>
    ).flatMap((homepage) => homepage.featured);
    const documentId = featured?.documentId ?? '';
    const [body] = await expectPurged(application, ['/api/homepage?populate=featured'], async () => {
      await save(ARTICLE, documentId, { title: 'Featured anew' });
      await documents(ARTICLE).publish({ documentId });
    });
    expect(body).toContain('Featured anew');
  });
});

describe('locales', () => {
  it('a translation’s change reaches its own entries, and never leaves another’s stale', async () => {
    const [french] = (await documents(ARTICLE).findMany({
      locale: 'fr',
      status: 'published',
      limit: 1,
    })) as unknown as Article[];
    const documentId = french?.documentId ?? '';
    const [body] = await expectPurged(application, [`/api/articles/${documentId}?locale=fr`], () =>
      documents(ARTICLE).update({
        documentId,
        locale: 'fr',
        data: data({ title: 'Un nouveau titre' }),
        status: 'published',
      }),
    );
    expect(body).toContain('Un nouveau titre');
  });
});
