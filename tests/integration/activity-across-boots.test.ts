import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Activity, DocumentEntries, Metrics } from '../../admin/src/api/responses';
import { logIn } from '../application/admin-session';
import { TEMPLATE_DATABASE } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';
import { missingRedis, RedisServer } from '../redis/redis-server';

/** The activity, and when a document was last purged, survive a restart of Strapi if the store does. */
describe.skipIf(missingRedis !== undefined)('After a restart, on Redis', () => {
  let directory: string;
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
    directory = mkdtempSync(path.join(tmpdir(), 'activity-'));
    cpSync(TEMPLATE_DATABASE, path.join(directory, 'data.db'));
  });
  afterAll(async () => {
    await redis.end();
    rmSync(directory, { recursive: true });
  });

  /**
   * The Redis provider starts to serve one second after it has connected. During that second it may still hear of
   * writes of other processes.
   */
  const boot = async (): Promise<Application> => {
    const application = await startApplication({
      sqlite: path.join(directory, 'data.db'),
      restCache: {
        provider: { name: 'redis', getTimeout: 5000, options: { connection: redis.url } },
        strategy: { contentTypes: ['api::article.article', { contentType: 'api::tag.tag', hitpass: false }] },
      },
    });
    const store = application.strapi.plugin('rest-cache').service<{ readonly ready: boolean }>('cacheStore');
    await expect.poll(() => store.ready, { timeout: 20_000 }).toBe(true);
    return application;
  };

  it('says who purged and changed what, when a document was last purged, and which warning is acknowledged', async () => {
    const first = await boot();
    const admin = await logIn(first);
    const { documentId } = (
      JSON.parse((await first.get('/api/articles?sort=title')).body) as {
        data: [{ documentId: string }];
      }
    ).data[0];
    const started = Date.now();
    await admin.post('/rest-cache/purge-documents', { contentType: 'api::article.article', documents: [documentId] });
    await admin.put(`/content-manager/collection-types/api::article.article/${documentId}`, { title: 'Changed' });
    const { body: metrics } = await admin.get<Metrics>('/rest-cache/metrics');
    const text = metrics.warnings.find((warning) => warning.text.includes('api::tag.tag'))?.text;
    await admin.post('/rest-cache/warnings', { warning: text, reason: 'We know.' });
    await first.stop();

    const second = await boot();
    const session = await logIn(second);
    const { body: after } = await session.get<Metrics>('/rest-cache/metrics');
    expect(after.warnings.find((warning) => warning.text === text)?.acknowledged).toMatchObject({ reason: 'We know.' });
    const { body } = await session.get<{ results: Activity[] }>('/rest-cache/activity');
    const subject = { kind: 'documents', contentType: { uid: 'api::article.article' }, documentIds: [documentId] };
    const ofAdmin = { actor: { kind: 'admin', name: expect.any(String) }, subject };
    const [purge, ...furtherPurges] = body.results.filter(({ kind }) => kind === 'purge');
    expect(purge).toMatchObject({ ...ofAdmin, entries: null });
    expect(furtherPurges).toEqual([]);
    const changes = body.results.filter(
      (activity) => activity.kind === 'write' && activity.subject.kind === 'documents',
    );
    expect(changes).toContainEqual(expect.objectContaining({ actor: purge?.actor, subject: purge?.subject }));
    expect(new Set(body.results.map(({ id }) => id)).size).toBe(body.results.length);
    const usage = await session.get<DocumentEntries>(`/rest-cache/documents/api::article.article/${documentId}`);
    expect(usage.body.lastPurged).toBeGreaterThanOrEqual(started);
    expect(usage.body.lastPurged).toBeLessThanOrEqual(Date.now());
    await second.stop();
  });
});
