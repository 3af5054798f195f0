import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Activity, Metrics } from '../../admin/src/api/responses';
import type { EdgePurge } from '../../server/src/cache/edge-purge';
import { logIn } from '../application/admin-session';
import { TEMPLATE_DATABASE } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';
import { missingRedis, RedisServer } from '../redis/redis-server';

/** What one start leaves to the next, where the store is Redis and lasts. */

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const USER = 'plugin::users-permissions.user';
const WARNING = 'strategy.edge has no effect: every cached route has keys.useAuth';

describe.skipIf(missingRedis !== undefined)('an application on Redis that is started twice', () => {
  let directory: string;
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
    directory = mkdtempSync(path.join(tmpdir(), 'starts-'));
    cpSync(TEMPLATE_DATABASE, path.join(directory, 'data.db'));
  });
  afterAll(async () => {
    await redis.end();
    rmSync(directory, { recursive: true });
  });

  /** What an admin has done in the first start. */
  let done: { readonly documentId: string; readonly since: number; readonly until: number };

  const act = async (application: Application): Promise<void> => {
    const since = Date.now();
    const admin = await logIn(application);
    const { body: list } = await application.get('/api/articles?sort=title');
    const { documentId } = (JSON.parse(list) as { data: [{ documentId: string }] }).data[0];
    await admin.post('/rest-cache/purge-documents', { contentType: ARTICLE, documents: [documentId] });
    await admin.put(`/content-manager/collection-types/${ARTICLE}/${documentId}`, { title: 'Changed' });
    const { body: metrics } = await admin.get<Metrics>('/rest-cache/metrics');
    const text = metrics.warnings.find((warning) => warning.text.includes(WARNING))?.text;
    await admin.post('/rest-cache/warnings', { warning: text, reason: 'We know.' });
    done = { documentId, since, until: Date.now() };
  };

  describe.each([
    ['first', 3_600_000],
    ['second, with another configuration', 60_000],
  ])('the %s start', (which, maxAge) => {
    const purges: EdgePurge[] = [];
    let application: Application;

    beforeAll(async () => {
      application = await startApplication({
        sqlite: path.join(directory, 'data.db'),
        restCache: {
          provider: { name: 'redis', getTimeout: 5000, options: { connection: redis.url } },
          strategy: {
            maxAge,
            hitpass: false,
            keys: { useAuth: true },
            contentTypes: [TAG, ARTICLE],
            edge: { header: 'xkey', targets: [{ name: 'function', purge: (purge) => void purges.push(purge) }] },
          },
        },
      });
      // The Redis provider starts to serve one second after it has connected. During that second it may still hear of
      // writes of other processes.
      const store = application.strapi.plugin('rest-cache').service<{ readonly ready: boolean }>('cacheStore');
      await vi.waitFor(() => expect(store.ready).toBe(true), { timeout: 60_000 });
    });
    afterAll(() => application.stop());

    it('tells an edge that gets no answer, because each caller has their own, everything once and nothing else', async () => {
      expect(application.warnings.join('\n')).toContain(WARNING);
      const { headers } = await application.get('/api/tags');
      expect([headers.get('cache-control'), headers.get('xkey')]).toEqual(['private, no-cache', null]);
      const { strapi } = application;
      await strapi.db.query(USER).create({ data: { username: `unheard ${maxAge}`, email: `${maxAge}@example.com` } });
      await strapi.documents(TAG).create({ data: { name: 'New' } as never, status: 'published' });
      // Every purge is repeated once.
      await expect.poll(() => purges.length, { timeout: 60_000 }).toBe(2);
      await strapi.documents(TAG).create({ data: { name: 'Newer' } as never, status: 'published' });
      const [first, second] = purges;
      expect(purges).toEqual([
        { sequence: 1, keys: [first?.keys[0]], documents: [] },
        { sequence: 2, keys: second?.keys, documents: [] },
      ]);
      expect(second?.keys).toEqual(first?.keys);
      if (which === 'first') await act(application);
    });

    it.skipIf(which === 'first')('shows who purged, changed and acknowledged what before, and when', async () => {
      const admin = await logIn(application);
      const { warnings } = (await admin.get<Metrics>('/rest-cache/metrics')).body;
      const acknowledged = warnings.find(({ text }) => text.includes(WARNING))?.acknowledged;
      expect(acknowledged).toMatchObject({ reason: 'We know.' });
      const { results } = (await admin.get<{ results: Activity[] }>('/rest-cache/activity')).body;
      const subject = { kind: 'documents', contentType: { uid: ARTICLE }, documentIds: [done.documentId] };
      const ofAdmin = { actor: { kind: 'admin', name: expect.any(String) as unknown }, subject };
      const [purge, ...furtherPurges] = results.filter(({ kind }) => kind === 'purge');
      expect(purge).toMatchObject({ ...ofAdmin, entries: null });
      expect(furtherPurges).toEqual([]);
      const changes = results.filter(
        ({ kind, ...activity }) => kind === 'write' && activity.subject.kind === 'documents',
      );
      expect(changes).toContainEqual(expect.objectContaining({ actor: purge?.actor, subject: purge?.subject }));
      expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
      expect(purge?.at).toBeGreaterThanOrEqual(done.since);
      expect(purge?.at).toBeLessThanOrEqual(done.until);
    });
  });
});
