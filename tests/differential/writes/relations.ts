import { ARTICLE, AUTHOR, CATEGORY, HOMEPAGE, TAG, type Kind } from '../world';

/**
 * Relations that are set, connected, disconnected or taken from another document, from either side, with and without
 * draft and publish.
 */
export const relationWrites: readonly Kind[] = [
  {
    name: 'relation: another author for a draft',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      return world.documents(ARTICLE).update({ documentId, data: { author: (await world.any(AUTHOR)).documentId } });
    },
  },
  {
    name: 'relation: another author, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      return world
        .documents(ARTICLE)
        .update({ documentId, data: { author: (await world.any(AUTHOR)).documentId }, status: 'published' });
    },
  },
  {
    name: 'relation: no category, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      return world.documents(ARTICLE).update({ documentId, data: { category: null }, status: 'published' });
    },
  },
  {
    name: 'relation: connect and disconnect tags of a draft',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      const [one, other] = await world.some(TAG, 2, { publishedAt: null });
      return world
        .documents(ARTICLE)
        .update({ documentId, data: { tags: { connect: [one?.documentId], disconnect: [other?.documentId] } } });
    },
  },
  {
    name: 'relation: set tags, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      const tags = (await world.some(TAG, 3, { publishedAt: null })).map((tag) => tag.documentId);
      return world.documents(ARTICLE).update({ documentId, data: { tags: { set: tags } }, status: 'published' });
    },
  },
  {
    name: "relation: an author takes others' articles",
    types: [AUTHOR],
    run: async (world) => {
      const { documentId } = await world.any(AUTHOR);
      const connect = (await world.some(ARTICLE, 2, { publishedAt: null, locale: 'en' })).map(
        (article) => article.documentId,
      );
      return world.documents(AUTHOR).update({ documentId, data: { articles: { connect } } });
    },
  },
  {
    name: 'relation: a category gets a whole new list of articles',
    types: [CATEGORY],
    run: async (world) => {
      const { documentId } = await world.any(CATEGORY);
      const set = (await world.some(ARTICLE, 4, { publishedAt: null, locale: 'en' })).map(
        (article) => article.documentId,
      );
      return world.documents(CATEGORY).update({ documentId, data: { articles: { set } } });
    },
  },
  {
    name: 'relation: tag and untag articles from the tag, published',
    types: [TAG],
    run: async (world) => {
      const { documentId } = await world.any(TAG, { publishedAt: null });
      const articles = (await world.some(ARTICLE, 3, { publishedAt: null, locale: 'en' })).map(
        (article) => article.documentId,
      );
      return world.documents(TAG).update({
        documentId,
        data: { articles: { connect: articles.slice(1), disconnect: articles.slice(0, 1) } },
        status: 'published',
      });
    },
  },
  {
    name: 'relation: feature other articles on the homepage, published',
    types: [HOMEPAGE],
    run: async (world) => {
      const { documentId } = await world.any(HOMEPAGE, { publishedAt: null });
      const featured = (await world.some(ARTICLE, 3, { publishedAt: null, locale: 'en' })).map(
        (article) => article.documentId,
      );
      return world
        .documents(HOMEPAGE)
        .update({ documentId, data: { featured: { set: featured } }, status: 'published' });
    },
  },
  {
    name: 'relation: move a tag to the front of an article',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      const tag = await world.any(TAG, { publishedAt: null });
      return world.documents(ARTICLE).update({
        documentId,
        data: { tags: { connect: [{ documentId: tag.documentId, position: { start: true } }] } },
        status: 'published',
      });
    },
  },
];
