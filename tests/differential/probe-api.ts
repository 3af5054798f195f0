/**
 * Routes as applications write them, in addition to the playground's: the query engine, knex and the document service
 * directly in a controller. Compiled, as `startApplication` takes them.
 */
const reads: Readonly<Record<string, string>> = {
  'query-list': `strapi.db.query('api::article.article').findMany({
    select: ['id', 'title', 'views'], where: { publishedAt: { $notNull: true }, locale: 'en', views: { $gt: 12000 } }, orderBy: { views: 'desc' }, limit: 8 })`,
  'query-populate': `strapi.db.query('api::article.article').findMany({
    where: { author: { name: { $startsWith: 'E' } }, publishedAt: { $notNull: true } }, populate: { author: true, tags: { select: ['name'] }, cover: true }, orderBy: { id: 'asc' }, limit: 4 })`,
  'query-one': `strapi.db.query('api::author.author').findOne({ where: { name: 'Basil Quint' }, populate: ['articles'] })`,
  'query-count': `strapi.db.query('api::article.article').count({ where: { featured: true } })`,
  'query-page': `strapi.db.query('api::category.category').findPage({ page: 1, pageSize: 3, orderBy: { name: 'asc' } })`,
  'query-join-filter': `strapi.db.query('api::author.author').findMany({
    where: { articles: { category: { name: { $contains: 'a' } }, featured: true } }, orderBy: [{ name: 'asc' }] })`,
  users: `strapi.db.query('plugin::users-permissions.user').findMany({ select: ['id', 'username', 'email'], populate: { role: { select: ['name'] } }, orderBy: { id: 'asc' } })`,
  roles: `strapi.db.query('plugin::users-permissions.role').findMany({ select: ['id', 'name', 'description'], orderBy: { id: 'asc' } })`,
  orders: `strapi.db.query('api::order.order').findMany({ where: { state: 'paid' }, populate: { owner: { select: ['username'] } }, orderBy: { number: 'asc' } })`,
  files: `strapi.db.query('plugin::upload.file').findMany({ select: ['id', 'name', 'alternativeText'], where: { name: { $contains: 'seascape' } }, orderBy: { id: 'asc' } })`,
  'document-count': `strapi.documents('api::article.article').count({ status: 'published', filters: { featured: true } })`,
  'document-first': `strapi.documents('api::article.article').findFirst({ status: 'published', sort: 'rating:desc,id', populate: ['category'] })`,
  'document-drafts': `strapi.documents('api::article.article').findMany({ status: 'draft', fields: ['title'], filters: { publishedOn: { $gte: '2025-01-01' } }, sort: 'title', limit: 5 })`,
  'knex-join': `knex('articles as a').join('articles_author_lnk as l', 'l.article_id', 'a.id').join('authors as w', 'w.id', 'l.author_id')
    .whereNotNull('a.published_at').where('a.locale', 'en').orderBy('a.title').orderBy('a.id').limit(6).select('a.title', 'w.name as author')`,
  'knex-group': `knex('articles_tags_lnk as l').join('tags as t', 't.id', 'l.tag_id').groupBy('t.name').orderBy('t.name').select('t.name').count('l.id as n')`,
  'knex-sum': `knex('articles').whereNotNull('published_at').sum({ views: 'views' }).max({ rating: 'rating' })`,
  'knex-sub': `knex('authors').select('id', 'name').whereIn('id', knex('articles_author_lnk').select('author_id').where('article_ord', '>', 9)).orderBy('id')`,
  'knex-cte': `knex.with('popular', knex('articles').whereNotNull('published_at').where('views', '>', 15000).select('id', 'title')).from('popular').select('*').orderBy('id').limit(5)`,
  'knex-union': `knex('tags').select('name').union([knex('categories').select('name')]).orderBy('name')`,
  'knex-raw': `knex.raw("select count(*) as n, min(title) as first from articles where slug like '%a%' and published_at is not null").then((r) => r.rows ?? r)`,
  'knex-first': `knex('categories').where({ slug: 'none' }).orWhere('id', '>', 2).orderBy('id').first()`,
  'knex-exists': `knex('tags').whereExists(knex('articles_tags_lnk').whereRaw('articles_tags_lnk.tag_id = tags.id')).count('* as n')`,
  'knex-pages': `knex('editors').select('*').orderBy('name').orderBy('id').offset(1).limit(3)`,
  'knex-last-id': `knex('articles').whereNotNull('published_at').max('id as last').count('id as n')`,
  // SQL guarantees no order, and PostgreSQL changes it when a row is updated. Only the set of rows is compared.
  'knex-references': `knex('articles_tags_lnk').select('article_id', 'tag_id').then((rows) => rows.map((row) => [row.article_id, row.tag_id].join()).sort())`,
  'knex-beyond': `knex('articles').whereNotNull('published_at').where('id', '>', 400).count('* as n')`,
  settings: `strapi.store({ type: 'plugin', name: 'probe' }).get({ key: 'shown' }).then((value) => ({ value }))`,
  transaction: `strapi.db.transaction(async () => [await strapi.db.query('api::tag.tag').count(), await strapi.db.query('api::editor.editor'.replace('api::editor', 'api::writer')).count()])`,
};

/** Answers only if a test has created the view. Its answer is never stored. */
export const VIEWED = '/api/probe/viewed';

const viewed = `knex('shown_editors').select('name').orderBy('name')`;

const all: Readonly<Record<string, string>> = { ...reads, viewed };

export const probePaths: readonly string[] = Object.keys(reads).map((name) => `/api/probe/${name}`);

export const probeFiles: Readonly<Record<string, string>> = {
  'src/api/probe/routes/probe.js': `module.exports = { routes: ${JSON.stringify(
    Object.keys(all).map((name) => ({
      method: 'GET',
      path: `/probe/${name}`,
      handler: `api::probe.probe.${name}`,
      config: { auth: false },
    })),
  )} };`,
  'src/api/probe/controllers/probe.js': `module.exports = ({ strapi }) => ({ ${Object.entries(all)
    .map(
      ([name, read]) =>
        `async ${JSON.stringify(name)}(ctx) { const knex = strapi.db.connection; const data = await ${read}; ctx.body = { data }; }`,
    )
    .join(',\n')} });`,
};
