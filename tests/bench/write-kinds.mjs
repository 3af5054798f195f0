/**
 * Kinds of writes by people and programs. Preparations are not measured, and what a write leaves behind is removed
 * afterwards.
 */

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { exportTo, importFrom } from './strapi-import.mjs';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';

/** An article as editors write them, with components and relations. */
const draft = ({ author, category, tags }, name = 'bench') => ({
  title: `Bench ${randomUUID()}`,
  slug: `${name}-${randomUUID()}`,
  body: 'Written by the bench.',
  author,
  category,
  tags,
  seo: { metaTitle: 'Bench', metaDescription: 'Written by the bench.' },
  blocks: [
    { __component: 'shared.rich-text', body: 'First.' },
    { __component: 'shared.quote', text: 'Quoted.' },
  ],
});

/** The documents that drafts relate to. */
const related = async (strapi) => {
  const some = async (uid, limit) =>
    (await strapi.documents(uid).findMany({ fields: ['documentId'], limit })).map(({ documentId }) => documentId);
  const [[author], [category], tags] = await Promise.all([
    some('api::author.author', 1),
    some('api::category.category', 1),
    some(TAG, 3),
  ]);
  return { author, category, tags };
};

const tagRow = () => ({ documentId: randomUUID(), name: `Bench ${randomUUID()}`, publishedAt: new Date() });

const rawTag = () => ({ document_id: randomUUID(), name: `Bench ${randomUUID()}`, published_at: new Date() });

const times = (count, make) => Array.from({ length: count }, make);

/** `write` gets the result of `prepare`. One turn consists of `count` writes. */
const kinds = {
  'draft save': {
    count: 4,
    prepare: (strapi) => changes(strapi, 4),
    write: async (strapi, drafts) => {
      for (const change of drafts) await strapi.documents(ARTICLE).update(change);
    },
  },
  publish: {
    count: 4,
    prepare: (strapi) => changed(strapi, 4),
    write: async (strapi, documentIds) => {
      for (const documentId of documentIds) await strapi.documents(ARTICLE).publish({ documentId });
    },
  },
  create: {
    count: 4,
    prepare: async (strapi) => {
      const relations = await related(strapi);
      return times(4, () => draft(relations));
    },
    write: async (strapi, drafts) => {
      for (const data of drafts) await strapi.documents(ARTICLE).create({ data });
    },
  },
  'bulk publish of 20': {
    count: 1,
    prepare: (strapi) => changed(strapi, 20),
    write: (strapi, documentIds) =>
      strapi.plugin('content-manager').service('document-manager').publishMany(ARTICLE, documentIds, 'en'),
  },
  'createMany of 1,000': {
    count: 1,
    prepare: () => times(1000, tagRow),
    write: (strapi, data) => strapi.db.query(TAG).createMany({ data }),
  },
  'raw insert of 10,000 in batches': {
    count: 1,
    prepare: () => times(10_000, rawTag),
    write: (strapi, rows) => strapi.db.connection.batchInsert('tags', rows, 100),
  },
  'strapi import': {
    count: 1,
    isLong: true,
    prepare: async (strapi) => {
      const archive = path.join(strapi.dirs.dist.root, 'bench-export');
      await (exported ??= exportTo(strapi, archive));
      return archive;
    },
    write: importFrom,
  },
};

/** The export is made once, of the application's state at that time, and the same file is imported each time. */
let exported;

/** The kinds, and whether a write of that kind takes seconds. */
export const WRITE_KINDS = Object.entries(kinds).map(([name, { isLong = false }]) => [name, isLong]);

/** Published articles that are written to repeatedly. */
let kept;

const keep = async (strapi) => {
  const relations = await related(strapi);
  const made = times(20, () =>
    strapi.documents(ARTICLE).create({ data: draft(relations, 'kept'), status: 'published' }),
  );
  return (await Promise.all(made)).map(({ documentId }) => documentId);
};

/** New drafts of the first `count` of these articles. */
const changes = async (strapi, count) => {
  const relations = await related(strapi);
  const documentIds = await (kept ??= keep(strapi));
  return documentIds.slice(0, count).map((documentId) => ({ documentId, data: draft(relations, 'kept') }));
};

/** The first `count` of these articles, with drafts that have changed since they were published. */
const changed = async (strapi, count) => {
  const made = await changes(strapi, count);
  for (const change of made) await strapi.documents(ARTICLE).update(change);
  return made.map(({ documentId }) => documentId);
};

/** The microseconds of CPU and the statements that one write of this kind costs. */
export const costOf = async (strapi, kind, statements) => {
  const { count, prepare, write } = kinds[kind];
  const prepared = await prepare(strapi);
  const before = { ...process.cpuUsage(), statements: statements() };
  await write(strapi, prepared);
  const after = { ...process.cpuUsage(), statements: statements() };
  await cleanUp(strapi);
  return {
    cpu: (after.user + after.system - before.user - before.system) / count,
    statements: (after.statements - before.statements) / count,
  };
};

const cleanUp = async (strapi) => {
  await strapi.db.connection('articles').where('slug', 'like', 'bench-%').delete();
  await strapi.db.connection('tags').where('name', 'like', 'Bench %').delete();
};
