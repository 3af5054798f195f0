import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { bulkWrites } from '../differential/bulk-writes';
import { configuration } from '../differential/configuration';
import { probeFiles } from '../differential/probe-api';
import { watching } from '../differential/watched';
import { ARTICLE, AUTHOR, EDITOR, TAG, World } from '../differential/world';
import { postgresDatabase, type OwnDatabase } from './postgres-database';

let database: OwnDatabase | undefined;
let application: Application;
let world: World;

beforeAll(async () => {
  database = await postgresDatabase(6);
  application = await startApplication({
    restCache: configuration('route'),
    files: probeFiles,
    environment: database.environment,
  });
  world = await World.of(application, 1);
}, 300_000);

afterAll(async () => {
  await application.stop();
  await database?.drop();
});

const pages = ['/api/editors', '/api/categories'];

it.each<readonly [string, () => Promise<unknown>]>([
  [
    'update',
    async () => world.query(EDITOR).update({ where: { id: (await world.any(EDITOR)).id }, data: { desk: 'Alone' } }),
  ],
  ...bulkWrites(() => world),
  [
    'a CTE that writes',
    () =>
      world.knex.raw(
        "with gone as (delete from editors where document_id = 'copy' returning id) select count(*) from gone",
      ),
  ],
])('%s without a transaction invalidates what shows it, and nothing else', async (_name, write) => {
  expect(await watching(application, pages, write)).toEqual({
    invalidated: ['/api/editors'],
    changed: ['/api/editors'],
  });
});

it('several statements in one text invalidate everything', async () => {
  const write = (): Promise<unknown> =>
    world.knex.raw("update editors set desk = 'one'; update editors set desk = 'two'");
  expect(await watching(application, pages, write)).toEqual({
    invalidated: expect.arrayContaining(['/api/editors', '/api/categories']) as unknown,
    changed: ['/api/editors'],
  });
});

it('a commit that PostgreSQL makes a rollback of leaves the connection as it was', async () => {
  const { id } = await world.anyPublished();
  const { id: author } = await world.any(AUTHOR);
  for (let round = 0; round < 8; round += 1) {
    const transaction = await world.knex.transaction();
    await transaction('articles_author_lnk').where({ article_id: id }).update({ author_id: author });
    await transaction.raw('select nonsense').catch(() => undefined);
    await transaction.commit();
  }
  expect(
    (await watching(application, pages, () => world.knex('editors').update({ desk: 'Afterwards' }))).changed,
  ).toEqual(['/api/editors']);
});

it('a row that another transaction brings under the condition between the look at the rows and the write is not missed', async () => {
  const [editor] = await world.rows(EDITOR);
  if (editor === undefined) throw new Error('there are no editors');
  const path = `/api/editors/${editor.documentId}`;

  const first = await world.knex.transaction();
  // Lets other connections read the table, but not write to it.
  await first.raw('lock table editors in share mode');
  const second = await world.knex.transaction();
  const written = second('editors').where({ desk: 'Moved' }).update({ name: 'Late' });
  const isWritten = written.then(() => true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await first('editors').where({ id: editor.id }).update({ desk: 'Moved' });
  await first.commit();
  expect(await isWritten).toBe(true);

  const { changed } = await watching(application, [path], () => second.commit());
  expect(changed).toEqual([path]);
});

it('saving a draft with relations leaves the published details alone, though its join rows are numbered anew', async () => {
  const articles = (await world.rows(ARTICLE, { locale: 'en', publishedAt: { $notNull: true } })).slice(0, 25);
  const [author, tag] = [await world.any(AUTHOR), await world.any(TAG, { publishedAt: null })];
  const details = articles.map(({ documentId }) => `/api/articles/${documentId}?populate=*`);
  const { invalidated } = await watching(application, details, () =>
    world.admin('PUT', `/content-manager/collection-types/${ARTICLE}/${articles[3]?.documentId ?? ''}`, {
      author: { connect: [{ documentId: author.documentId }] },
      tags: { connect: [{ documentId: tag.documentId }] },
    }),
  );
  expect(invalidated).toEqual([]);
});
