import { beforeAll, describe, expect, it } from 'vitest';
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

  const create = (name: string) => application.strapi.documents(EDITOR).create({ data: { name } as never });

  const expectPurged = async (shows: string): Promise<void> => {
    const { cache, body } = await application.get(LIST);
    expect([cache, body.includes(shows)]).toEqual(['MISS', true]);
  };

  const expectKept = async (before: string): Promise<void> => {
    const { cache, body } = await application.get(LIST);
    expect([cache, body === before]).toEqual(['HIT', true]);
  };

  describe('strapi.db.transaction(callback)', () => {
    it('purges at commit, when its promise resolves', async () => {
      await warm();
      await application.strapi.db.transaction(async () => {
        await rename('Committed once');
        await create('Committed too');
      });
      await expectPurged('Committed once');
    });

    it('purges nothing when it is rolled back', async () => {
      const before = await warm();
      await expect(
        application.strapi.db.transaction(async () => {
          await rename('Never seen');
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      await expectKept(before);
    });

    it('purges nothing when rollback() is called in it', async () => {
      const before = await warm();
      await application.strapi.db.transaction(async ({ rollback }) => {
        await rename('Never seen either');
        await rollback();
      });
      await expectKept(before);
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

    it('purges once the outermost commits, nested ones included', async () => {
      await warm();
      await application.strapi.db.transaction(async () => {
        await application.strapi.db.transaction(async () => {
          await rename('Nested');
        });
      });
      await expectPurged('Nested');
    });

    it('purges nothing of a nested one when the outer is rolled back', async () => {
      const before = await warm();
      await expect(
        application.strapi.db.transaction(async () => {
          await application.strapi.db.transaction(async () => {
            await rename('Nested in vain');
          });
          throw new Error('outer');
        }),
      ).rejects.toThrow('outer');
      await expectKept(before);
    });

    it('purges with queries that are given the transaction', async () => {
      await warm();
      await application.strapi.db.transaction(async ({ trx }) => {
        await application.strapi.db
          .connection('editors')
          .transacting(trx)
          .where({ desk: 'Letters' })
          .update({ name: 'Given' });
      });
      await expectPurged('Given');
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
  });

  describe('strapi.db.transaction() without a callback', () => {
    it('purges at commit()', async () => {
      const before = await warm();
      const transaction = await application.strapi.db.transaction();
      await application.strapi.db
        .connection('editors')
        .transacting(transaction.get())
        .where({ desk: 'Letters' })
        .update({ name: 'By hand' });
      // The write is not committed, so nothing may be purged yet.
      if (application.strapi.db.dialect.client === 'postgres') await expectKept(before);
      await transaction.commit();
      await expectPurged('By hand');
    });

    it('purges nothing at rollback()', async () => {
      const before = await warm();
      const transaction = await application.strapi.db.transaction();
      await application.strapi.db
        .connection('editors')
        .transacting(transaction.get())
        .where({ desk: 'Letters' })
        .update({ name: 'Undone' });
      await transaction.rollback();
      await expectKept(before);
    });
  });

  describe('knex’ own transactions', () => {
    it('purge at commit and not at rollback', async () => {
      const knex = application.strapi.db.connection;
      const before = await warm();
      await expect(
        knex.transaction(async (trx) => {
          await trx('editors').where({ desk: 'Letters' }).update({ name: 'Undone by knex' });
          throw new Error('knex rolls back');
        }),
      ).rejects.toThrow('knex rolls back');
      await expectKept(before);
      await knex.transaction(async (trx) => {
        await trx('editors').where({ desk: 'Letters' }).update({ name: 'Done by knex' });
      });
      await expectPurged('Done by knex');
    });

    it('savepoints: what is rolled back to one purges nothing', async () => {
      const knex = application.strapi.db.connection;
      const before = await warm();
      await knex.transaction(async (trx) => {
        const saved = await trx.transaction();
        await saved('editors').where({ desk: 'Letters' }).update({ name: 'Back to the savepoint' });
        await saved.rollback();
      });
      await expectKept(before);
      await knex.transaction(async (trx) => {
        const saved = await trx.transaction();
        await saved('editors').where({ desk: 'Letters' }).update({ name: 'Released' });
        await saved.commit();
      });
      await expectPurged('Released');
    });
  });

  it('a write that fails purges nothing', async () => {
    const before = await warm();
    await expect(application.strapi.db.connection('editors').insert({ no_such_column: 1 })).rejects.toThrow();
    await expectKept(before);
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
