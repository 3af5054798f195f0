import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Documents } from '../differential/content';
import { logIn, type AdminSession } from '../application/admin-session';
import { logInCustomer } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';
import { describeTransactions } from '../application/transactions';
import { askOfPurgesByHand } from './purged-by-hand';
import { expectPurged } from './warm-entries';

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
const documents = (uid: string): Documents => application.strapi.documents(uid as never) as unknown as Documents;
const save = (uid: string, documentId = '', data: Record<string, unknown> = {}): Promise<unknown> =>
  documents(uid).update({ documentId, data });
const publish = (uid: string, documentId = '', data: Record<string, unknown> = {}): Promise<unknown> =>
  documents(uid).update({ documentId, data, status: 'published' });
const first = async (uid: string, parameters: object = {}): Promise<Article> =>
  (await application.strapi.documents(uid as never).findFirst(parameters)) as unknown as Article;

/** A request of the admin panel. */
const send = async (method: string, url: string, body?: object | FormData): Promise<Response> => {
  const isForm = body instanceof FormData;
  const response = await application.request(url, {
    method,
    headers: { authorization: `Bearer ${admin.token}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return response;
};

/** A write, and the paths whose entries it purges. */
interface Purging {
  readonly paths: readonly string[];
  readonly write: () => Promise<unknown>;
  /** What the new answers of all these paths contain. */
  readonly shows?: string;
  readonly hides?: string;
  /** Further paths that it purges. */
  readonly also?: readonly string[];
  /** Of those who read the paths. */
  readonly headers?: Record<string, string>;
}

const MANAGER = `/content-manager/collection-types/${EDITOR}`;
const EDITORS = '/api/editors?pagination[pageSize]=100';
const LATEST = '/api/articles?sort=title&pagination[pageSize]=3';

const WRITES: Readonly<Record<string, (article: Article) => Purging | Promise<Purging>>> = {
  'document service: create changes lists': () => ({
    paths: ['/api/editors?sort=id:desc'],
    write: () => documents(EDITOR).create({ data: { name: 'Newcomer' } }),
    shows: 'Newcomer',
  }),
  'document service: update changes the document and the lists that show it': ({ documentId }) => ({
    paths: [path(), LATEST],
    write: () => publish(ARTICLE, documentId, { summary: 'An updated summary' }),
    shows: 'An updated summary',
  }),
  'what shows drafts, by a draft': ({ documentId }) => ({
    paths: [`${path()}?status=draft`],
    write: () => save(ARTICLE, documentId, { title: 'A draft that is shown' }),
    shows: 'A draft that is shown',
  }),
  'a relation of a type that is not cached itself': ({ author }) => ({
    paths: [`${path()}?populate=author`],
    write: () => save(AUTHOR, author.documentId, { name: 'A married name' }),
    shows: 'A married name',
  }),
  'a relation of a relation, and its component': ({ author, category }) => ({
    paths: [`/api/categories/${category.documentId}?populate[articles][populate][author][populate]=links`],
    write: () => save(AUTHOR, author.documentId, { links: [{ label: 'Elsewhere', url: 'https://example.net/' }] }),
    shows: 'https://example.net/',
  }),
  'a many-to-many relation, from the other side': async ({ documentId }) => {
    const tag = await documents(TAG).create({ data: { name: 'Connected', slug: 'connected' }, status: 'published' });
    return {
      paths: [`${path()}?populate=tags`],
      write: () => publish(TAG, tag.documentId, { articles: { connect: [documentId] } }),
      shows: 'Connected',
    };
  },
  'the other side of a one-to-many relation that is taken over': async ({ documentId }) => {
    const [one, other] = await application.strapi.documents(CATEGORY).findMany({ limit: 2, sort: 'name' });
    await publish(ARTICLE, documentId, { category: one?.documentId });
    return {
      paths: [`/api/categories/${one?.documentId}?populate=articles`],
      write: () => publish(ARTICLE, documentId, { category: other?.documentId }),
      hides: documentId,
    };
  },
  'a filter on a relation': ({ author, documentId }) => ({
    paths: ['/api/articles?filters[author][name][$eq]=Filtered%20for'],
    write: () => save(AUTHOR, author.documentId, { name: 'Filtered for' }),
    shows: documentId,
  }),
  'a repeatable component of a single type': async () => {
    const { documentId } = await first(HOMEPAGE);
    return {
      paths: ['/api/homepage?populate=sections'],
      write: () => publish(HOMEPAGE, documentId, { sections: [{ title: 'Only one', text: 'left' }] }),
      shows: 'Only one',
    };
  },
  'media in an article, in a component and in a dynamic zone': async ({ cover, documentId }) => {
    await publish(ARTICLE, documentId, {
      cover: cover.id,
      seo: { metaTitle: 'With a picture', shareImage: cover.id },
      blocks: [{ __component: 'shared.gallery', title: 'Of one', images: [cover.id] }],
    });
    const upload = application.strapi.plugin('upload').service('upload');
    return {
      paths: ['populate=cover', 'populate=seo.shareImage', 'populate[blocks][on][shared.gallery][populate]=images'].map(
        (populate) => `${path()}?${populate}`,
      ),
      write: () => upload.updateFileInfo(cover.id, { alternativeText: 'A new description' }) as Promise<unknown>,
      shows: 'A new description',
    };
  },
  'a new file': () => {
    const form = new FormData();
    form.append('files', new Blob(['hello'], { type: 'text/plain' }), 'greeting.txt');
    return { paths: ['/api/upload/files'], write: () => send('POST', '/upload', form), shows: 'greeting.txt' };
  },
  knex: () => ({ paths: [EDITORS], write: () => application.strapi.db.connection('editors').update({ desk: 'Raw' }) }),
  'raw SQL': () => ({
    paths: [EDITORS],
    write: () => application.strapi.db.connection.raw("update editors set desk = 'SQL'"),
  }),
  'a custom controller on knex, by a write to its tables': () => ({
    paths: ['/api/reports/categories'],
    write: () => application.strapi.db.query(CATEGORY).update({ where: { slug: 'boats' }, data: { name: 'Vessels' } }),
  }),
  'a foreign key’s cascade': async () => {
    const { id } = (await application.strapi.db.query(CATEGORY).findOne({ where: { slug: 'food' } })) as { id: number };
    return {
      paths: ['/api/reports/categories', '/api/articles?populate=category&pagination[pageSize]=100'],
      write: () => application.strapi.db.connection('categories').where({ id }).delete(),
    };
  },
  'the panel: update': async () => {
    const { documentId } = await first(EDITOR);
    return {
      paths: [EDITORS],
      write: () => send('PUT', `${MANAGER}/${documentId}`, { name: 'Renamed in the panel' }),
      shows: 'Renamed in the panel',
    };
  },
  'join rows that Strapi rewrites by itself: an article that the homepage features': async () => {
    const [homepage] = (await application.strapi
      .documents(HOMEPAGE)
      .findMany({ status: 'published', populate: ['featured'] })) as unknown as Array<{ featured: Article[] }>;
    const documentId = homepage?.featured[0]?.documentId ?? '';
    return {
      paths: ['/api/homepage?populate=featured'],
      write: async () => {
        await save(ARTICLE, documentId, { title: 'Featured anew' });
        await documents(ARTICLE).publish({ documentId });
      },
      shows: 'Featured anew',
    };
  },
  'a change of a user': async () => {
    const { id, headers } = await logInCustomer(application, 'alice');
    return {
      headers,
      paths: ['/api/users', '/api/users/me'],
      also: ['/api/orders?populate=owner'],
      write: () => application.strapi.service(USER).edit(id, { username: 'alice-the-second' }) as Promise<unknown>,
      shows: 'alice-the-second',
    };
  },
  'a translation': async () => {
    const { documentId } = await first(ARTICLE, { locale: 'fr', status: 'published' });
    const data = { title: 'Un nouveau titre' };
    return {
      paths: [`/api/articles/${documentId}?locale=fr`],
      write: () => documents(ARTICLE).update({ documentId, locale: 'fr', data, status: 'published' }),
      shows: 'Un nouveau titre',
    };
  },
};

describe('a write purges', () => {
  it.each(Object.entries(WRITES))('%s', async (_what, prepare) => {
    const { paths, write, shows = '', hides, also = [], headers } = await prepare(theArticle());
    const bodies = await expectPurged(application, [...paths, ...also], write, headers);
    for (const body of bodies.slice(0, paths.length)) {
      expect(body).toContain(shows);
      if (hides !== undefined) expect(body).not.toContain(hides);
    }
  });

  it('lists when an article is published, and when it is unpublished', async () => {
    const { documentId } = await documents(ARTICLE).create({ data: { title: 'Not yet out', slug: 'not-yet-out' } });
    const list = '/api/articles?filters[slug]=not-yet-out';
    const [shown] = await expectPurged(application, [list, '/api/reports/editorial'], () =>
      documents(ARTICLE).publish({ documentId }),
    );
    expect(shown).toContain('Not yet out');
    const [hidden] = await expectPurged(application, [list], () => documents(ARTICLE).unpublish({ documentId }));
    expect(hidden).not.toContain('Not yet out');
  });

  it('lists sorted by the time of publication, or asking for it, when one is published again', async () => {
    const sort = 'sort=publishedAt:desc&pagination[pageSize]=2';
    const before = new Date().toISOString();
    const { documentId } = await first(ARTICLE, { status: 'published', sort: 'publishedAt' });
    const paths = [
      `/api/articles?${sort}`,
      `/api/articles?${sort}&fields=title`,
      `/api/articles?${sort}&fields=title,publishedAt`,
      `/api/articles?filters[publishedAt][$gt]=${before}`,
    ];
    const bodies = await expectPurged(application, paths, () => documents(ARTICLE).publish({ documentId }));
    for (const body of bodies) expect((JSON.parse(body) as { data: Article[] }).data[0]).toMatchObject({ documentId });
  });

  it('lists and custom controllers, when many are unpublished and published again in the panel', async () => {
    const documentIds = articles.map(({ documentId }) => documentId);
    const url = `/content-manager/collection-types/${ARTICLE}/actions`;
    for (const action of ['bulkUnpublish', 'bulkPublish'])
      await expectPurged(application, [LATEST, '/api/reports/editorial'], () =>
        send('POST', `${url}/${action}`, { documentIds }),
      );
  });
});
