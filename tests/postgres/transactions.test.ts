import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { describeTransactions } from '../application/transactions';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';

const restCache = { strategy: { enableXCacheHeaders: true, contentTypes: ['api::writer.editor'] } };

let database: OwnDatabase;

beforeAll(async () => {
  database = await postgresDatabase();
});
afterAll(() => database.drop());

describe('on PostgreSQL', () => {
  describeTransactions(() => startApplication({ restCache, environment: database.environment }));
});

describe('on PostgreSQL, while others read', () => {
  let application: Application;
  beforeAll(async () => {
    application = await startApplication({ restCache, environment: database.environment });
  });
  afterAll(() => application.stop());

  it('an entry made during a transaction that had written already is purged at its commit', async () => {
    const list = '/api/editors?sort=id&during';
    const transaction = await application.strapi.db.transaction();
    const editors = application.strapi.db.connection('editors').transacting(transaction.get());
    await editors.where({ desk: 'Pictures' }).update({ name: 'Seen after commit' });
    const during = await application.get(list);
    expect(during.body).not.toContain('Seen after commit');
    expect((await application.get(list)).cache).toBe('HIT');
    await transaction.commit();
    const after = await application.get(list);
    expect([after.cache, after.body.includes('Seen after commit')]).toEqual(['MISS', true]);
  });
});
