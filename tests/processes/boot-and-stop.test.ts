import knex, { type Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { bearer } from '../application/callers';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';
import { missingRedis, RedisServer } from '../redis/redis-server';
import { StrapiProcess } from './strapi-process';

/** Every write has a number of its own. */
let latest = 1000;
const next = (): number => (latest += 1);

describe.skipIf(missingRedis !== undefined)(
  'what an instance writes while it stops and while it boots',
  { timeout: 300_000 },
  () => {
    const opened: StrapiProcess[] = [];
    let redis: RedisServer;
    let database: OwnDatabase;
    let connection: Knex;
    let reader: StrapiProcess;
    let documents: string[];
    let writing: Record<string, string>;

    const instance = (name: string, onRegister?: string): StrapiProcess => {
      const environment = { ...database.environment, CACHE_PROVIDER: 'redis', REDIS_URL: redis.url };
      const started = new StrapiProcess(name, { environment, ...(onRegister === undefined ? {} : { onRegister }) });
      opened.push(started);
      return started;
    };
    const pageOf = (documentId: string): string => `/api/articles/${documentId}?fields=views`;
    const read = async (from: StrapiProcess, documentId: string): Promise<{ cache: string | null; views: number }> => {
      const response = await from.request(pageOf(documentId));
      const { data } = (await response.json()) as { data: { views: number } };
      return { cache: response.headers.get('x-cache'), views: data.views };
    };
    const members = async (): Promise<number> =>
      redis.admin(async (client) => client.zcard((await client.keys('*:members'))[0] ?? ''));
    /** If an instance ends without notice, the others lose every entry once it has been silent for ten seconds. */
    const untilTheDeadAreMissed = async (): Promise<void> => {
      const live = opened.filter(({ isLive }) => isLive).length;
      await expect.poll(members, { timeout: 120_000 }).toBe(live);
    };
    const warm = async (from: StrapiProcess): Promise<void> => {
      await untilTheDeadAreMissed();
      for (const documentId of documents)
        for (const _ of [1, 2])
          await expect.poll(async () => (await read(from, documentId)).cache, { timeout: 120_000 }).toBe('HIT');
    };
    const inDatabase = async (documentId: string): Promise<number> => {
      const [row] = await connection('articles').whereNotNull('published_at').where({ document_id: documentId });
      return (row as { views: number }).views;
    };
    const shown = async (from: StrapiProcess): Promise<Record<string, number>> =>
      Object.fromEntries(
        await Promise.all(
          documents.map(async (documentId) => [documentId, (await read(from, documentId)).views] as const),
        ),
      );
    const truth = async (): Promise<Record<string, number>> =>
      Object.fromEntries(await Promise.all(documents.map(async (id) => [id, await inDatabase(id)] as const)));

    beforeAll(async () => {
      redis = await RedisServer.start();
      database = await postgresDatabase(8);
      const { DATABASE_HOST, DATABASE_PORT, DATABASE_USERNAME, DATABASE_NAME } = database.environment;
      connection = knex({
        client: 'pg',
        connection: {
          host: DATABASE_HOST ?? '',
          port: Number(DATABASE_PORT),
          user: DATABASE_USERNAME ?? '',
          database: DATABASE_NAME ?? '',
        },
        pool: { min: 0, max: 2 },
      });
      reader = instance('the reader');
      await reader.start();
      const admin = await logIn(reader);
      const token = await admin.post<{ data: { accessKey: string } }>('/admin/api-tokens', {
        ...{ name: 'stopping', description: '', type: 'full-access', lifespan: null },
      });
      writing = bearer(token.body.data.accessKey);
      const list = await (await reader.request('/api/articles?fields=views&sort=title&pagination[pageSize]=8')).json();
      documents = (list as { data: Array<{ documentId: string }> }).data.map(({ documentId }) => documentId);
    }, 300_000);

    afterAll(async () => {
      for (const process of opened) await process.remove();
      await connection.destroy();
      await redis.end();
      await database.drop();
    });

    const where = (documentId: string | undefined): string =>
      `strapi.db.connection('articles').where({ document_id: ${JSON.stringify(documentId)} })`;

    it('keeps the entries of the others when an instance boots and stops without a word, or ends at once', async () => {
      await warm(reader);
      const another = instance('an ordinary one');
      await another.start();
      await another.stop();
      for (const documentId of documents) expect((await read(reader, documentId)).cache).toBe('HIT');
      // Most of Strapi's commands end so.
      await another.start();
      expect(await members()).toBe(2);
      await another.run('setImmediate(() => process.exit(0));');
      await another.ended();
      // Sooner than it would be missed.
      await expect.poll(members, { timeout: 2000 }).toBe(1);
      for (const documentId of documents) expect((await read(reader, documentId)).cache).toBe('HIT');
    });

    it('tells the others what is committed after SIGTERM', async () => {
      const stopping = instance('the one that stops');
      await stopping.start();
      await warm(reader);
      await warm(stopping);
      // Four transactions at once, two of each kind. None of them is awaited.
      for (const [index, wait] of [100, 2000, 500, 1000].entries()) {
        const update = where(documents[index]);
        await stopping.run(
          index % 2 === 0
            ? `const trx = await strapi.db.connection.transaction();
             await ${update}.transacting(trx).update({ views: ${next()} });
             process.once('SIGTERM', () => delay(${wait}).then(() => trx.commit()));`
            : `await new Promise((resolve, reject) => {
               strapi.db.transaction(async ({ trx }) => {
                 await ${update}.transacting(trx).update({ views: ${next()} });
                 resolve();
                 await new Promise((end) => process.once('SIGTERM', () => delay(${wait}).then(end)));
               }).catch(reject);
             });`,
        );
      }
      // In addition, a request whose handler takes some time.
      await stopping.run(`
      const terminated = new Promise((resolve) => process.once('SIGTERM', resolve));
      const slowly = async () => { process.send({ arrived: true }); await terminated; await delay(700); };
      strapi.db.lifecycles.subscribe({
        models: ['api::article.article'], beforeUpdate: slowly, beforeCreate: slowly, beforeDelete: slowly,
      });`);
      const arrived = stopping.message('arrived');
      const request = stopping
        .request(`/api/articles/${documents[4]}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', ...writing },
          body: JSON.stringify({ data: { views: next() } }),
        })
        .catch(() => undefined);
      await arrived;
      const before = await truth();
      await stopping.stop();
      await request;
      const after = await truth();
      expect(documents.map((id) => before[id] !== after[id])).toEqual([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(await shown(reader)).toEqual(after);
      await stopping.start();
      expect(await shown(stopping)).toEqual(after);
      await stopping.stop();
    });

    it('tells the others what is written after the plugin was destroyed, and answers from the origin', async () => {
      const destroyed = instance('the one whose plugin is destroyed');
      await destroyed.start();
      await warm(reader);
      await warm(destroyed);
      await destroyed.run(`await strapi.plugin('rest-cache').destroy({ strapi });`);
      for (const documentId of documents) expect((await read(destroyed, documentId)).cache).not.toBe('HIT');
      await destroyed.run(`await ${where(documents[0])}.update({ views: ${next()} });`);
      await destroyed.run(`const documents = strapi.documents('api::article.article');
      await documents.update({ documentId: ${JSON.stringify(documents[1])}, data: { views: ${next()} }, status: 'published' });`);
      expect(await shown(reader)).toEqual(await truth());
      expect(await shown(destroyed)).toEqual(await truth());
      await destroyed.stop();
    });

    it('leaves nothing stale when the application ends itself at once', async () => {
      const ending = instance('the one that ends itself');
      await ending.start();
      await warm(reader);
      await ending
        .run(
          `const trx = await strapi.db.connection.transaction();
         await ${where(documents[0])}.transacting(trx).update({ views: ${next()} });
         void trx.commit();
         setTimeout(() => strapi.stop(), 1);`,
        )
        .catch(() => undefined);
      await ending.ended();
      // Whether the write was committed is left to chance. Its announced tags are stamped once no process renews the
      // announcement.
      await expect.poll(async () => shown(reader), { timeout: 60_000, interval: 200 }).toEqual(await truth());
    });

    it('tells the others what was written before anybody could observe it', async () => {
      await warm(reader);
      const values = documents.slice(0, 4).map(() => next());
      const name = `rest-cache-test-1-${values[0]}`;
      const migrating = instance(
        'the one that migrates',
        `const write = (index, trx = strapi.db.connection) =>
         trx('articles').where({ document_id: ${JSON.stringify(documents)}[index] })
           .update({ views: ${JSON.stringify(values)}[index] });
       await write(0);
       strapi.db.migrations.providers.internal.register({
         name: '${name}', up: async (trx) => { await write(1, trx); }, down: async () => undefined,
       });
       strapi.hook('strapi::content-types.beforeSync').register(() => write(2));
       const trx = await strapi.db.connection.transaction();
       await write(3, trx);
       setTimeout(() => trx.commit(), 1500);`,
      );
      await migrating.start();
      const left = Object.fromEntries(documents.slice(0, 3).map((id, index) => [id, values[index]]));
      expect(await truth()).toMatchObject(left);
      expect(await shown(reader)).toMatchObject(left);
      await expect.poll(() => inDatabase(documents[3] ?? ''), { timeout: 120_000 }).toBe(values[3]);
      expect(await shown(reader)).toEqual(await truth());
      await migrating.kill();
    });

    it('takes from the others what it may have written, where it cannot see what it writes', async () => {
      await warm(reader);
      const blind = instance(
        'the one that cannot see',
        `const { getSchemaName } = strapi.db;
         strapi.db.getSchemaName = () => {
           if (new Error().stack.includes('observeDatabase')) throw new Error('made otherwise');
           return getSchemaName.call(strapi.db);
         };`,
      );
      await blind.start();
      expect(blind.output).toContain('nothing is cached, every request goes to Strapi');
      expect(blind.output).toContain('cannot see the writes of this one');
      for (const documentId of documents) expect((await read(reader, documentId)).cache).not.toBe('HIT');
      await warm(reader);
      const value = next();
      const response = await blind.request(`/api/articles/${documents[6]}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...writing },
        body: JSON.stringify({ data: { views: value } }),
      });
      expect(response.status).toBe(200);
      expect((await read(reader, documents[6] ?? '')).views).toBe(value);
      expect((await read(blind, documents[6] ?? '')).cache).not.toBe('HIT');
      await blind.stop();
    });

    it('tells the others of a migration whose instance died before it could', async () => {
      const value = next();
      // A new name for each attempt, because a failed one leaves its migration in the database.
      const name = `rest-cache-test-2-${value}`;
      const migration = `strapi.db.migrations.providers.internal.register({
      name: '${name}', down: async () => undefined,
      up: async (trx) => {
        await trx('articles').where({ document_id: '${documents[5]}' }).update({ views: ${value} });
      },
    });`;
      await warm(reader);
      const dying = instance(
        'the one that dies',
        `${migration}
       strapi.hook('strapi::content-types.beforeSync').register(() => undefined);
       const sync = strapi.db.schema.sync;
       strapi.db.schema.sync = async () => { await sync(); process.exit(1); };`,
      );
      await expect(dying.start()).rejects.toThrow('ended with 1');
      expect(await inDatabase(documents[5] ?? '')).toBe(value);
      const following = instance('the one that boots after it', migration);
      await following.start();
      expect(await shown(reader)).toEqual(await truth());
      // The migration is announced only once: instances that boot later do not purge anything.
      await warm(reader);
      const later = instance('the one that boots later', migration);
      await later.start();
      for (const documentId of documents) expect((await read(reader, documentId)).cache).toBe('HIT');
    });
  },
);
