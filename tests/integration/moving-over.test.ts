import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSession, logIn, logInRestricted } from '../application/admin-session';
import { type ApiToken, createApiToken, grant, logInCustomer } from '../application/callers';
import { ROOT, TEMPLATE_DATABASE, WORK } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';
import { expectPurged, warm } from './warm-entries';

/**
 * "Moving in": one database, used first by a stand-in for the community plugin, then by this plugin, then by the
 * stand-in again.
 */

const COMMUNITY = path.join(ROOT, 'tests/applications/community');
const PURGE = 'plugin::rest-cache.purge.contentApi';
const ARTICLE = 'api::article.article';

/** The command in docs/migrating.md that removes the configuration classes. */
const command = (): string => {
  const page = readFileSync(path.join(ROOT, 'docs/migrating.md'), 'utf8');
  const found = /^ *(perl .* config\/plugins\.\*)$/m.exec(page)?.[1];
  if (found === undefined) throw new Error('docs/migrating.md has no such command');
  return found;
};

let directory: string;
let application: Application;
let admin: AdminSession & { readonly email: string };
let token: ApiToken;

const written = (name: string): string => readFileSync(path.join(directory, 'config', name), 'utf8');

const boot = async (files: Readonly<Record<string, string>>): Promise<void> => {
  application = await startApplication({
    sqlite: path.join(directory, 'data.db'),
    files: { 'src/index.js': readFileSync(path.join(COMMUNITY, 'index.js'), 'utf8'), ...files },
  });
};

const bootTheirs = (): Promise<void> => {
  const resolve = JSON.stringify(path.join(COMMUNITY, 'plugin'));
  return boot({
    'config/plugins.js': `module.exports = ({ env }) => ({
      'users-permissions': { config: { jwtSecret: env('JWT_SECRET') } },
      'rest-cache': { enabled: true, resolve: ${resolve} },
    });`,
  });
};

const bootOurs = (): Promise<void> => boot({ 'config/plugins.js': written('plugins.js') });

interface Granted {
  readonly action: string;
  readonly role?: { readonly name: string };
  readonly token?: { readonly name: string };
}

/** Every grant of the plugin's actions, with its holder. */
const grants = async (): Promise<string[]> => {
  const { db } = application.strapi;
  const where = { action: { $startsWith: 'plugin::rest-cache.' } };
  const held = await Promise.all(
    [
      ['plugin::users-permissions.permission', 'role'],
      ['admin::api-token-permission', 'token'],
      ['admin::permission', 'role'],
    ].map(async ([uid = '', holder = '']) =>
      ((await db.query(uid).findMany({ where, populate: [holder] })) as Granted[]).map(
        (each) => `${uid} ${(each.role ?? each.token)?.name ?? ''} ${each.action}`,
      ),
    ),
  );
  return held.flat().sort();
};

const post = async (target: string, headers: Record<string, string>, body: unknown): Promise<number> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return (await application.request(target, { ...init, body: JSON.stringify(body) })).status;
};

/** The statuses of purges: by the API token, by a customer, by an admin of the role, and without credentials. */
const purges = async (): Promise<number[]> => {
  const body = { contentType: ARTICLE, wildcard: true };
  const customer = await logInCustomer(application, 'alice');
  const { token: credential } = await logIn(application, admin.email);
  return [
    await post('/api/rest-cache/purge', token.headers, body),
    await post('/api/rest-cache/purge', customer.headers, body),
    await post('/rest-cache/purge', { authorization: `Bearer ${credential}` }, body),
    await post('/api/rest-cache/purge', {}, body),
  ];
};

const service = (name: string) => application.strapi.plugin('rest-cache').service(name);

let before: readonly string[];

beforeAll(async () => {
  directory = mkdtempSync(path.join(WORK, 'moving-'));
  cpSync(TEMPLATE_DATABASE, path.join(directory, 'data.db'));
  cpSync(path.join(COMMUNITY, 'plugins.js'), path.join(directory, 'config/plugins.js'), { recursive: true });
  execFileSync('sh', ['-c', command()], { cwd: directory });
  await bootTheirs();
  await grant(application, 'authenticated', PURGE);
  token = await createApiToken(application, 'custom', [PURGE]);
  admin = await logInRestricted(application, await logIn(application), ['cache.purge']);
  before = await grants();
  await application.stop();
  await bootOurs();
});

afterAll(async () => {
  await application.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('an application that comes from the community plugin', () => {
  it('boots with its configuration, less the classes', () => {
    expect(written('plugins.js')).not.toMatch(/new Cache|require/);
    // Strapi's GraphQL plugin, which no configuration is written for here, warns as well.
    expect(application.warnings.filter((line) => line.startsWith('[rest-cache]'))).toEqual([
      expect.stringContaining('strategy.contentTypes[1].routes[2] has no effect: only GET is cached'),
      expect.stringContaining('GET /api/tags: keys.useQueryParams leaves out parameters'),
      expect.stringContaining('GET /api/tags/:id: keys.useQueryParams leaves out parameters'),
    ]);
    expect(service('cacheConfig').getUids()).toEqual([
      'api::category.category',
      ARTICLE,
      'api::homepage.homepage',
      'api::order.order',
      'api::tag.tag',
    ]);
    expect(service('cacheConfig').get(ARTICLE)).toMatchObject({
      maxAge: 3_600_000,
      keys: { useHeaders: [], useQueryParams: true },
      routes: [
        { path: '/api/articles' },
        { path: '/api/articles/:id' },
        { path: '/api/articles/by-slug/:slug', paramNames: ['slug'] },
        { path: '/api/reports/editorial', maxAge: 60_000 },
      ],
    });
  });

  it('answers from the cache, by the headers and parameters it names, and to If-None-Match', async () => {
    await warm(application, '/api/categories', { 'accept-language': 'en' });
    expect((await application.get('/api/categories', { 'accept-language': 'fr' })).cache).toBe('MISS');
    await warm(application, '/api/reports/editorial');
    await warm(application, '/api/tags?sort=name');
    expect((await application.get('/api/tags?sort=id')).cache).toBe('HIT');
    const { headers } = await application.get('/api/articles');
    const asked = await application.request('/api/articles', {
      headers: { 'if-none-match': headers.get('etag') ?? 'none' },
    });
    expect([asked.status, asked.headers.get('x-cache')]).toEqual([304, 'HIT']);
  });

  it('leaves alone whom its hitpass names, and keeps callers apart', async () => {
    await warm(application, '/api/homepage');
    expect((await application.get('/api/homepage?preview=1')).cache).toBe('HITPASS');
    expect((await application.get('/api/articles', { cookie: 'a=b' })).cache).toBe('HITPASS');
    const [alice, bob] = await Promise.all(['alice', 'bob'].map((name) => logInCustomer(application, name)));
    const hers = await warm(application, '/api/orders', alice?.headers);
    const his = await application.get('/api/orders', bob?.headers);
    expect([his.cache, his.body === hers]).toEqual(['MISS', false]);
  });

  // What the services do: services.test.ts.
  it('purges from its own code, in lifecycles', async () => {
    const tag = (await application.strapi.documents('api::tag.tag').findFirst({})) as { documentId: string };
    await expectPurged(application, ['/api/categories'], () =>
      application.strapi
        .documents('api::tag.tag')
        .update({ documentId: tag.documentId, data: { name: 'moved' } as never }),
    );
  });

  it('lets those purge who could, and nobody else', async () => {
    expect(await purges()).toEqual([200, 200, 200, 403]);
    expect(await grants()).toEqual(before);
  });
});

it('goes back without losing a grant', async () => {
  await application.stop();
  await bootTheirs();
  expect(await grants()).toEqual(before);
  expect(await purges()).toEqual([200, 200, 200, 403]);
});
