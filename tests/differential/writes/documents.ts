import { ARTICLE, AUTHOR, CATEGORY, EDITOR, HOMEPAGE, ORDER, TAG, USER, type Kind } from '../world';
import { articleData, fieldEdit } from './article-data';

/** Writes by the document service, on types with and without draft and publish, for each locale. */
export const documentWrites: readonly Kind[] = [
  {
    name: 'document: create a draft',
    types: [ARTICLE],
    run: async (world) => world.documents(ARTICLE).create({ data: await articleData(world) }),
  },
  {
    name: 'document: create published',
    types: [ARTICLE],
    run: async (world) => world.documents(ARTICLE).create({ data: await articleData(world), status: 'published' }),
  },
  {
    name: 'document: edit a draft',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      return world.documents(ARTICLE).update({ documentId, data: fieldEdit(world) });
    },
  },
  {
    name: 'document: edit and publish',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      return world.documents(ARTICLE).update({ documentId, data: fieldEdit(world), status: 'published' });
    },
  },
  {
    name: 'document: publish',
    types: [ARTICLE],
    run: async (world) => world.documents(ARTICLE).publish({ documentId: (await world.anyDraft()).documentId }),
  },
  {
    name: 'document: unpublish',
    types: [ARTICLE],
    run: async (world) => world.documents(ARTICLE).unpublish({ documentId: (await world.anyPublished()).documentId }),
  },
  {
    name: 'document: discard a draft',
    types: [ARTICLE],
    run: async (world) =>
      world.documents(ARTICLE).discardDraft({ documentId: (await world.anyPublished()).documentId }),
  },
  {
    name: 'document: delete',
    types: [ARTICLE],
    run: async (world) =>
      world.documents(ARTICLE).delete({ documentId: (await world.anyDraft()).documentId, locale: '*' }),
  },
  {
    name: 'document: clone',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      return world
        .documents(ARTICLE)
        .clone({ documentId, locale: 'en', data: { title: world.random.commonText(), slug: null } });
    },
  },
  {
    name: 'locale: edit or create the French draft',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      return world.documents(ARTICLE).update({ documentId, locale: 'fr', data: { title: world.random.commonText() } });
    },
  },
  {
    name: 'locale: edit and publish the French version',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: null });
      return world
        .documents(ARTICLE)
        .update({ documentId, locale: 'fr', data: { body: world.random.words() }, status: 'published' });
    },
  },
  {
    name: 'locale: edit a shared field and publish all locales',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: { $notNull: true } });
      await world.documents(ARTICLE).update({ documentId, locale: 'en', data: { summary: world.random.commonText() } });
      return world.documents(ARTICLE).publish({ documentId, locale: '*' });
    },
  },
  {
    name: 'locale: delete the French version',
    types: [ARTICLE],
    run: async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: null });
      return world.documents(ARTICLE).delete({ documentId, locale: 'fr' });
    },
  },
  {
    name: 'author: edit',
    types: [AUTHOR],
    run: async (world) => {
      const { documentId } = await world.any(AUTHOR);
      const data = world.random.pick([
        { name: world.random.commonText() },
        { bio: world.random.commonText() },
        { email: `${world.random.below(1e6)}@example.com` },
      ]);
      return world.documents(AUTHOR).update({ documentId, data });
    },
  },
  {
    name: 'author: create',
    types: [AUTHOR],
    run: (world) =>
      world.documents(AUTHOR).create({
        data: { name: world.random.commonText(), links: [{ label: 'Website', url: 'https://example.com' }] },
      }),
  },
  {
    name: 'author: delete',
    types: [AUTHOR],
    run: async (world) => world.documents(AUTHOR).delete({ documentId: (await world.any(AUTHOR)).documentId }),
  },
  {
    name: 'category: edit',
    types: [CATEGORY],
    run: async (world) => {
      const { documentId } = await world.any(CATEGORY);
      const data = world.random.pick([{ name: world.random.commonText() }, { description: world.random.words() }]);
      return world.documents(CATEGORY).update({ documentId, data });
    },
  },
  {
    name: 'tag: edit a draft',
    types: [TAG],
    run: async (world) => {
      const { documentId } = await world.any(TAG, { publishedAt: null });
      return world.documents(TAG).update({ documentId, data: { name: world.random.commonText() } });
    },
  },
  {
    name: 'tag: publish',
    types: [TAG],
    run: async (world) =>
      world.documents(TAG).publish({ documentId: (await world.any(TAG, { publishedAt: null })).documentId }),
  },
  {
    name: 'tag: unpublish',
    types: [TAG],
    run: async (world) => {
      const published = await world.rows(TAG, { publishedAt: { $notNull: true } });
      const { documentId } = world.random.pick(published);
      return published.length > 8
        ? world.documents(TAG).unpublish({ documentId })
        : world.documents(TAG).publish({ documentId });
    },
  },
  {
    name: 'homepage: edit a draft',
    types: [HOMEPAGE],
    run: async (world) => {
      const { documentId } = await world.any(HOMEPAGE, { publishedAt: null });
      return world.documents(HOMEPAGE).update({
        documentId,
        data: { sections: [{ title: world.random.commonText() }, { title: world.random.commonText() }] },
      });
    },
  },
  {
    name: 'homepage: publish',
    types: [HOMEPAGE],
    run: async (world) =>
      world.documents(HOMEPAGE).publish({ documentId: (await world.any(HOMEPAGE, { publishedAt: null })).documentId }),
  },
  {
    name: 'editor: edit',
    types: [EDITOR],
    run: async (world) => {
      const { documentId } = await world.any(EDITOR);
      return world.documents(EDITOR).update({
        documentId,
        data: world.random.pick([{ name: world.random.commonText() }, { desk: world.random.words() }]),
      });
    },
  },
  {
    name: 'editor: create or delete',
    types: [EDITOR],
    run: async (world) => {
      if (world.random.next() < 0.5)
        return world.documents(EDITOR).create({ data: { name: world.random.commonText() } });
      const editors = await world.rows(EDITOR);
      const last = editors.at(-1);
      return editors.length > 3 && last !== undefined
        ? world.documents(EDITOR).delete(last)
        : world.documents(EDITOR).create({ data: { name: 'Iris' } });
    },
  },
  {
    name: 'order: edit',
    types: [ORDER],
    run: async (world) => {
      const { documentId } = await world.any(ORDER);
      return world.documents(ORDER).update({
        documentId,
        data: { total: world.random.below(9000), state: world.random.pick(['paid', 'shipped']) },
      });
    },
  },
  {
    name: 'order: create for somebody, or move to another owner',
    types: [ORDER],
    run: async (world) => {
      const { documentId: owner } = await world.any(USER);
      if (world.random.next() < 0.5)
        return world.documents(ORDER).create({ data: { number: world.random.words(), total: 12, owner } });
      return world.documents(ORDER).update({ documentId: (await world.any(ORDER)).documentId, data: { owner } });
    },
  },
];
