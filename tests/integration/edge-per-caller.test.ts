import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { EdgePurge } from '../../server/src/cache/edge-purge';
import { redisUrl } from '../application/provider-under-test';
import { startApplication } from '../application/start-application';
import { missingRedis } from '../redis/redis-server';

/** An edge that gets nothing, because each caller has answers of their own, is told nothing but that it is a new start. */

const TAG = 'api::tag.tag';
const USER = 'plugin::users-permissions.user';

// Redis also knows what an earlier start has told.
describe.each([missingRedis === undefined ? 'redis' : 'memory'])('an edge that gets no answer, on %s', (name) => {
  const keyPrefix = `edge-${randomUUID()}:`;
  const stops: Array<() => Promise<void>> = [];
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it.each([
    ['at the first start', 3_600_000],
    ['at a start with another configuration', 60_000],
  ])('is told everything once, and nothing else, %s', async (_when, maxAge) => {
    const purges: EdgePurge[] = [];
    const options = name === 'redis' ? { connection: await redisUrl(), keyPrefix } : {};
    const application = await startApplication({
      restCache: {
        provider: { name, options },
        strategy: {
          maxAge,
          hitpass: false,
          keys: { useAuth: true },
          contentTypes: [TAG, 'api::article.article'],
          edge: { header: 'xkey', targets: [{ name: 'function', purge: (purge) => void purges.push(purge) }] },
        },
      },
    });
    stops.push(() => application.stop());
    expect(application.warnings.join('\n')).toContain(
      'strategy.edge has no effect: every cached route has keys.useAuth',
    );
    const told = async (): Promise<unknown> => {
      const { headers } = await application.get('/api/tags');
      return [headers.get('cache-control'), headers.get('xkey')];
    };
    await expect.poll(told, { timeout: 60_000 }).toEqual(['private, no-cache', null]);
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
    await application.stop();
    stops.pop();
  });
});
