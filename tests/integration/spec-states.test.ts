import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { createApiToken, logInCustomer } from '../application/callers';
import { runningApplication } from './running-application';

/**
 * "States and transitions" of the specification: the rows that take time, roles or a purge. The others: decisions.test.ts
 * in tests/unit/http, responses.ts, http-bytes.test.ts and invalidation.test.ts.
 */

const ARTICLE = 'api::article.article';
const ORDER = 'api::order.order';
const CATEGORY = 'api::category.category';

let admin: AdminSession;
let alice: Awaited<ReturnType<typeof logInCustomer>>;
let bob: Awaited<ReturnType<typeof logInCustomer>>;

const application = runningApplication(
  {},
  {
    contentTypes: [
      ARTICLE,
      { contentType: ORDER, hitpass: false, keys: { useAuth: true } },
      { contentType: CATEGORY, maxAge: 2000 },
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

describe('row 4: age exceeds maxAge', () => {
  it('the entry expires, in every lane, and is not among the keys any more', async () => {
    expect(await outcomes('/api/categories?row4')).toEqual(['MISS', 'HIT', 'HIT']);
    const entries = async (): Promise<string[]> => (await keys()).filter((key) => key.includes('row4'));
    await expect.poll(entries, { timeout: 20_000 }).toEqual([]);
    expect(await outcomes('/api/categories?row4')).toEqual(['MISS', 'HIT', 'HIT']);
  });
});

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

// Narrowed by params: purged-by-hand.ts, services.test.ts.
describe('row 7: a purge call', () => {
  it('removes the entries of the content type, of every caller, and no others', async () => {
    for (const { headers } of [alice, bob])
      expect(await outcomes('/api/orders?row7', headers)).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await outcomes('/api/articles?row7')).toEqual(['MISS', 'HIT', 'HIT']);
    expect((await admin.post('/rest-cache/purge', { contentType: ORDER })).status).toBe(200);
    for (const { headers } of [alice, bob]) expect(await outcome('/api/orders?row7', headers)).toBe('MISS');
    expect(await outcome('/api/articles?row7')).toBe('HIT');
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

  it('when a token loses a scope, which denies its next request', async () => {
    const token = await createApiToken(application, 'custom', ['api::author.author.find']);
    expect(await outcomes('/api/authors?row8=token', token.headers)).toEqual(['MISS', 'HIT', 'HIT']);
    const before = (await keys()).sort();
    await application.strapi
      .service('admin::api-token')
      .update(token.id, { type: 'custom', permissions: ['api::tag.tag.find'] });
    expect((await keys()).sort()).toEqual(before);
    expect((await application.get('/api/authors?row8=token', token.headers)).status).toBe(403);
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
