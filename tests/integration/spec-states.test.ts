import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { createApiToken, grant, logInCustomer, revoke } from '../application/callers';
import { runningApplication } from './running-application';

/** The table "States and transitions" of the specification, row by row. */

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
      { contentType: ARTICLE, routes: ['/api/visits'] },
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

const orderOf = async (
  headers: Record<string, string>,
): Promise<{ documentId: string; number: string; total: number }> => {
  const { body } = await application.get('/api/orders?sort=number', headers);
  return (JSON.parse(body) as { data: [{ documentId: string; number: string; total: number }] }).data[0];
};

describe('row 1: default hitpass, a request with an authorization or cookie header', () => {
  it.each([
    ['a cookie', { cookie: 'theme=dark' }],
    ['an authorization header that Strapi ignores', { authorization: 'Basic YTpi' }],
  ])('%s: HITPASS, and nothing is stored', async (what, headers) => {
    const path = `/api/articles?row1=${encodeURIComponent(what)}`;
    expect(await outcomes(path, headers)).toEqual(['HITPASS', 'HITPASS', 'HITPASS']);
    expect(await outcome(path)).toBe('MISS');
  });

  it("a user's JWT and an API token: HITPASS, and nothing is stored", async () => {
    const token = await createApiToken(application, 'full-access');
    for (const headers of [alice.headers, token.headers]) {
      expect(await outcomes('/api/articles?row1=credential', headers)).toEqual(['HITPASS', 'HITPASS', 'HITPASS']);
    }
    expect(await outcome('/api/articles?row1=credential')).toBe('MISS');
  });

  it('even where anonymous callers have an entry', async () => {
    expect(await outcomes('/api/articles?row1=entry')).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await outcome('/api/articles?row1=entry', { cookie: 'theme=dark' })).toBe('HITPASS');
    expect(await outcome('/api/articles?row1=entry')).toBe('HIT');
  });
});

describe('rows 2 and 3: no entry, and an entry', () => {
  it('MISS stores the response, HIT serves it and leaves the entry unchanged', async () => {
    const path = '/api/articles?rows=2,3';
    const first = await application.get(path);
    const [key = ''] = (await keys()).filter((candidate) => candidate.includes('rows=2'));
    const entry = (await cacheStore(application).get(key)) as { createdAt: number };
    const second = await application.get(path);
    const third = await application.get(path);
    expect([first.cache, second.cache, third.cache]).toEqual(['MISS', 'HIT', 'HIT']);
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    const later = (await cacheStore(application).get(key)) as { createdAt: number };
    expect(later.createdAt).toBe(entry.createdAt);
  });
});

describe('row 4: age exceeds maxAge', () => {
  it('the entry expires, in every lane, and is not among the keys any more', async () => {
    expect(await outcomes('/api/categories?row4')).toEqual(['MISS', 'HIT', 'HIT']);
    const entries = async (): Promise<string[]> => (await keys()).filter((key) => key.includes('row4'));
    await expect.poll(entries, { timeout: 20_000 }).toEqual([]);
    expect(await outcomes('/api/categories?row4')).toEqual(['MISS', 'HIT', 'HIT']);
  });

  it("is measured from the response's making, however often it was served", async () => {
    expect(await outcome('/api/categories?row4=served')).toBe('MISS');
    const seen: Array<string | null> = [];
    const next = async (): Promise<string | null> => {
      seen.push(await outcome('/api/categories?row4=served'));
      return seen.at(-1) ?? null;
    };
    await expect.poll(next, { timeout: 20_000, interval: 25 }).toBe('MISS');
    expect(seen.filter((answer) => answer === 'HIT').length).toBeGreaterThan(3);
  });
});

// In the admin panel: invalidation.test.ts.
describe('row 5: a content write', () => {
  it('purges the entries of that content type (an order changes)', async () => {
    const order = await orderOf(alice.headers);
    expect(await outcomes('/api/orders?row5', alice.headers)).toEqual(['MISS', 'HIT', 'HIT']);
    await application.strapi
      .documents(ORDER)
      .update({ documentId: order.documentId, data: { total: order.total + 1 } as never });
    const { cache, body } = await application.get('/api/orders?row5', alice.headers);
    expect(cache).toBe('MISS');
    expect(body).toContain(String(order.total + 1));
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

describe('row 8: a change of role permissions, token scope or a user’s role', () => {
  it('purges nothing when role permissions change', async () => {
    const paths = ['/api/articles?row8', '/api/authors?row8'];
    for (const path of paths) expect(await outcomes(path)).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await outcomes('/api/orders?row8', alice.headers)).toEqual(['MISS', 'HIT', 'HIT']);
    const before = (await keys()).sort();
    await grant(application, 'public', 'api::tag.tag.create');
    await revoke(application, 'public', 'api::tag.tag.create');
    expect((await keys()).sort()).toEqual(before);
    for (const path of paths) expect(await outcome(path)).toBe('HIT');
    expect(await outcome('/api/orders?row8', alice.headers)).toBe('HIT');
  });

  it('nor when the admin panel saves a role', async () => {
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

  it('nor when a token loses a scope, which denies its next request', async () => {
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
  it('nor when a user moves between roles', async () => {
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

describe('row 9: a Set-Cookie header', () => {
  it('is never stored, whatever the configuration', async () => {
    expect(await outcomes('/api/visits')).toEqual(['MISS', 'MISS', 'MISS']);
    expect((await keys()).filter((key) => key.startsWith('/api/visits'))).toEqual([]);
  });
});

describe('consequences for the key', () => {
  it('two callers never share a HIT', async () => {
    const path = '/api/orders?shared';
    const first = await application.get(path, alice.headers);
    const second = await application.get(path, bob.headers);
    expect([first.cache, second.cache]).toEqual(['MISS', 'MISS']);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const ofAlice = await application.get(path, alice.headers);
      const ofBob = await application.get(path, bob.headers);
      expect([ofAlice.cache, ofBob.cache]).toEqual(['HIT', 'HIT']);
      expect(ofAlice.body).toContain('ALICE-');
      expect(ofAlice.body).not.toContain('BOB-');
      expect(ofBob.body).toContain('BOB-');
      expect(ofBob.body).not.toContain('ALICE-');
    }
  });

  it('anonymous callers of a route with hitpass: false share the entry up:public', async () => {
    expect(await outcomes('/api/authors?anonymous')).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await outcome('/api/authors?anonymous', { cookie: 'theme=dark' })).toBe('HIT');
    expect(await keys()).toContain('/api/authors?anonymous&&up:public');
  });
});
