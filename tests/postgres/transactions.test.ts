import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { grant, revoke } from '../application/callers';
import { startApplication, type Application } from '../application/start-application';
import { describeTransactions } from '../application/transactions';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';

const restCache = { strategy: { enableXCacheHeaders: true, contentTypes: ['api::writer.editor'] } };

let database: OwnDatabase;
let application: Application;

beforeAll(async () => {
  database = await postgresDatabase();
  application = await startApplication({ restCache, environment: database.environment });
});
afterAll(async () => {
  await application.stop();
  await database.drop();
});

describe('on PostgreSQL', () => {
  describeTransactions(() => application);
});

it('on PostgreSQL, a purge takes a parameter that no column can hold', async () => {
  const admin = await logIn(application);
  for (const id of ['1', '99999999999', '-99999999999', '\u0000', 2 ** 40, 1.5]) {
    const { status } = await admin.post('/rest-cache/purge', { contentType: 'api::writer.editor', params: { id } });
    expect([id, status]).toEqual([id, 200]);
  }
});

describe('on PostgreSQL, while others read', () => {
  it('permissions of anonymous callers are looked up once by each miss, and what is revoked is denied at once', async () => {
    const asked: string[] = [];
    const note = ({ sql }: { sql: string }): void => void asked.push(sql);
    const ask = async (url: string): Promise<{ status: number; permissions: number; queries: number }> => {
      asked.length = 0;
      const { status } = await application.get(url);
      return { status, permissions: asked.filter((sql) => sql.includes('up_')).length, queries: asked.length };
    };
    application.strapi.db.connection.on('query', note);
    try {
      await ask('/api/editors?sort=id&looked-up=1');
      const miss = await ask('/api/editors?sort=id&looked-up=2');
      expect(miss).toEqual({ status: 200, permissions: 1, queries: miss.queries });
      expect(miss.queries).toBeGreaterThan(1);
      await revoke(application, 'public', 'api::writer.editor.find');
      expect((await ask('/api/editors?sort=id&looked-up=3')).status).toBe(403);
      await grant(application, 'public', 'api::writer.editor.find');
      expect(await ask('/api/editors?sort=id&looked-up=4')).toMatchObject({ status: 200, permissions: 1 });
    } finally {
      application.strapi.db.connection.removeListener('query', note);
    }
  });

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
