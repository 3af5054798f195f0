import { beforeAll, describe, expect, it } from 'vitest';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { bearer, createApiToken, grant, logInCustomer, revoke } from '../application/callers';
import { later } from '../application/later';
import { rawRequest, type RawResponse } from '../application/raw-request';
import type { Application } from '../application/start-application';
import { runningApplication } from './running-application';

const USER = 'plugin::users-permissions.user';

const shared = { hitpass: false, keys: { useAuth: true } } as const;

/** In the front lane, the second answer comes from the route lane. */
const strategy: StrategyConfig = {
  lane: 'front',
  enableXCacheHeaders: true,
  contentTypes: [
    { contentType: 'api::tag.tag', ...shared, routes: ['/api/alias'] },
    { contentType: 'api::category.category', ...shared },
  ],
};

/** The statements sent to the database while `work` runs. */
const queriesOf = async ({ strapi }: Application, work: () => Promise<unknown>): Promise<string[]> => {
  const asked: string[] = [];
  const note = ({ sql }: { sql: string }): void => void asked.push(sql);
  strapi.db.connection.on('query', note);
  try {
    await work();
  } finally {
    strapi.db.connection.removeListener('query', note);
  }
  return asked;
};

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

/** A policy and a middleware of the application's own, which have to see every request. */
const FUNCTIONS = {
  'src/api/category/routes/category.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::category.category', { config: { find: {
    middlewares: [(ctx, next) => { ctx.query = { ...ctx.query, sort: 'name' }; return next(); }],
    policies: ['global::asked'],
  } } });`,
  'src/policies/asked.js': 'module.exports = ({ state }) => state.auth !== undefined;',
};

const application = runningApplication({ ...AUTHORISES_BY_ITSELF, ...FUNCTIONS }, strategy);
let unique = 0;

beforeAll(async () => {
  await grant(application, 'authenticated', 'api::tag.tag.find', 'api::category.category.find');
}, 300_000);

describe.each([
  ['no functions', 'tags', 'api::tag.tag'],
  ['a policy and a middleware', 'categories', 'api::category.category'],
] as const)('a route with %s', (_functions, plural, uid) => {
  const FIND = `${uid}.find`;

  /** A URL of its own for each test, so that no test finds another's entries. */
  const target = (): string => `/api/${plural}?fields=name&test=${(unique += 1)}`;
  const ask = (path: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
    rawRequest(application, path, { headers });

  /** Repeats the request until the outermost lane answers. */
  const heat = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
    const seen: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) seen.push((await ask(path, headers)).headers['x-cache']);
    expect(seen).toEqual(['MISS', 'HIT', 'HIT', 'HIT']);
  };

  const newCustomer = async (): Promise<{ id: number; headers: Record<string, string> }> => {
    const username = `customer${Date.now()}${(unique += 1)}`;
    const role = (await application.strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { type: 'authenticated' } })) as { id: number };
    await application.strapi.service(USER).add({
      username,
      email: `${username}@example.com`,
      password: 'Passw0rd1',
      provider: 'local',
      confirmed: true,
      blocked: false,
      role: role.id,
    });
    return logInCustomer(application, username);
  };

  it('a hit asks the database nothing, whoever asks', async () => {
    const customer = await newCustomer();
    const token = await createApiToken(application, 'custom', [FIND]);
    for (const headers of [{}, customer.headers, token.headers]) {
      const path = target();
      await heat(path, headers);
      expect(await queriesOf(application, () => ask(path, headers))).toEqual([]);
    }
  });

  it('an anonymous miss asks the database for what the answer is made of, and its permissions once', async () => {
    await heat(target());
    const queries = await queriesOf(application, async () => {
      expect((await ask(target())).headers['x-cache']).toBe('MISS');
    });
    expect(queries.length).toBeGreaterThan(1);
    expect(queries.filter((sql) => sql.includes('up_'))).toHaveLength(1);
  });

  it('a permission of the public role, revoked: 403 on the next request, 200 again once granted', async () => {
    const path = target();
    await heat(path);
    await revoke(application, 'public', FIND);
    expect((await ask(path)).status).toBe(403);
    await grant(application, 'public', FIND);
    expect((await ask(path)).status).toBe(200);
  });

  it.each([
    ['blocked', (id: number) => application.strapi.db.query(USER).update({ where: { id }, data: { blocked: true } })],
    ['deleted', (id: number) => application.strapi.db.query(USER).delete({ where: { id } })],
  ])('a user, %s: 401 on the next request, and nobody else', async (_what, act) => {
    const path = target();
    const { id, headers } = await newCustomer();
    const neighbour = await newCustomer();
    await heat(path, headers);
    await heat(path, neighbour.headers);
    await act(id);
    expect((await ask(path, headers)).status).toBe(401);
    expect((await ask(path, neighbour.headers)).status).toBe(200);
  });

  it('a user, moved to a role that may not: 403 on the next request', async () => {
    const path = target();
    const { id, headers } = await newCustomer();
    await heat(path, headers);
    const role = (await application.strapi.db.query('plugin::users-permissions.role').create({
      data: { name: `narrow ${unique}`, type: `narrow${unique}`, description: '' },
    })) as { id: number };
    await application.strapi.db.query(USER).update({ where: { id }, data: { role: role.id } });
    expect((await ask(path, headers)).status).toBe(403);
  });

  it('an API token, edited, regenerated or deleted: refused on the next request', async () => {
    const tokens = application.strapi.service('admin::api-token') as {
      update(id: number, attributes: object): Promise<unknown>;
      regenerate(id: number): Promise<{ accessKey: string }>;
      revoke(id: number): Promise<unknown>;
    };
    const path = target();
    const { id, headers } = await createApiToken(application, 'custom', [FIND]);
    await heat(path, headers);
    await tokens.update(id, { type: 'custom', permissions: [`${uid}.findOne`] });
    expect((await ask(path, headers)).status).toBe(403);
    await tokens.update(id, { type: 'custom', permissions: [FIND] });
    // What a token may do is in no answer.
    expect(await ask(path, headers)).toMatchObject({ status: 200, headers: { 'x-cache': 'HIT' } });
    await ask(path, headers);
    const { accessKey } = await tokens.regenerate(id);
    expect((await ask(path, headers)).status).toBe(401);
    const anew = bearer(accessKey);
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await ask(path, anew)).status).toBe(200);
    await tokens.revoke(id);
    expect((await ask(path, anew)).status).toBe(401);
  });

  it('an API token that has expired is refused, though no write says so', async () => {
    const path = target();
    const { id, headers } = await createApiToken(application, 'read-only', [], 7 * 24 * 3600 * 1000);
    await application.strapi.db
      .query('admin::api-token')
      .update({ where: { id }, data: { expiresAt: Date.now() + 4000 } });
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await ask(path, headers)).status).toBe(200);
    // Sooner than the verdict on any credential has to be found anew.
    expect((await later(5000, () => ask(path, headers))).status).toBe(401);
  });

  it('a JWT that has expired is refused, though no write says so', async () => {
    const path = target();
    const { id } = await newCustomer();
    const jwt = application.strapi.plugin('users-permissions').service<{
      issue(payload: object, options: object): string | Promise<string>;
    }>('jwt');
    const headers = bearer(await jwt.issue({ id }, { expiresIn: '4s' }));
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await ask(path, headers)).status).toBe(200);
    expect((await later(5000, () => ask(path, headers))).status).toBe(401);
  });

  it('a forged credential is never answered for', async () => {
    const path = target();
    const { headers } = await newCustomer();
    await heat(path, headers);
    expect((await ask(path, { authorization: `${headers.authorization ?? ''}x` })).status).toBe(401);
    expect((await ask(path, bearer('nonsense'))).status).toBe(401);
  });
});

it('a handler that authorises by itself refuses whoever has lost what it asks for, and hits go on once they have it again', async () => {
  await grant(application, 'public', 'api::tag.tag.alias');
  for (const cache of ['MISS', 'HIT', 'HIT']) expect((await application.get('/api/alias')).cache).toBe(cache);
  await revoke(application, 'public', 'api::article.article.find');
  expect((await application.get('/api/alias')).status).toBe(403);
  expect((await application.get('/api/alias')).status).toBe(403);
  await grant(application, 'public', 'api::article.article.find');
  for (const cache of ['HIT', 'HIT']) expect((await application.get('/api/alias')).cache).toBe(cache);
});
