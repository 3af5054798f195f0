import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { logInCustomer } from '../application/callers';
import { runningApplication } from './running-application';

/**
 * "States and transitions" of the specification: the rows about roles. The others: decisions.test.ts in tests/unit/http,
 * freshness.test.ts in tests/unit/cache, responses.ts, http-bytes.test.ts, purged-by-hand.ts and invalidation.test.ts.
 */

const ARTICLE = 'api::article.article';
const ORDER = 'api::order.order';

let admin: AdminSession;
let alice: Awaited<ReturnType<typeof logInCustomer>>;
let bob: Awaited<ReturnType<typeof logInCustomer>>;

const application = runningApplication(
  {},
  {
    contentTypes: [
      ARTICLE,
      { contentType: ORDER, hitpass: false, keys: { useAuth: true } },
      { contentType: 'api::author.author', hitpass: false, keys: { useAuth: true } },
    ],
  },
);

beforeAll(async () => {
  admin = await logIn(application);
  alice = await logInCustomer(application, 'alice');
  bob = await logInCustomer(application, 'bob');
});

const outcome = async (path: string, headers: Record<string, string> = {}): Promise<string | null> =>
  (await application.get(path, headers)).cache;

const outcomes = async (path: string, headers: Record<string, string> = {}): Promise<Array<string | null>> => [
  await outcome(path, headers),
  await outcome(path, headers),
  await outcome(path, headers),
];

const keys = (): Promise<string[]> => cacheStore(application).keys();

describe('row 6: deletion of a users-permissions role', () => {
  it('resets the entire cache', async () => {
    const created = await admin.post('/users-permissions/roles', {
      name: 'Short-lived',
      description: 'row 6',
      permissions: {},
    });
    expect(created.status).toBe(200);
    const role = (await application.strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { name: 'Short-lived' } })) as { id: number };
    for (const path of ['/api/articles?row6', '/api/authors?row6'])
      expect(await outcomes(path)).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await outcome('/api/orders?row6', alice.headers)).toBe('MISS');
    const answer = await application.request(`/users-permissions/roles/${role.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect(answer.status).toBe(200);
    expect(await keys()).toEqual([]);
    for (const path of ['/api/articles?row6', '/api/authors?row6']) expect(await outcome(path)).toBe('MISS');
    expect(await outcome('/api/orders?row6', alice.headers)).toBe('MISS');
  });
});

describe('row 8: nothing is purged', () => {
  it('when the admin panel saves a role', async () => {
    const role = (await application.strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { type: 'authenticated' } })) as { id: number };
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
    const shown = (await (await application.request(`/users-permissions/roles/${role.id}`, { headers })).json()) as {
      role: { permissions: Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }> };
    };
    const { permissions } = shown.role;
    const create = permissions['api::tag']?.controllers.tag?.create;
    if (create === undefined) throw new Error('the role shows no such action');
    create.enabled = true;
    expect(await outcomes('/api/articles?row8=panel')).toEqual(['MISS', 'HIT', 'HIT']);
    const before = (await keys()).sort();
    const saved = await application.request(`/users-permissions/roles/${role.id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ name: 'Authenticated', description: 'saved', permissions }),
    });
    expect(saved.status).toBe(200);
    expect((await keys()).sort()).toEqual(before);
    expect(await outcome('/api/articles?row8=panel')).toBe('HIT');
  });

  // The document service saves a new `published_at`, which must not count as a change of the user
  // (dependencies/change-tags.ts).
  it('when a user moves between roles', async () => {
    const { strapi } = application;
    const role = (await strapi.db
      .query('plugin::users-permissions.role')
      .create({ data: { name: 'Moved', description: 'row 8', type: 'moved' } })) as { id: number };
    for (const action of ['api::order.order.find', 'api::author.author.find']) {
      await strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
    }
    const { id: updatedBy } = (await strapi.db
      .query('admin::user')
      .create({ data: { email: 'row8@example.com' } })) as { id: number };
    expect(await outcomes('/api/authors?row8=moved', bob.headers)).toEqual(['MISS', 'HIT', 'HIT']);
    const before = (await keys()).sort();
    await strapi.service('plugin::users-permissions.user').edit(bob.id, { role: role.id });
    expect((await keys()).sort()).toEqual(before);
    expect(await outcome('/api/authors?row8=moved', bob.headers)).toBe('HIT');
    // The panel notes which admin has done it.
    await strapi.db
      .query('plugin::users-permissions.user')
      .update({ where: { id: bob.id }, data: { role: role.id, updatedBy } });
    expect((await keys()).sort()).toEqual(before);
  });
});
