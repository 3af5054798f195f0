import { ARTICLE, AUTHOR, HOMEPAGE, FILE, type Kind } from '../world';
import { blocks } from './article-data';

/** Components, single and repeatable, and dynamic zones. */
export const componentWrites: readonly Kind[] = [
  {
    name: 'component: blocks of a draft',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      return world.documents(ARTICLE).update({ documentId, data: { blocks: await blocks(world) } });
    },
  },
  {
    name: 'component: blocks, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      return world
        .documents(ARTICLE)
        .update({ documentId, data: { blocks: await blocks(world) }, status: 'published' });
    },
  },
  {
    name: 'component: SEO with its image, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world.documents(ARTICLE).update({
        documentId,
        data: { seo: { metaTitle: world.random.words(), shareImage: id } },
        status: 'published',
      });
    },
  },
  {
    name: 'component: links of an author',
    types: [AUTHOR],
    run: async (world) => {
      const { documentId } = await world.any(AUTHOR);
      return world.documents(AUTHOR).update({
        documentId,
        data: {
          links: [
            { label: 'Notebook', url: world.random.words() },
            { label: 'Website', url: 'x' },
          ],
        },
      });
    },
  },
  {
    name: "component: the homepage's hero, published",
    types: [HOMEPAGE],
    run: async (world) => {
      const { documentId } = await world.any(HOMEPAGE, { publishedAt: null });
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world
        .documents(HOMEPAGE)
        .update({ documentId, data: { hero: { heading: world.random.words(), image: id } }, status: 'published' });
    },
  },
  {
    name: 'component: edited in place through the query engine',
    types: [ARTICLE],
    run: async (world) => {
      const { id } = await world.any('shared.seo');
      return world.query('shared.seo').update({ where: { id }, data: { metaDescription: world.random.words() } });
    },
  },
  {
    name: 'media: another cover, published',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world.documents(ARTICLE).update({ documentId, data: { cover: id }, status: 'published' });
    },
  },
];
