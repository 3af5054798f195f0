import { ARTICLE, AUTHOR, type World } from '../differential/world';
import { holding, NEVER, type Register } from './registers';

class Abandoned extends Error {}

type Write = (world: World, register: Register, version: number) => Promise<unknown>;

const row = async (world: World, { documentId, kind }: Register): Promise<number> => {
  const where = kind === 'article' ? { documentId, locale: 'en', publishedAt: { $notNull: true } } : { documentId };
  const [found] = await world.rows(kind === 'article' ? ARTICLE : AUTHOR, where);
  if (found === undefined) throw new Error(`${documentId} is gone`);
  return found.id;
};

const byDocument: Write = (world, { documentId, kind }, version) =>
  kind === 'article'
    ? world.documents(ARTICLE).update({ documentId, data: { views: version }, status: 'published' })
    : world.documents(AUTHOR).update({ documentId, data: { bio: String(version) } });

const byQuery: Write = async (world, register, version) =>
  register.kind === 'article'
    ? world.query(ARTICLE).update({ where: { id: await row(world, register) }, data: { views: version } })
    : world.query(AUTHOR).update({ where: { id: await row(world, register) }, data: { bio: String(version) } });

const byKnex: Write = (world, { documentId, kind }, version) =>
  kind === 'article'
    ? world
        .knex('articles')
        .where({ document_id: documentId, locale: 'en' })
        .whereNotNull('published_at')
        .update({ views: version })
    : world
        .knex('authors')
        .where({ document_id: documentId })
        .update({ bio: String(version) });

const byUpdateMany: Write = (world, { documentId, kind }, version) =>
  kind === 'article'
    ? world.query(ARTICLE).updateMany({ where: { documentId, locale: 'en' }, data: { views: version } })
    : world.query(AUTHOR).updateMany({ where: { documentId }, data: { bio: String(version) } });

const byPanel: Write = (world, register, version) =>
  register.kind === 'author'
    ? world.admin('PUT', `/content-manager/collection-types/${AUTHOR}/${register.documentId}`, { bio: String(version) })
    : world.admin('POST', `/content-manager/collection-types/${ARTICLE}/${register.documentId}/actions/publish`, {
        views: version,
      });

const inKnexTransaction: Write = (world, register, version) =>
  world.knex.transaction(async (transaction) => {
    const table = register.kind === 'article' ? 'articles' : 'authors';
    const set = (value: number) => (register.kind === 'article' ? { views: value } : { bio: String(value) });
    await transaction
      .transaction(async (nested) => {
        await nested(table).where({ document_id: register.documentId }).update(set(NEVER));
        throw new Abandoned();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Abandoned)) throw error;
      });
    await transaction(table).where({ document_id: register.documentId }).update(set(version));
  });

const singleWrites: readonly Write[] = [byDocument, byQuery, byKnex, byKnex, byUpdateMany, byPanel, inKnexTransaction];

/** Makes one write of a random kind. When it resolves, the versions of its registers are acknowledged. */
export const writeOnce = async (world: World, registers: readonly Register[]): Promise<void> => {
  const { random } = world;
  const transacted = random.next();
  const write = random.pick(singleWrites);
  const chosen = random
    .sample(registers, transacted < 0.25 ? 2 : 1)
    .sort((one, other) => registers.indexOf(one) - registers.indexOf(other));
  await holding(chosen, async () => {
    const versions = chosen.map((register) => register.issue());
    if (transacted < 0.12) {
      await world.strapi.db
        .transaction(async () => {
          for (const register of chosen) await byDocument(world, register, NEVER);
          throw new Abandoned();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Abandoned)) throw error;
        });
      return;
    }
    const [register] = chosen;
    if (transacted < 0.25) {
      await world.strapi.db.transaction(async () => {
        for (const [index, one] of chosen.entries())
          await random.pick([byDocument, byQuery])(world, one, versions[index] ?? 0);
      });
    } else if (register !== undefined) {
      await write(world, register, versions[0] ?? 0);
    }
    chosen.forEach((one, index) => (one.acknowledged = Math.max(one.acknowledged, versions[index] ?? 0)));
  });
};
