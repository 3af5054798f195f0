import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EdgeKey } from '../../server/src/cache/edge-purge';
import { logIn } from '../application/admin-session';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** "Keys with every answer", whichever lane sends it. */

interface CacheStore {
  keys(): Promise<string[]>;
  del(key: string): Promise<boolean>;
}

const TAG = 'api::tag.tag';

describe('on the miss, on the second answer, which is the route lane’s, and in front', () => {
  let application: Application;
  const purged = new Set<EdgeKey>();
  let isDown = false;

  beforeAll(async () => {
    application = await startApplication({
      restCache: {
        strategy: {
          lane: 'front',
          contentTypes: [TAG],
          edge: {
            header: 'xkey',
            targets: [
              {
                name: 'function',
                purge: ({ keys }) => {
                  if (isDown) throw new Error('down');
                  for (const key of keys) purged.add(key);
                },
              },
            ],
          },
        },
      },
    });
  });
  afterAll(() => application.stop());

  const keysOf = async (): Promise<string[]> => {
    const { headers } = await rawRequest(application, '/api/tags');
    expect(headers['cache-control']).toContain('s-maxage');
    return String(headers.xkey).split(' ');
  };

  it('has a purge of single entries reach the edge as well', async () => {
    const keys = await keysOf();
    const isPurged = (): boolean => keys.some((key) => purged.has(key as EdgeKey));
    const store = application.strapi.plugin('rest-cache').service<CacheStore>('cacheStore');
    purged.clear();
    expect(await store.del((await store.keys())[0] ?? '')).toBe(true);
    expect(isPurged()).toBe(true);
    const again = await keysOf();
    purged.clear();
    const admin = await logIn(application);
    expect(await admin.post('/rest-cache/purge-entries', { search: '/api/tags' })).toMatchObject({ status: 200 });
    expect(again.some((key) => purged.has(key as EdgeKey))).toBe(true);
    purged.clear();
  });

  it('gives a minute at most while the target is down, so that what is not purged ends by itself', async () => {
    const told = async (): Promise<string | undefined> =>
      (await rawRequest(application, '/api/tags')).headers['cache-control'];
    await expect.poll(told, { timeout: 60_000 }).toContain('s-maxage=3600');
    isDown = true;
    await application.strapi.documents(TAG).create({ data: { name: 'Unheard' } as never, status: 'published' });
    // A miss, and hits in any lane.
    for (let reads = 0; reads < 4; reads += 1)
      expect(await told()).toBe('public, max-age=0, must-revalidate, s-maxage=60');
    isDown = false;
    await expect.poll(told, { timeout: 60_000 }).toContain('s-maxage=3600');
  });

  it('says the same keys with a miss and with every hit, those of permissions among them', async () => {
    const first = await keysOf();
    for (let hits = 0; hits < 4; hits += 1) expect(await keysOf()).toEqual(first);
    // The plugin has purged everything when it started.
    purged.clear();
    await application.strapi.documents(TAG).create({ data: { name: 'New' } as never, status: 'published' });
    const ofContent = first.filter((key) => purged.has(key as EdgeKey));
    purged.clear();
    await application.strapi.db
      .query('plugin::users-permissions.permission')
      .deleteMany({ where: { action: `${TAG}.find` } });
    const ofPermissions = first.filter((key) => purged.has(key as EdgeKey));
    expect([ofContent.length > 0, ofPermissions.length > 0]).toEqual([true, true]);
    expect(ofPermissions.some((key) => ofContent.includes(key))).toBe(false);
  });
});
