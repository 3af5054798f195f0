import type { Core } from '@strapi/strapi';
import { probePaths } from './probe-api';

/** One response that is stored in the cache. */
export interface CachedUrl {
  readonly path: string;
  /** The JSON web token of the request. Without one it is a public request. */
  readonly token?: string | undefined;
  /** The content type that the answer belongs to, for the comparison with whole-family purging. */
  readonly family: string;
}

interface Identified {
  readonly documentId: string;
  readonly id: number;
  readonly slug?: string;
}

const find = async (strapi: Core.Strapi, uid: string, where: object, limit: number): Promise<Identified[]> =>
  (await strapi.db.query(uid).findMany({ where, orderBy: { id: 'asc' }, limit })) as Identified[];

const articleLists = [
  '',
  'sort=title&pagination[pageSize]=8',
  'sort=views:desc&pagination[pageSize]=5',
  'sort=publishedOn:desc&pagination[pageSize]=10&pagination[page]=2',
  'sort=rating&pagination[pageSize]=6',
  'sort=publishedAt:desc&pagination[pageSize]=3',
  'sort=updatedAt:desc&pagination[pageSize]=3',
  'filters[featured]=true&pagination[pageSize]=6',
  'filters[views][$gt]=15000&sort=views&pagination[pageSize]=6',
  'filters[title][$containsi]=harbour&pagination[pageSize]=6',
  'filters[author][name]=Ada Merrow&pagination[pageSize]=6',
  'filters[author][name][$startsWith]=C&sort=title&pagination[pageSize]=5',
  'filters[category][slug][$contains]=a&populate=category&pagination[pageSize]=5',
  'filters[tags][name]=Tides&populate=tags&pagination[pageSize]=4',
  'filters[author][articles][tags][name]=Fog&fields=title&sort=title',
  'filters[seo][metaTitle][$contains]=a&fields=title&pagination[pageSize]=4',
  'filters[rating][$between][0]=2&filters[rating][$between][1]=3&sort=rating,title',
  'filters[$or][0][featured]=true&filters[$or][1][views][$lt]=1000&sort=slug',
  'filters[$not][category][name][$contains]=e&sort=id&fields=slug',
  'filters[cover][alternativeText][$contains]=number 1&fields=title&pagination[pageSize]=7',
  'populate=*&pagination[pageSize]=5',
  'populate[author][populate]=*&pagination[pageSize]=3&sort=slug',
  'populate[blocks][populate]=*&pagination[pageSize]=4&sort=title',
  'populate[seo][populate]=shareImage&pagination[pageSize]=4',
  'populate=cover&populate=gallery&pagination[pageSize]=4&sort=publishedOn',
  'populate[tags][sort]=name&populate[tags][fields]=name&fields=title&pagination[pageSize]=6',
  'populate[category][populate][articles][fields]=title&pagination[pageSize]=2&sort=title',
  'locale=fr&pagination[pageSize]=5',
  'locale=fr&populate=author&sort=title&pagination[pageSize]=5',
  'locale=fr&status=draft&fields=title',
  'status=draft&sort=updatedAt:desc&pagination[pageSize]=5',
  'status=draft&filters[author][name][$startsWith]=D&fields=title',
  'fields=title&pagination[start]=2&pagination[limit]=3&sort=title',
  'fields=title,slug&sort=author.name,title&pagination[pageSize]=6',
  'sort=category.name:desc,author.name&filters[tags][name][$contains]=o&pagination[pageSize]=5&pagination[page]=2',
  'status=draft&sort=author.name:desc&fields=title&pagination[pageSize]=4',
  'pagination[withCount]=false&pagination[pageSize]=3&sort=createdAt:desc',
];

const authorLists = [
  '',
  'sort=name:desc',
  'populate=*&pagination[pageSize]=3',
  'populate[articles][populate]=category&pagination[pageSize]=2&sort=name',
  'populate[articles][count]=true&fields=name',
  'filters[articles][title][$contains]=Salt',
  'filters[links][label]=Notebook&fields=name&pagination[pageSize]=3',
  'filters[email][$endsWith]=.com&sort=email&fields=email&pagination[pageSize]=4',
];

/** At least one URL for every way of reading, chosen from the database as seeded. */
export const cachedUrls = async (strapi: Core.Strapi, token: string): Promise<CachedUrl[]> => {
  const published = { publishedAt: { $notNull: true } };
  const articles = await find(strapi, 'api::article.article', { ...published, locale: 'en' }, 10);
  const french = await find(strapi, 'api::article.article', { ...published, locale: 'fr' }, 2);
  const authors = await find(strapi, 'api::author.author', {}, 4);
  const categories = await find(strapi, 'api::category.category', {}, 3);
  const tags = await find(strapi, 'api::tag.tag', published, 3);
  const editors = await find(strapi, 'api::writer.editor', {}, 2);
  const orders = await find(strapi, 'api::order.order', { owner: { username: 'alice' } }, 2);
  const files = await find(strapi, 'plugin::upload.file', {}, 3);
  const urls: CachedUrl[] = [];
  const add = (family: string, ...paths: string[]): void => {
    for (const path of paths) urls.push({ family, path: encodeURI(path) });
  };
  const addPrivate = (family: string, ...paths: string[]): void => {
    for (const path of paths) urls.push({ family, path, token });
  };

  const article = 'api::article.article';
  add(article, ...articleLists.map((query) => `/api/articles?${query}`));
  // An article that is published again moves from one of these two lists to the other.
  const now = new Date().toISOString();
  for (const operator of ['$lt', '$gte'])
    add(article, `/api/articles?filters[publishedAt][${operator}]=${now}&sort=title&pagination[pageSize]=3`);
  const details = [
    '',
    '?populate=*',
    '?populate[author][populate]=avatar&populate[seo]=true',
    '?status=draft&populate=*',
    '?populate[blocks][populate]=*',
    '?fields=title',
    '?populate=tags',
    '?populate=category',
  ];
  articles.forEach(({ documentId }, index) =>
    add(article, `/api/articles/${documentId}${details[index % details.length] ?? ''}`),
  );
  french.forEach(({ documentId }, index) =>
    add(article, `/api/articles/${documentId}?locale=fr${index === 0 ? '' : '&populate=*'}`),
  );
  const [other] = articles;
  add(article, `/api/articles?filters[id][$ne]=${other?.id ?? 0}&sort=title&fields=title&pagination[pageSize]=4`);
  for (const { slug = '' } of articles.slice(0, 3)) add(article, `/api/articles/by-slug/${slug}`);
  add(article, '/api/reports/editorial', '/api/sitemap.xml', ...probePaths);

  const author = 'api::author.author';
  add(author, ...authorLists.map((query) => `/api/authors?${query}`), '/api/reports/top-authors');
  authors.forEach(({ documentId }, index) =>
    add(
      author,
      `/api/authors/${documentId}${['', '?populate=*', '?populate[articles][fields]=title', '?populate=links'][index] ?? ''}`,
    ),
  );

  const category = 'api::category.category';
  add(
    category,
    '/api/categories',
    '/api/categories?populate=articles&pagination[pageSize]=2',
    '/api/categories?sort=name&fields=name',
    '/api/reports/categories',
    '/api/brochure.pdf',
  );
  categories.forEach(({ documentId }, index) =>
    add(category, `/api/categories/${documentId}${index === 0 ? '?populate=*' : ''}`),
  );

  const tag = 'api::tag.tag';
  add(
    tag,
    '/api/tags',
    '/api/tags?populate=articles&pagination[pageSize]=2',
    '/api/tags?status=draft&sort=name',
    '/api/tags?filters[articles][featured]=true&fields=name',
  );
  tags.forEach(({ documentId }, index) => add(tag, `/api/tags/${documentId}${index === 0 ? '?populate=*' : ''}`));

  const homepage = 'api::homepage.homepage';
  add(
    homepage,
    '/api/homepage',
    '/api/homepage?populate=*',
    '/api/homepage?populate[hero][populate]=image&populate[featured][populate]=author',
    '/api/homepage?status=draft&populate=*',
  );

  const editor = 'api::writer.editor';
  add(
    editor,
    '/api/editors',
    '/api/editors?sort=desk,name',
    ...editors.map(({ documentId }) => `/api/editors/${documentId}`),
  );

  addPrivate(
    'api::order.order',
    '/api/orders',
    '/api/orders?sort=total:desc',
    ...orders.map(({ documentId }) => `/api/orders/${documentId}`),
  );
  addPrivate(
    'plugin::users-permissions.user',
    '/api/users',
    '/api/users?populate=role',
    '/api/users/me',
    '/api/users/1',
  );
  add(
    'plugin::upload.file',
    '/api/upload/files',
    '/api/upload/files?sort=name:desc',
    ...files.map(({ id }) => `/api/upload/files/${id}`),
  );
  return urls;
};
