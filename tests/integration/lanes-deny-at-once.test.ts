import { describe, expect, it } from 'vitest';
import { bearer, createApiToken, grant, logInCustomer, revoke } from '../application/callers';
import { runningApplication } from './running-application';
import type { StrategyConfig } from '../../server/src/config/user-config';

/** A caller who loses access is denied on the very next request, although the entries stay. */

/** Routes with a policy and a middleware of the application's own, which have to see every request. */
const FUNCTIONS = Object.fromEntries([
  ['src/policies/asked.js', 'module.exports = ({ state }) => state.auth !== undefined;'],
  ...['article', 'order', 'tag'].map((name) => [
    `src/api/${name}/routes/${name}.js`,
    `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}', { config: { find: {
      middlewares: [(ctx, next) => { ctx.query = { ...ctx.query, sort: 'id' }; return next(); }],
      policies: ['global::asked'],
    } } });`,
  ]),
]);

const LANES: ReadonlyArray<readonly [NonNullable<StrategyConfig['lane']>, string, string, Record<string, string>]> = [
  ['auto', 'front', 'no functions', {}],
  ['route', 'route', 'no functions', {}],
  ['auto', 'front', 'a policy and a middleware', FUNCTIONS],
];

describe.each(LANES)('in lane %s (%s), on routes with %s', (lane, mode, _functions, files) => {
  const application = runningApplication(files, {
    lane,
    contentTypes: [
      { contentType: 'api::article.article', hitpass: false, keys: { useAuth: true } },
      { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
      'api::tag.tag',
    ],
  });

  /** Repeats the request until every lane has served it. */
  const warm = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await application.get(path, headers)).status).toBe(200);
    expect((await application.get(path, headers)).cache).toBe('HIT');
  };

  const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await application.get(path, headers)).status;

  const user = (username: string) =>
    application.strapi.db.query('plugin::users-permissions.user').findOne({ where: { username } });

  const setUser = (id: number, data: object) =>
    application.strapi.db.query('plugin::users-permissions.user').update({ where: { id }, data });

  it('the boot says which lane and why', () => {
    expect(application.logs.filter((line) => line.startsWith(`[rest-cache] lane "${mode}": `))).toHaveLength(1);
  });

  it('a permission revoked from the public role, and given back: the entry was kept', async () => {
    await warm('/api/tags');
    await revoke(application, 'public', 'api::tag.tag.find');
    expect(await status('/api/tags')).toBe(403);
    await grant(application, 'public', 'api::tag.tag.find');
    expect((await application.get('/api/tags')).cache).toBe('HIT');
  });

  it('a permission revoked from a user’s role', async () => {
    const { headers } = await logInCustomer(application, 'alice');
    await warm('/api/orders', headers);
    await revoke(application, 'authenticated', 'api::order.order.find');
    expect(await status('/api/orders', headers)).toBe(403);
    await grant(application, 'authenticated', 'api::order.order.find');
    expect(await status('/api/orders', headers)).toBe(200);
  });

  it('a user who is blocked', async () => {
    const { id, headers } = await logInCustomer(application, 'bob');
    await warm('/api/orders', headers);
    await setUser(id, { blocked: true });
    expect(await status('/api/orders', headers)).toBe(401);
    await setUser(id, { blocked: false });
    expect(await status('/api/orders', headers)).toBe(200);
  });

  it('a user whose role changes to one without the permission', async () => {
    const { id, headers } = await logInCustomer(application, 'bob');
    await warm('/api/orders', headers);
    const { strapi } = application;
    const roles = strapi.db.query('plugin::users-permissions.role');
    const authenticated = (await roles.findOne({ where: { type: 'authenticated' } })) as { id: number };
    const visitor = (await roles.create({ data: { name: 'Visitor', description: '', type: 'visitor' } })) as {
      id: number;
    };
    await setUser(id, { role: visitor.id });
    expect(await status('/api/orders', headers)).toBe(403);
    await setUser(id, { role: authenticated.id });
    expect(await status('/api/orders', headers)).toBe(200);
  });

  it('a user who is deleted', async () => {
    const role = (await application.strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { type: 'authenticated' } })) as { id: number };
    await application.strapi.service('plugin::users-permissions.user').add({
      ...{ username: 'carol', email: 'carol@example.com', password: 'Passw0rd1', provider: 'local', confirmed: true },
      role: role.id,
    });
    const { headers } = await logInCustomer(application, 'carol');
    await warm('/api/orders', headers);
    const carol = (await user('carol')) as { id: number };
    await application.strapi.db.query('plugin::users-permissions.user').delete({ where: { id: carol.id } });
    expect(await status('/api/orders', headers)).toBe(401);
  });

  it('an API token that loses its scope, is regenerated, or is revoked', async () => {
    const { strapi } = application;
    const tokens = strapi.service('admin::api-token');
    const token = await createApiToken(application, 'custom', ['api::article.article.find']);
    await warm('/api/articles', token.headers);
    await tokens.update(token.id, { type: 'custom', permissions: ['api::tag.tag.find'] });
    expect(await status('/api/articles', token.headers)).toBe(403);
    await tokens.update(token.id, { type: 'custom', permissions: ['api::article.article.find'] });
    await warm('/api/articles', token.headers);
    const { accessKey } = (await tokens.regenerate(token.id)) as { accessKey: string };
    expect(await status('/api/articles', token.headers)).toBe(401);
    await warm('/api/articles', bearer(accessKey));
    await tokens.revoke(token.id);
    expect(await status('/api/articles', bearer(accessKey))).toBe(401);
  });

  it('a JWT that has expired, which no write announces', async () => {
    const alice = (await user('alice')) as { id: number };
    const jwt = application.strapi
      .plugin('users-permissions')
      .service('jwt')
      .issue({ id: alice.id }, { expiresIn: '3s' }) as string;
    const headers = bearer(jwt);
    await warm('/api/orders?expiring', headers);
    await new Promise((resolve) => setTimeout(resolve, 3100));
    expect(await status('/api/orders?expiring', headers)).toBe(401);
  });

  it('an API token that has expired, which no write announces', async () => {
    const token = await createApiToken(application, 'read-only');
    await application.strapi.db
      .query('admin::api-token')
      .update({ where: { id: token.id }, data: { expiresAt: Date.now() + 2500 } });
    await warm('/api/articles?expiring', token.headers);
    await new Promise((resolve) => setTimeout(resolve, 2600));
    expect(await status('/api/articles?expiring', token.headers)).toBe(401);
  });

  it('two callers never share a HIT (alice and bob)', async () => {
    const alice = await logInCustomer(application, 'alice');
    const bob = await logInCustomer(application, 'bob');
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const [ofAlice, ofBob] = [
        await application.get('/api/orders?callers', alice.headers),
        await application.get('/api/orders?callers', bob.headers),
      ];
      expect([ofAlice.cache, ofBob.cache]).toEqual(attempt === 0 ? ['MISS', 'MISS'] : ['HIT', 'HIT']);
      expect([ofAlice.body.includes('ALICE-'), ofAlice.body.includes('BOB-')]).toEqual([true, false]);
      expect([ofBob.body.includes('ALICE-'), ofBob.body.includes('BOB-')]).toEqual([false, true]);
    }
    expect(await status('/api/orders?callers')).toBe(403);
  });

  it('a bad credential is never served what a good one, or none, was', async () => {
    await warm('/api/articles?bad');
    const { headers } = await logInCustomer(application, 'alice');
    await warm('/api/articles?bad', headers);
    for (const credential of ['nonsense', `${headers.authorization?.slice(7)}x`, '']) {
      expect(await status('/api/articles?bad', bearer(credential))).toBe(credential === '' ? 200 : 401);
    }
  });
});

/** A handler that authorises by itself, like the router of webtools. */
const AUTHORISES_BY_ITSELF = {
  'src/api/tag/routes/alias.js':
    "module.exports = { routes: [{ method: 'GET', path: '/alias', handler: 'api::tag.tag.alias' }] };",
  'src/api/tag/controllers/tag.js': `
    module.exports = require('@strapi/strapi').factories.createCoreController('api::tag.tag', ({ strapi }) => ({
      async alias(ctx) {
        await strapi.auth.verify(ctx.state.auth, { scope: 'api::article.article.find' });
        const mayCreate = await strapi.auth.verify(ctx.state.auth, { scope: ['api::tag.tag.create'] }).then(() => true, () => false);
        ctx.body = { tags: await strapi.documents('api::tag.tag').findMany({}), mayCreate };
      },
    }));`,
};

describe.each(['auto', 'route'] as const)('a handler that authorises by itself, in lane %s', (lane) => {
  const application = runningApplication(AUTHORISES_BY_ITSELF, {
    lane,
    contentTypes: [{ contentType: 'api::tag.tag', routes: [{ path: '/api/alias', method: 'GET' }] }],
  });

  it('refuses whoever has lost what it asks for, and hits go on for whoever has it again', async () => {
    await grant(application, 'public', 'api::tag.tag.alias');
    for (const cache of ['MISS', 'HIT', 'HIT']) expect((await application.get('/api/alias')).cache).toBe(cache);
    await revoke(application, 'public', 'api::article.article.find');
    expect((await application.get('/api/alias')).status).toBe(403);
    expect((await application.get('/api/alias')).status).toBe(403);
    await grant(application, 'public', 'api::article.article.find');
    for (const cache of ['HIT', 'HIT']) expect((await application.get('/api/alias')).cache).toBe(cache);
  });
});
