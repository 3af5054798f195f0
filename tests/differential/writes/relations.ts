import { ARTICLE, AUTHOR, CATEGORY, HOMEPAGE, TAG, writesTo, type Kind } from '../world';

const DRAFTS = { publishedAt: null, locale: 'en' };

/**
 * Relations that are set, connected, disconnected or taken from another document, from either side, with and without
 * draft and publish.
 */
export const relationWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'relation: another author for a draft': async (world) =>
      world.edit(ARTICLE, await world.anyDraft(), { author: (await world.any(AUTHOR)).documentId }),
    'relation: another author, published': async (world) =>
      world.edit(ARTICLE, await world.anyPublished(), { author: (await world.any(AUTHOR)).documentId }, 'published'),
    'relation: no category, published': async (world) =>
      world.edit(ARTICLE, await world.anyPublished(), { category: null }, 'published'),
    'relation: connect and disconnect tags of a draft': async (world) => {
      const draft = await world.anyDraft();
      const [one, other] = await world.someIds(TAG, 2, { publishedAt: null });
      return world.edit(ARTICLE, draft, { tags: { connect: [one], disconnect: [other] } });
    },
    'relation: set tags, published': async (world) => {
      const article = await world.anyPublished();
      const set = await world.someIds(TAG, 3, { publishedAt: null });
      return world.edit(ARTICLE, article, { tags: { set } }, 'published');
    },
  }),
  ...writesTo([AUTHOR], {
    "relation: an author takes others' articles": async (world) => {
      const author = await world.any(AUTHOR);
      return world.edit(AUTHOR, author, { articles: { connect: await world.someIds(ARTICLE, 2, DRAFTS) } });
    },
  }),
  ...writesTo([CATEGORY], {
    'relation: a category gets a whole new list of articles': async (world) => {
      const category = await world.any(CATEGORY);
      return world.edit(CATEGORY, category, { articles: { set: await world.someIds(ARTICLE, 4, DRAFTS) } });
    },
  }),
  ...writesTo([TAG], {
    'relation: tag and untag articles from the tag, published': async (world) => {
      const tag = await world.any(TAG, { publishedAt: null });
      const [one, ...others] = await world.someIds(ARTICLE, 3, DRAFTS);
      return world.edit(TAG, tag, { articles: { connect: others, disconnect: [one] } }, 'published');
    },
  }),
  ...writesTo([HOMEPAGE], {
    'relation: feature other articles on the homepage, published': async (world) => {
      const homepage = await world.any(HOMEPAGE, { publishedAt: null });
      return world.edit(
        HOMEPAGE,
        homepage,
        { featured: { set: await world.someIds(ARTICLE, 3, DRAFTS) } },
        'published',
      );
    },
  }),
  ...writesTo([ARTICLE], {
    'relation: move a tag to the front of an article': async (world) => {
      const article = await world.anyPublished();
      const { documentId } = await world.any(TAG, { publishedAt: null });
      const connect = [{ documentId, position: { start: true } }];
      return world.edit(ARTICLE, article, { tags: { connect } }, 'published');
    },
  }),
];
