import { ARTICLE, AUTHOR, HOMEPAGE, TAG, type Kind, type World } from '../world';
import { articleData, fieldEdit } from './article-data';

const collection = (uid: string): string => `/content-manager/collection-types/${uid}`;

const documentIds = async (world: World, count: number, where: object): Promise<string[]> =>
  (await world.some(ARTICLE, count, { locale: 'en', ...where })).map(({ documentId }) => documentId);

/** What editors do in the admin panel, over HTTP. */
export const contentManagerWrites: readonly Kind[] = [
  {
    name: 'panel: save a draft',
    types: [ARTICLE],
    run: async (world) =>
      world.admin('PUT', `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}`, fieldEdit(world)),
  },
  {
    name: 'panel: save a draft with relations',
    types: [ARTICLE],
    run: async (world) => {
      const author = await world.any(AUTHOR);
      const tag = await world.any(TAG, { publishedAt: null });
      return world.admin('PUT', `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}`, {
        ...fieldEdit(world),
        author: { connect: [{ documentId: author.documentId }], disconnect: [] },
        tags: { connect: [{ documentId: tag.documentId }], disconnect: [] },
      });
    },
  },
  {
    name: 'panel: create and publish',
    types: [ARTICLE],
    run: async (world) => world.admin('POST', `${collection(ARTICLE)}/actions/publish`, await articleData(world)),
  },
  {
    name: 'panel: publish',
    types: [ARTICLE],
    run: async (world) =>
      world.admin(
        'POST',
        `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}/actions/publish`,
        fieldEdit(world),
      ),
  },
  {
    name: 'panel: discard',
    types: [ARTICLE],
    run: async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/${(await world.anyPublished()).documentId}/actions/discard`, {}),
  },
  {
    name: 'panel: bulk publish',
    types: [ARTICLE],
    run: async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkPublish`, {
        documentIds: await documentIds(world, 3, { publishedAt: null }),
      }),
  },
  {
    name: 'panel: bulk unpublish',
    types: [ARTICLE],
    run: async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkUnpublish`, {
        documentIds: await documentIds(world, 2, { publishedAt: { $notNull: true } }),
      }),
  },
  {
    name: 'panel: bulk delete',
    types: [ARTICLE],
    run: async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkDelete`, {
        documentIds: await documentIds(world, 2, { publishedAt: null }),
      }),
  },
  {
    name: 'panel: edit an author',
    types: [AUTHOR],
    run: async (world) =>
      world.admin('PUT', `${collection(AUTHOR)}/${(await world.any(AUTHOR)).documentId}`, {
        bio: world.random.words(),
      }),
  },
  {
    name: 'panel: save and publish the homepage',
    types: [HOMEPAGE],
    run: async (world) => {
      await world.admin('PUT', `/content-manager/single-types/${HOMEPAGE}`, {
        seo: { metaTitle: world.random.words() },
      });
      return world.admin('POST', `/content-manager/single-types/${HOMEPAGE}/actions/publish`, {});
    },
  },
];
