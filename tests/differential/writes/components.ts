import { ARTICLE, AUTHOR, HOMEPAGE, FILE, writesTo, type Kind } from '../world';
import { blocks } from './article-data';

/** Components, single and repeatable, and dynamic zones. */
export const componentWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'component: blocks of a draft': async (world) =>
      world.edit(ARTICLE, await world.anyDraft(), { blocks: await blocks(world) }),
    'component: blocks, published': async (world) =>
      world.edit(ARTICLE, await world.anyPublished(), { blocks: await blocks(world) }, 'published'),
    'component: SEO with its image, published': async (world) => {
      const { documentId } = await world.anyPublished();
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world.documents(ARTICLE).update({
        documentId,
        data: { seo: { metaTitle: world.random.words(), shareImage: id } },
        status: 'published',
      });
    },
  }),
  ...writesTo([AUTHOR], {
    'component: links of an author': async (world) =>
      world.edit(AUTHOR, await world.any(AUTHOR), {
        links: [
          { label: 'Notebook', url: world.random.words() },
          { label: 'Website', url: 'x' },
        ],
      }),
  }),
  ...writesTo([HOMEPAGE], {
    "component: the homepage's hero, published": async (world) => {
      const { documentId } = await world.any(HOMEPAGE, { publishedAt: null });
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world
        .documents(HOMEPAGE)
        .update({ documentId, data: { hero: { heading: world.random.words(), image: id } }, status: 'published' });
    },
  }),
  ...writesTo([ARTICLE], {
    'component: edited in place through the query engine': async (world) => {
      const { id } = await world.any('shared.seo');
      return world.query('shared.seo').update({ where: { id }, data: { metaDescription: world.random.words() } });
    },
    'media: another cover, published': async (world) => {
      const { documentId } = await world.anyPublished();
      const { id } = await world.any(FILE, { mime: { $startsWith: 'image/' } });
      return world.documents(ARTICLE).update({ documentId, data: { cover: id }, status: 'published' });
    },
  }),
];
