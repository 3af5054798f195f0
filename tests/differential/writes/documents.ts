import { ARTICLE, AUTHOR, CATEGORY, EDITOR, HOMEPAGE, ORDER, TAG, USER, writesTo, type Kind } from '../world';
import { articleData, fieldEdit } from './article-data';

/** Writes by the document service, on types with and without draft and publish, for each locale. */
export const documentWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'document: create a draft': async (world) => world.documents(ARTICLE).create({ data: await articleData(world) }),
    'document: create published': async (world) =>
      world.documents(ARTICLE).create({ data: await articleData(world), status: 'published' }),
    'document: edit a draft': async (world) => world.edit(ARTICLE, await world.anyDraft(), fieldEdit(world)),
    'document: edit and publish': async (world) =>
      world.edit(ARTICLE, await world.anyPublished(), fieldEdit(world), 'published'),
    'document: publish': async (world) =>
      world.documents(ARTICLE).publish({ documentId: (await world.anyDraft()).documentId }),
    'document: unpublish': async (world) =>
      world.documents(ARTICLE).unpublish({ documentId: (await world.anyPublished()).documentId }),
    'document: discard a draft': async (world) =>
      world.documents(ARTICLE).discardDraft({ documentId: (await world.anyPublished()).documentId }),
    'document: delete': async (world) =>
      world.documents(ARTICLE).delete({ documentId: (await world.anyDraft()).documentId, locale: '*' }),
    'document: clone': async (world) => {
      const { documentId } = await world.anyPublished();
      return world
        .documents(ARTICLE)
        .clone({ documentId, locale: 'en', data: { title: world.random.commonText(), slug: null } });
    },
    'locale: edit or create the French draft': async (world) => {
      const { documentId } = await world.anyDraft();
      return world.documents(ARTICLE).update({ documentId, locale: 'fr', data: { title: world.random.commonText() } });
    },
    'locale: edit and publish the French version': async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: null });
      return world
        .documents(ARTICLE)
        .update({ documentId, locale: 'fr', data: { body: world.random.words() }, status: 'published' });
    },
    'locale: edit a shared field and publish all locales': async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: { $notNull: true } });
      await world.documents(ARTICLE).update({ documentId, locale: 'en', data: { summary: world.random.commonText() } });
      return world.documents(ARTICLE).publish({ documentId, locale: '*' });
    },
    'locale: delete the French version': async (world) => {
      const { documentId } = await world.any(ARTICLE, { locale: 'fr', publishedAt: null });
      return world.documents(ARTICLE).delete({ documentId, locale: 'fr' });
    },
  }),
  ...writesTo([AUTHOR], {
    'author: edit': async (world) => {
      const { documentId } = await world.any(AUTHOR);
      const data = world.random.pick([
        { name: world.random.commonText() },
        { bio: world.random.commonText() },
        { email: `${world.random.below(1e6)}@example.com` },
      ]);
      return world.documents(AUTHOR).update({ documentId, data });
    },
    'author: create': (world) =>
      world.documents(AUTHOR).create({
        data: { name: world.random.commonText(), links: [{ label: 'Website', url: 'https://example.com' }] },
      }),
    'author: delete': async (world) =>
      world.documents(AUTHOR).delete({ documentId: (await world.any(AUTHOR)).documentId }),
  }),
  ...writesTo([CATEGORY], {
    'category: edit': async (world) => {
      const { documentId } = await world.any(CATEGORY);
      const data = world.random.pick([{ name: world.random.commonText() }, { description: world.random.words() }]);
      return world.documents(CATEGORY).update({ documentId, data });
    },
  }),
  ...writesTo([TAG], {
    'tag: edit a draft': async (world) =>
      world.edit(TAG, await world.any(TAG, { publishedAt: null }), { name: world.random.commonText() }),
    'tag: publish': async (world) =>
      world.documents(TAG).publish({ documentId: (await world.any(TAG, { publishedAt: null })).documentId }),
    'tag: unpublish': async (world) => {
      const published = await world.rows(TAG, { publishedAt: { $notNull: true } });
      const { documentId } = world.random.pick(published);
      return published.length > 8
        ? world.documents(TAG).unpublish({ documentId })
        : world.documents(TAG).publish({ documentId });
    },
  }),
  ...writesTo([HOMEPAGE], {
    'homepage: edit a draft': async (world) =>
      world.edit(HOMEPAGE, await world.any(HOMEPAGE, { publishedAt: null }), {
        sections: [{ title: world.random.commonText() }, { title: world.random.commonText() }],
      }),
    'homepage: publish': async (world) =>
      world.documents(HOMEPAGE).publish({ documentId: (await world.any(HOMEPAGE, { publishedAt: null })).documentId }),
  }),
  ...writesTo([EDITOR], {
    'editor: edit': async (world) =>
      world.edit(
        EDITOR,
        await world.any(EDITOR),
        world.random.pick([{ name: world.random.commonText() }, { desk: world.random.words() }]),
      ),
    'editor: create or delete': async (world) => {
      if (world.random.next() < 0.5)
        return world.documents(EDITOR).create({ data: { name: world.random.commonText() } });
      const editors = await world.rows(EDITOR);
      const last = editors.at(-1);
      return editors.length > 3 && last !== undefined
        ? world.documents(EDITOR).delete(last)
        : world.documents(EDITOR).create({ data: { name: 'Iris' } });
    },
  }),
  ...writesTo([ORDER], {
    'order: edit': async (world) =>
      world.edit(ORDER, await world.any(ORDER), {
        total: world.random.below(9000),
        state: world.random.pick(['paid', 'shipped']),
      }),
    'order: create for somebody, or move to another owner': async (world) => {
      const { documentId: owner } = await world.any(USER);
      if (world.random.next() < 0.5)
        return world.documents(ORDER).create({ data: { number: world.random.words(), total: 12, owner } });
      return world.edit(ORDER, await world.any(ORDER), { owner });
    },
  }),
];
