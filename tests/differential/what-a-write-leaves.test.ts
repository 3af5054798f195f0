import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { bulkWrites } from './bulk-writes';
import { configuration } from './configuration';
import { logInCustomer } from './customer';
import { probeFiles, VIEWED } from './probe-api';
import { cachedUrls, type CachedUrl } from './urls';
import { settings } from './settings';
import { watching } from './watched';
import type { Row } from './content';
import { ARTICLE, AUTHOR, CATEGORY, EDITOR, FILE, ROLE, TAG, USER, World } from './world';
import { mediaWrites } from './writes/media';

let application: Application;
let world: World;
let token: string;
let everything: CachedUrl[];
let articles: Row[];

beforeAll(async () => {
  application = await startApplication({
    restCache: configuration('front'),
    files: probeFiles,
    environment: settings.environment,
  });
  world = await World.of(application, 7);
  token = await logInCustomer(application);
  everything = await cachedUrls(application.strapi, token);
  articles = await world.rows(ARTICLE, { locale: 'en', publishedAt: { $notNull: true } });
});

afterAll(() => application.stop());

const article = (index: number): Row => {
  const row = articles[index];
  if (row === undefined) throw new Error(`there is no article ${index}`);
  return row;
};

/**
 * URLs that drafts may purge. Some show drafts as well: those with `status=draft`, raw SQL over both statuses, and a
 * relation from a type without drafts, for which Strapi itself reads both. Others are purged by drafts although nothing
 * in them changes: lists sorted by a relation's field, and lists filtered by a component's.
 */
const DEPEND_ON_DRAFTS = [
  'status=draft',
  '/probe/',
  'authors?filters%5Barticles',
  'sort=author.name',
  'sort=category.name',
  'filters%5Bseo%5D',
];

/** The URLs that visitors read. */
const visited = (): CachedUrl[] =>
  everything.filter(
    ({ path, token: caller }) => caller === undefined && !DEPEND_ON_DRAFTS.some((part) => path.includes(part)),
  );

const save = (documentId: string, body: object): Promise<unknown> =>
  world.admin('PUT', `/content-manager/collection-types/${ARTICLE}/${documentId}`, body);

const media = (name: string): Promise<unknown> => {
  const kind = mediaWrites.find((candidate) => candidate.name === name);
  if (kind === undefined) throw new Error(`${name} is no kind of write`);
  return kind.run(world);
};

/** Writes, each with URLs that it leaves alone. */
type LeftAlone = readonly [urls: ReadonlyArray<string | CachedUrl>, write: () => Promise<unknown>];

const LEFT_ALONE: Readonly<Record<string, () => LeftAlone | Promise<LeftAlone>>> = {
  'saving a draft in the admin panel: what visitors read': () => [
    visited(),
    () => save(article(3).documentId, { title: 'A draft', views: 3, featured: true }),
  ],
  'saving a draft through the document service: what visitors read': () => [
    visited(),
    () =>
      world.edit(ARTICLE, article(4), {
        title: 'Another draft',
        seo: { metaTitle: 'Draft' },
        blocks: [{ __component: 'shared.quote', text: 'Draft' }],
      }),
  ],
  'editing relations of a draft: the published details': async () => {
    const [author, tag] = [await world.any(AUTHOR), await world.any(TAG, { publishedAt: null })];
    const relations = {
      author: { connect: [{ documentId: author.documentId }] },
      tags: { connect: [{ documentId: tag.documentId }] },
    };
    const details = articles.slice(0, 30).map((row) => `/api/articles/${row.documentId}?populate=*`);
    return [details, () => save(article(5).documentId, relations)];
  },
  'publishing an article: unrelated types': () => {
    const related = [ARTICLE, AUTHOR, CATEGORY, TAG, 'api::homepage.homepage'];
    const unrelated = everything.filter(({ family }) => !related.includes(family));
    expect(unrelated.length).toBeGreaterThan(10);
    return [unrelated, () => world.edit(ARTICLE, article(1), { title: 'Out' }, 'published')];
  },
  'publishing an article: pages in the order of primary keys that end before it': () => [
    ['/api/articles', '/api/articles?populate=author&pagination[pageSize]=5'],
    () => world.edit(ARTICLE, article(articles.length - 1), { body: 'Later' }, 'published'),
  ],
  'moving a user to another role: the orders of each user': async () => {
    const role = await world.query(ROLE).create({ data: { name: 'Wholesale', type: 'wholesale' } });
    const users = application.strapi.plugin('users-permissions').service<{
      edit(id: number, data: object): Promise<unknown>;
    }>('user');
    const bob = await world.any(USER, { username: 'bob' });
    const orders = everything.filter(({ path }) => path.startsWith('/api/orders'));
    expect(orders.length).toBeGreaterThan(2);
    return [orders, () => users.edit(bob.id, { role: role.id })];
  },
  "a token's use: everything": () => [
    everything,
    () => world.query('admin::api-token').updateMany({ where: {}, data: { lastUsedAt: new Date() } }),
  ],
  "other keys of Strapi's settings: everything": () => [
    everything,
    () => world.strapi.store({ type: 'plugin', name: 'other' }).set({ key: 'k', value: 'v' }),
  ],
  'a session: everything': () => [
    everything,
    () => world.admin('POST', '/admin/login', { email: 'admin@example.com', password: 'Passw0rd1' }),
  ],
  'a write that changes nothing: everything': async () => {
    const { id, description } = await world.any(CATEGORY);
    return [everything, () => world.query(CATEGORY).updateMany({ where: { id }, data: { description } })];
  },
  'a log of the application: everything': async () => {
    await world.knex.schema.createTable('audit_lines', (table) => {
      table.increments('id');
      table.string('line');
    });
    return [everything, async () => world.knex('audit_lines').insert({ line: 'seen' })];
  },
};

it.each(Object.entries(LEFT_ALONE))('%s is left alone', async (_what, prepare) => {
  const [urls, write] = await prepare();
  expect(urls.length).toBeGreaterThan(1);
  expect((await watching(application, urls, write)).invalidated).toEqual([]);
});

describe('publishing one of 200 articles', () => {
  it('leaves the details of the others alone, with and without their relations', async () => {
    const { documentId } = article(0);
    const details = articles.flatMap((row) => [
      `/api/articles/${row.documentId}`,
      `/api/articles/${row.documentId}?populate=*`,
    ]);
    await save(documentId, { title: 'Ready to go', body: 'New' });
    const { invalidated } = await watching(application, details, () =>
      world.admin('POST', `/content-manager/collection-types/${ARTICLE}/${documentId}/actions/publish`, {}),
    );
    expect(articles.length).toBeGreaterThanOrEqual(200);
    expect([...invalidated].sort()).toEqual([`/api/articles/${documentId}`, `/api/articles/${documentId}?populate=*`]);
  }, 240_000);
});

it('changing one field leaves lists alone that neither contain the article nor filter or sort by the field', async () => {
  const [shown] = await world.rows(ARTICLE, {
    locale: 'en',
    publishedAt: { $notNull: true },
    title: { $startsWith: 'Z' },
  });
  const changed = shown ?? article(60);
  const lists = [
    '/api/articles?sort=title&pagination[pageSize]=5',
    '/api/articles?sort=publishedOn&pagination[pageSize]=5',
    '/api/articles?filters[featured]=true&sort=title&pagination[pageSize]=3',
    '/api/articles?filters[author][name]=Nobody',
  ];
  const { invalidated } = await watching(
    application,
    [...lists, '/api/articles?sort=views:desc&pagination[pageSize]=3'],
    () => world.documents(ARTICLE).update({ documentId: changed.documentId, data: { views: 1 }, status: 'published' }),
  );
  expect(invalidated.filter((path) => lists.includes(path))).toEqual([]);
});

it('editing an author invalidates only what contains or filters by that author', async () => {
  const [author, other] = await world.rows(AUTHOR);
  if (author === undefined || other === undefined) throw new Error('there are no authors');
  const [hers] = await world.rows(ARTICLE, {
    author: { id: author.id },
    publishedAt: { $notNull: true },
    locale: 'en',
  });
  const [others] = await world.rows(ARTICLE, {
    author: { id: other.id },
    publishedAt: { $notNull: true },
    locale: 'en',
  });
  const concerned = [
    `/api/authors/${author.documentId}`,
    '/api/authors',
    `/api/articles/${hers?.documentId ?? ''}?populate=author`,
    '/api/articles?filters[author][name]=Ada%20Merrow',
  ];
  const unconcerned = [
    `/api/authors/${other.documentId}`,
    `/api/articles/${hers?.documentId ?? ''}`,
    `/api/articles/${others?.documentId ?? ''}?populate=author`,
    '/api/articles',
    '/api/articles?filters[author][email][$contains]=@',
    '/api/categories?populate=articles',
    '/api/tags',
    '/api/homepage?populate=*',
  ];
  const { invalidated } = await watching(application, [...concerned, ...unconcerned], () =>
    world.documents(AUTHOR).update({ documentId: author.documentId, data: { name: 'Ada Merrow the Elder' } }),
  );
  expect([...invalidated].sort()).toEqual(concerned.sort());
});

describe('writes beneath documents', () => {
  const lists = ['/api/editors', '/api/categories'];
  it.each<readonly [string, () => Promise<unknown>]>([
    ...bulkWrites(() => world),
    [
      'a CTE that writes',
      () =>
        world.knex.raw(
          "with one as (select min(id) as id from editors) update editors set name = 'Una' where id in (select id from one)",
        ),
    ],
    [
      'a write while a data transfer has disabled lifecycles',
      async () => {
        world.strapi.db.lifecycles.disable();
        try {
          await world.query(EDITOR).create({ data: { name: 'Transferred', documentId: 'transferred' } });
        } finally {
          world.strapi.db.lifecycles.enable();
        }
      },
    ],
  ])('%s invalidates what shows it, and nothing else', async (_name, write) => {
    expect(await watching(application, lists, write)).toEqual({
      invalidated: ['/api/editors'],
      changed: ['/api/editors'],
    });
  });

  it.each(['media: replace the file', 'media: delete', 'media: alternative text'])('%s shows', async (name) => {
    const pages = ['/api/upload/files', '/api/categories'];
    expect((await watching(application, pages, () => media(name))).changed).toEqual(['/api/upload/files']);
  });

  it('deleting a picture shows where it was used', async () => {
    const [file] = await world.rows(FILE, { mime: 'image/png' });
    const { id = 0 } = file ?? {};
    const [user] = await world.rows(ARTICLE, { cover: { id }, publishedAt: { $notNull: true }, locale: 'en' });
    const path = `/api/articles/${user?.documentId ?? ''}?populate=cover`;
    const upload = application.strapi.plugin('upload').service<{ remove(row: unknown): Promise<unknown> }>('upload');
    expect((await watching(application, [path], () => upload.remove(file))).changed).toEqual([path]);
  });
});

/** Publishing deletes the published row and inserts another. Each of these answers was stale once. */
describe('an article that got another primary key by being published again shows', () => {
  const publish = (): Promise<unknown> =>
    world
      .documents(ARTICLE)
      .update({ documentId: article(8).documentId, data: { body: world.random.words() }, status: 'published' });

  it.each(['/api/probe/knex-last-id', '/api/probe/knex-references', '/api/probe/knex-beyond'])(
    'in %s',
    async (path) => {
      // Published just before the comparison begins. Otherwise the row in question might be out of the range already.
      const { changed } = await watching(application, [path], async () => {
        articles = await world.rows(ARTICLE, { locale: 'en', publishedAt: { $notNull: true } });
        await publish();
      });
      expect(changed).toEqual([path]);
    },
  );

  it('in a list that leaves out the primary key it had', async () => {
    const { id } = await world.anyPublished({ documentId: article(9).documentId });
    const path = `/api/articles?filters[id][$ne]=${id}&sort=title&fields=title`;
    const { changed } = await watching(application, [path], () =>
      world.documents(ARTICLE).publish({ documentId: article(9).documentId }),
    );
    expect(changed).toEqual([path]);
  });
});

describe('a view of the database', () => {
  beforeAll(async () => {
    await world.knex.raw("create view shown_editors as select id, name from editors where name not like 'Z%'");
  });

  it('is never answered from the cache, for nobody knows which tables it shows', async () => {
    const names = async (): Promise<string> => (await application.get(VIEWED)).body;
    const before = await names();
    expect(await names()).toBe(before);
    await world.query(EDITOR).create({ data: { name: 'Anew', documentId: 'anew' } });
    expect(await names()).toContain('Anew');
  });
});
