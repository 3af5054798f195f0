import { ARTICLE, AUTHOR, HOMEPAGE, TAG, writesTo, type Kind } from '../world';
import { articleData, fieldEdit } from './article-data';

const collection = (uid: string): string => `/content-manager/collection-types/${uid}`;

/** What editors do in the admin panel, over HTTP. */
export const contentManagerWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'panel: save a draft': async (world) =>
      world.admin('PUT', `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}`, fieldEdit(world)),
    'panel: save a draft with relations': async (world) => {
      const author = await world.any(AUTHOR);
      const tag = await world.any(TAG, { publishedAt: null });
      return world.admin('PUT', `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}`, {
        ...fieldEdit(world),
        author: { connect: [{ documentId: author.documentId }], disconnect: [] },
        tags: { connect: [{ documentId: tag.documentId }], disconnect: [] },
      });
    },
    'panel: create and publish': async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/publish`, await articleData(world)),
    'panel: publish': async (world) =>
      world.admin(
        'POST',
        `${collection(ARTICLE)}/${(await world.anyDraft()).documentId}/actions/publish`,
        fieldEdit(world),
      ),
    'panel: discard': async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/${(await world.anyPublished()).documentId}/actions/discard`, {}),
    'panel: bulk publish': async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkPublish`, {
        documentIds: await world.someIds(ARTICLE, 3, { locale: 'en', publishedAt: null }),
      }),
    'panel: bulk unpublish': async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkUnpublish`, {
        documentIds: await world.someIds(ARTICLE, 2, { locale: 'en', publishedAt: { $notNull: true } }),
      }),
    'panel: bulk delete': async (world) =>
      world.admin('POST', `${collection(ARTICLE)}/actions/bulkDelete`, {
        documentIds: await world.someIds(ARTICLE, 2, { locale: 'en', publishedAt: null }),
      }),
  }),
  ...writesTo([AUTHOR], {
    'panel: edit an author': async (world) =>
      world.admin('PUT', `${collection(AUTHOR)}/${(await world.any(AUTHOR)).documentId}`, {
        bio: world.random.words(),
      }),
  }),
  ...writesTo([HOMEPAGE], {
    'panel: save and publish the homepage': async (world) => {
      await world.admin('PUT', `/content-manager/single-types/${HOMEPAGE}`, {
        seo: { metaTitle: world.random.words() },
      });
      return world.admin('POST', `/content-manager/single-types/${HOMEPAGE}/actions/publish`, {});
    },
  }),
];
