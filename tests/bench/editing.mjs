/** The edits of an editorial team. Each is published, and writes its number into the title or name of a document. */

const ARTICLE = 'api::article.article';

/** Three of four edits change an article, every fourth a document that many articles show. */
const SHOWN_BY_MANY = [
  ['api::author.author', 'name'],
  ['api::category.category', 'name'],
  ['api::tag.tag', 'name'],
];

/** A number without factors in common with the number of documents, so that every document has its turn. */
const STEP = 7;

const documentAt = async (strapi, uid, turn) => {
  const all = await strapi.documents(uid).findMany({ fields: ['documentId'], sort: 'documentId', limit: 50 });
  return all[(STEP * turn) % all.length].documentId;
};

/** Makes the edit with this number. Returns the changed document, and the milliseconds until it was acknowledged. */
export const edit = async (strapi, turn) => {
  const [uid, field] = turn % 4 === 3 ? SHOWN_BY_MANY[(turn >> 2) % SHOWN_BY_MANY.length] : [ARTICLE, 'title'];
  const documentId = await documentAt(strapi, uid, turn);
  const { draftAndPublish } = strapi.contentType(uid).options;
  const change = { documentId, data: { [field]: `Edit ${turn}` }, ...(draftAndPublish ? { status: 'published' } : {}) };
  const startedAt = performance.now();
  await strapi.documents(uid).update(change);
  return { documentId, milliseconds: performance.now() - startedAt };
};
