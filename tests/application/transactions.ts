import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { Application } from './start-application';

const EDITOR = 'api::writer.editor';
const LIST = '/api/editors?sort=id&pagination[pageSize]=100';

/**
 * Describes what transactions do to entries, on whatever database the application has: a write is purged after its
 * commit and before it is acknowledged, and a rollback purges nothing.
 */
export const describeTransactions = (running: () => Application): void => {
  let application: Application;
  beforeAll(() => {
    application = running();
  });

  const warm = async (): Promise<string> => {
    const { body } = await application.get(LIST);
    for (let attempt = 0; attempt < 2; attempt += 1) expect((await application.get(LIST)).cache).toBe('HIT');
    return body;
  };

  const rename = (name: string) =>
    application.strapi.db.query(EDITOR).update({ where: { desk: 'Letters' }, data: { name } });

  const named = (transaction: Knex.Transaction, name: string) =>
    transaction('editors').where({ desk: 'Letters' }).update({ name });

  const create = (name: string) => application.strapi.documents(EDITOR).create({ data: { name } as never });

  const expectPurged = async (shows: string): Promise<void> => {
    const { cache, body } = await application.get(LIST);
    expect([cache, body.includes(shows)]).toEqual(['MISS', true]);
  };

  const expectKept = async (before: string): Promise<void> => {
    const { cache, body } = await application.get(LIST);
    expect([cache, body === before]).toEqual(['HIT', true]);
  };

  /** Writes with queries that are given the transaction. */
  const given = (transaction: Knex.Transaction, name: string) =>
    application.strapi.db.connection('editors').transacting(transaction).where({ desk: 'Letters' }).update({ name });

  /** Each makes one editor known by a name, within a transaction that is committed. */
  const COMMITTED: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'strapi.db.transaction(callback), when its promise resolves': (name) =>
      application.strapi.db.transaction(async () => {
        await rename(name);
        await create('Committed too');
      }),
    'nested ones, when the outermost commits': (name) =>
      application.strapi.db.transaction(() => application.strapi.db.transaction(() => rename(name))),
    'queries that are given the transaction': (name) =>
      application.strapi.db.transaction(({ trx }) => given(trx, name)),
    'knex’ own transactions': (name) =>
      application.strapi.db.connection.transaction((transaction) => named(transaction, name)),
    'a savepoint that is released': (name) =>
      application.strapi.db.connection.transaction(async (transaction) => {
        const saved = await transaction.transaction();
        await named(saved, name);
        await saved.commit();
      }),
  };

  const rollBack = (): never => {
    throw new Error('rolled back');
  };

  /** Each writes, and none of it is committed. */
  const ROLLED_BACK: Readonly<Record<string, () => Promise<unknown>>> = {
    'strapi.db.transaction(callback) that fails': () =>
      expect(application.strapi.db.transaction(() => rename('Never seen').then(rollBack))).rejects.toThrow(
        'rolled back',
      ),
    'one in which rollback() is called': () =>
      application.strapi.db.transaction(async ({ rollback }) => {
        await rename('Never seen either');
        await rollback();
      }),
    'a nested one, when the outer is rolled back': () =>
      expect(
        application.strapi.db.transaction(async () => {
          await application.strapi.db.transaction(() => rename('Nested in vain'));
          rollBack();
        }),
      ).rejects.toThrow('rolled back'),
    'one without a callback, at rollback()': async () => {
      const transaction = await application.strapi.db.transaction();
      await given(transaction.get(), 'Undone');
      await transaction.rollback();
    },
    'knex’ own transactions': () =>
      expect(
        application.strapi.db.connection.transaction((transaction) =>
          named(transaction, 'Undone by knex').then(rollBack),
        ),
      ).rejects.toThrow('rolled back'),
    'what is rolled back to a savepoint': () =>
      application.strapi.db.connection.transaction(async (transaction) => {
        const saved = await transaction.transaction();
        await named(saved, 'Back to the savepoint');
        await saved.rollback();
      }),
    'a write that fails': () =>
      expect(application.strapi.db.connection('editors').insert({ no_such_column: 1 })).rejects.toThrow(),
  };

  it.each(Object.entries(COMMITTED))('purges at commit: %s', async (what, write) => {
    await warm();
    const name = `By ${what}`.slice(0, 60);
    await write(name);
    await expectPurged(name);
  });

  it.each(Object.entries(ROLLED_BACK))('purges nothing: %s', async (_what, write) => {
    const before = await warm();
    await write();
    await expectKept(before);
  });

  it('purges at commit() of a transaction without a callback, and not before', async () => {
    const before = await warm();
    const transaction = await application.strapi.db.transaction();
    await given(transaction.get(), 'By hand');
    // The write is not committed, so nothing may be purged yet.
    if (application.strapi.db.dialect.client === 'postgres') await expectKept(before);
    await transaction.commit();
    await expectPurged('By hand');
  });

  it('keeps the order of statements that do not wait for each other', async () => {
    const editors = { desk: 'Letters' };
    const names = await application.strapi.db.connection.transaction(async (transaction) => {
      const read = () => transaction('editors').where(editors).pluck<string[]>('name').then();
      const [before, , after] = await Promise.all([
        read(),
        transaction('editors').where(editors).update({ name: 'Written in between' }).then(),
        read(),
      ]);
      return { before, after };
    });
    expect(names.before).not.toEqual(['Written in between']);
    expect(names.after).toEqual(['Written in between']);
  });

  it('calls onCommit when what it reads over HTTP is fresh', async () => {
    await warm();
    let seen = '';
    const told = new Promise<void>((resolve) => {
      void application.strapi.db.transaction(async ({ onCommit }) => {
        onCommit(async () => {
          seen = (await application.get(LIST)).body;
          resolve();
        });
        await rename('Seen on commit');
      });
    });
    await told;
    expect(seen).toContain('Seen on commit');
  });

  it('a response computed before a commit and finished after it is not served', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await rename(`Before ${attempt}`);
      const [early] = await Promise.all([application.get(LIST), rename(`After ${attempt}`)]);
      expect(early.status).toBe(200);
      expect((await application.get(LIST)).body).toContain(`After ${attempt}`);
      expect((await application.get(LIST)).body).toContain(`After ${attempt}`);
    }
  });
};
