import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Core } from '@strapi/strapi';
import type { EntryDetail } from '../../server/src/admin-api/entries';
import type { Explanation } from '../../server/src/admin-api/explain';
import type { RoutesReport } from '../../server/src/admin-api/routes';
import type { AuthService } from '../../server/src/observe/authentication';
import { logIn } from '../application/admin-session';
import { bearer, createApiToken, grant, revoke } from '../application/callers';
import { probeApi, type ProbeContext, type ProbeRoute } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { middlewares } from '../application/stack';
import { startApplication, type Application } from '../application/start-application';

/** Entries by role (`keys.useAuth: 'role'`): what users of a role may share, and what they never share. */

const USER = 'plugin::users-permissions.user';
const ROLE = 'plugin::users-permissions.role';
const ROLES = ['reader', 'editor', 'partner', 'narrow'] as const;
type RoleName = (typeof ROLES)[number];

interface User {
  readonly id: number;
  readonly username: string;
  readonly role: { readonly name: string };
}

interface State extends Record<string, unknown> {
  readonly user?: User;
  readonly auth: { readonly credentials: User; readonly ability: { can(action: string): boolean } };
}

const stateOf = (ctx: ProbeContext): State => ctx.state;
const userOf = (ctx: ProbeContext): User => stateOf(ctx).user as User;
const contextOf = (strapi: Core.Strapi): ProbeContext => strapi.requestContext.get() as unknown as ProbeContext;

type Handler = ProbeRoute['handler'];

/** Handlers that look at the caller, each at another place. In how many ways: tests/unit/http/caller-reads.test.ts. */
const LOOKING: ReadonlyArray<readonly [name: string, handler: Handler, config?: Record<string, unknown>]> = [
  ['id', (ctx) => ({ at: userOf(ctx).id })],
  [
    'replaced-state',
    (ctx) => {
      ctx.state = { ...ctx.state };
      return { at: userOf(ctx).username };
    },
  ],
  ['credentials', (ctx) => ({ at: stateOf(ctx).auth.credentials.id })],
  ['context', (_ctx, strapi) => ({ at: userOf(contextOf(strapi)).username })],
  [
    'later',
    async (ctx) => {
      await new Promise(setImmediate);
      return { at: userOf(ctx).username };
    },
  ],
  ['in-the-body', (ctx) => ({ at: { me: userOf(ctx) } })],
  [
    'jwt',
    async (ctx, strapi) => ({
      at: ((await strapi.plugin('users-permissions').service('jwt').getToken(ctx)) as { id: number }).id,
    }),
  ],
  ['header', (ctx) => ({ at: ctx.get('authorization').split('.')[1] })],
  [
    'query',
    async (ctx, strapi) => ({
      at: await strapi.db.query('api::order.order').findMany({ where: { owner: userOf(ctx).id }, orderBy: 'id' }),
    }),
  ],
  ['documents', async (_ctx, strapi) => ({ at: await strapi.documents('api::tag.tag').findMany({ sort: 'name' }) })],
  [
    'lifecycle',
    async (_ctx, strapi) => ({
      at: (await strapi.db.query('api::category.category').findMany({ orderBy: 'id' })).length,
    }),
  ],
  ['tenant', (ctx) => ({ at: stateOf(ctx).tenant })],
  ['left', (ctx) => ({ at: stateOf(ctx).left })],
  ['left-on-message', (ctx) => ({ at: (ctx.req as { of?: string }).of })],
  ['left-by-symbol', (ctx) => ({ at: (ctx.state as Record<symbol, unknown>)[Symbol.for('of')] })],
  ['captured', (ctx) => ({ at: stateOf(ctx).captured })],
  ['of-role', (ctx) => ({ at: (userOf(ctx).role as { of?: string }).of })],
  ['added', (ctx) => ({ at: 'vip' in userOf(ctx) })],
  ['populated', (ctx) => ({ at: 'createdBy' in userOf(ctx) })],
  ['owner', (ctx) => ({ at: stateOf(ctx).owner }), { policies: ['global::owner'] }],
  [
    'filters',
    async (ctx, strapi) => ({
      at: await strapi.db.query('api::order.order').count({ where: ctx.query.filters as object }),
    }),
    { policies: ['global::filters'] },
  ],
  ['held', (ctx) => ({ at: (stateOf(ctx).held as User).username }), { policies: ['global::held'] }],
  ['middleware', (ctx) => ({ at: String(ctx.query.mine) }), { middlewares: ['global::mine'] }],
  ['missing', (ctx) => ctx.notFound(`nothing for ${userOf(ctx).username}`)],
];

/** Handlers that do not, although they or Strapi ask for the role or whether there is a caller. */
const OTHERS: typeof LOOKING = [
  ['plain', () => ({ at: 1 })],
  [
    'documents-of-all',
    async (_ctx, strapi) => ({ at: (await strapi.documents('api::author.author').findMany({ sort: 'id' })).length }),
  ],
  [
    'creator',
    async (_ctx, strapi) => ({
      at: await strapi.db.query('api::article.article').findMany({ populate: ['createdBy'], orderBy: 'id', limit: 3 }),
    }),
  ],
  ['presence', (ctx) => (userOf(ctx) === undefined ? ctx.unauthorized() : { at: Object.keys(userOf(ctx)).length })],
  ['role', (ctx) => ({ at: userOf(ctx).role.name })],
  ['ability', (ctx) => ({ at: stateOf(ctx).auth.ability.can('api::tag.tag.find') })],
  [
    'verify',
    async (ctx, strapi) => ({
      at: await strapi.auth.verify(stateOf(ctx).auth as never, { scope: ['api::tag.tag.find'] }).then(
        () => true,
        () => false,
      ),
    }),
  ],
  [
    'sanitised',
    async (ctx, strapi) => ({
      at: await strapi.contentAPI.sanitize.output(
        await strapi.db
          .query('api::article.article')
          .findMany({ populate: ['category', 'tags'], orderBy: 'id', limit: 5 }),
        strapi.getModel('api::article.article'),
        { auth: stateOf(ctx).auth },
      ),
    }),
  ],
  ['is-authenticated', () => ({ at: 2 }), { policies: ['global::is-authenticated'] }],
];

/** Authenticates once more: what it then reads is not seen. */
const AGAIN: (typeof LOOKING)[number] = [
  'again',
  async (ctx, strapi) => {
    await strapi.get<AuthService>('auth').authenticate(ctx, () => Promise.resolve());
    return { at: userOf(ctx).username };
  },
];

const twins = ([name, handler, config = {}]: (typeof LOOKING)[number]): ProbeRoute[] =>
  ['role', 'twin'].map((place) => ({ path: `/${place}/${name}`, handler, config }));
const probe = probeApi([...LOOKING, ...OTHERS, AGAIN].flatMap(twins));
const byRole = { hitpass: false, keys: { useAuth: 'role' } } as const;

const FILES: Readonly<Record<string, string>> = {
  'src/policies/owner.js': 'module.exports = ({ state }) => { state.owner = state.user.username; return true; };',
  'src/policies/filters.js':
    'module.exports = ({ state: { user: { id } }, request }) => { request.query = { filters: { owner: id } }; return true; };',
  'src/policies/held.js': 'module.exports = ({ state }) => { state.held = state.user; return true; };',
  'src/policies/is-authenticated.js': 'module.exports = ({ state }) => Boolean(state.user);',
  'src/middlewares/mine.js': `module.exports = () => (ctx, next) => {
    ctx.query = { ...ctx.query, mine: ctx.state.auth.credentials.email };
    return next();
  };`,
  // Knows the caller before Strapi does.
  'src/middlewares/tenant.js': `module.exports = () => (ctx, next) => {
    if (/tenant/.test(ctx.path)) ctx.state.tenant = JSON.parse(Buffer.from(ctx.get('authorization').split('.')[1], 'base64url')).id;
    if (/captured/.test(ctx.path)) {
      let auth;
      const captured = {};
      Object.defineProperty(ctx.state, 'auth', { get: () => auth, set: (set) => (captured.name = (auth = set).credentials.username) });
      Object.defineProperty(ctx.state, 'captured', { value: captured });
    }
    return next();
  };`,
  ...middlewares(['global::tenant']),
};

let application: Application;
/** By role. */
const callers = new Map<RoleName, Array<{ id: number; headers: Record<string, string> }>>();
const roles = new Map<RoleName, number>();
let unique = 0;

const headersOf = async (id: number): Promise<Record<string, string>> =>
  bearer((await application.strapi.plugin('users-permissions').service('jwt').issue({ id })) as string);

const newUser = async (role: RoleName): Promise<{ id: number; headers: Record<string, string> }> => {
  const username = `user${(unique += 1)}-${role}`;
  const data = { username, email: `${username}@example.com`, provider: 'local', confirmed: true, blocked: false };
  const { id } = (await application.strapi.db.query(USER).create({ data: { ...data, role: roles.get(role) } })) as {
    id: number;
  };
  return { id, headers: await headersOf(id) };
};

const permit = async (role: RoleName, ...actions: string[]): Promise<void> => {
  for (const action of actions)
    await application.strapi.db
      .query('plugin::users-permissions.permission')
      .create({ data: { action, role: roles.get(role) } });
};
const forbid = (role: RoleName, action: string): Promise<unknown> =>
  application.strapi.db
    .query('plugin::users-permissions.permission')
    .deleteMany({ where: { action, role: { id: roles.get(role) } } });

const ask = async (path: string, headers: Record<string, string>) => {
  const { status, headers: sent, body } = await rawRequest(application, path, { headers });
  return { status, cache: sent['x-cache'], body: body.toString() };
};

const FIND = 'api::article.article.find';

beforeAll(async () => {
  application = await startApplication({
    restCache: {
      strategy: {
        lane: 'front',
        enableXCacheHeaders: true,
        repeatableMiddlewares: ['global::tenant'],
        contentTypes: [
          { contentType: 'api::article.article', ...byRole },
          {
            contentType: 'api::order.order',
            ...byRole,
            statuses: [404],
            routes: [...probe.paths.filter((path) => path.includes('/role/')), '/api/users/me'],
          },
        ],
      },
    },
    files: { ...probe.files, ...FILES },
  });
  const { strapi } = application;
  for (const name of ROLES)
    roles.set(name, ((await strapi.db.query(ROLE).create({ data: { name, type: name, description: '' } })) as User).id);
  for (const name of ROLES) {
    await permit(name, FIND, 'api::order.order.find', 'plugin::users-permissions.user.me');
    await permit(
      name,
      ...[...LOOKING, ...OTHERS, AGAIN]
        .flatMap(([path]) => [`/role/${path}`, `/twin/${path}`])
        .map((path) => probe.action(path)),
    );
    if (name !== 'narrow') await permit(name, 'api::category.category.find');
    if (name === 'editor') await permit(name, 'api::tag.tag.find');
    callers.set(name, []);
    for (let count = 0; count < 2; count += 1) callers.get(name)?.push(await newUser(name));
  }
  for (const [index, { id }] of [...callers.values()].flat().entries())
    for (let count = 0; count <= index % 4; count += 1)
      await strapi.db.query('api::order.order').create({ data: { number: `R-${id}-${count}`, total: id, owner: id } });
  strapi.documents.use((_context, next) => {
    const ctx = contextOf(strapi);
    return ctx !== undefined && ctx.path.endsWith('/documents')
      ? Promise.resolve({ documentId: userOf(ctx).username, entries: [] })
      : next();
  });
  strapi.db.lifecycles.subscribe({
    models: ['api::category.category'],
    beforeFindMany: ({ params }) => {
      const ctx = contextOf(strapi);
      if (ctx !== undefined && ctx.path.endsWith('/lifecycle')) params.limit = 1 + (userOf(ctx).id % 3);
    },
  });
  strapi.db.lifecycles.subscribe({
    models: [USER],
    afterFindOne: ({ result }: { result?: unknown }) => {
      const ctx = contextOf(strapi);
      const user = result as (User & { vip?: true }) | undefined;
      if (ctx === undefined || user === undefined) return;
      if (ctx.path.endsWith('/left')) ctx.state.left = user.username;
      if (ctx.path.endsWith('/left-on-message')) Object.assign(ctx.req, { of: user.username });
      if (ctx.path.endsWith('/left-by-symbol')) Object.assign(ctx.state, { [Symbol.for('of')]: user.username });
      if (ctx.path.endsWith('/of-role')) Object.assign(user.role, { of: user.username });
      if (ctx.path.endsWith('/added') && user.id % 2 === 0) user.vip = true;
      if (ctx.path.endsWith('/populated') && user.id % 2 === 1) Object.assign(user, { createdBy: null });
    },
  });
}, 300_000);
afterAll(() => application.stop());

describe('eight users in four roles', () => {
  /** Each user asks three times, in turn, so that users meet each other's answers in every lane. */
  const rounds = async (cached: string, twin: string) => {
    const all = [...callers.values()].flat();
    const truth = await Promise.all(all.map(({ headers }) => ask(twin, headers)));
    let differing = 0;
    const outcomes: unknown[][] = [];
    for (let round = 0; round < 3; round += 1) {
      const row: unknown[] = [];
      for (const [index, { headers }] of all.entries()) {
        const { status, body, cache } = await ask(cached, headers);
        if (status !== truth[index]?.status || body !== truth[index]?.body) differing += 1;
        row.push(cache);
      }
      outcomes.push(row);
    }
    const misses = outcomes.map((row) => row.filter((outcome) => outcome === 'MISS').length);
    return { differing, misses, kinds: new Set(truth.map(({ body }) => body)).size };
  };

  it.each(LOOKING.map(([name]) => name))('a handler that looks at the caller: %s', async (name) => {
    const { differing, misses, kinds } = await rounds(`/api/role/${name}`, `/api/twin/${name}`);
    expect(differing).toBe(0);
    // The truth does depend on the caller.
    expect(kinds).toBeGreaterThan(1);
    // One entry for each caller.
    expect(misses).toEqual([8, 0, 0]);
  });

  it.each(OTHERS.map(([name]) => name))('a handler that does not: %s', async (name) => {
    const { differing, misses } = await rounds(`/api/role/${name}`, `/api/twin/${name}`);
    expect(differing).toBe(0);
    expect(misses).toEqual([4, 0, 0]);
  });

  it.each(['later', 'in-the-body', 'owner', 'plain'])('all at once, with a token and a visitor: %s', async (name) => {
    const actions = ['role', 'twin'].map((place) => probe.action(`/${place}/${name}`));
    for (const action of actions) await grant(application, 'public', action);
    const token = await createApiToken(application, 'custom', actions);
    const all = [{}, token.headers, ...[...callers.values()].flat().map(({ headers }) => headers)];
    const answers = async (path: string) =>
      (await Promise.all(all.map((headers) => ask(path, headers)))).map(({ status, body }) => ({ status, body }));
    const truth = await answers(`/api/twin/${name}?at=once`);
    for (let round = 0; round < 3; round += 1) expect(await answers(`/api/role/${name}?at=once`)).toEqual(truth);
  });

  it('a handler that authenticates again', async () => {
    const { differing, misses } = await rounds('/api/role/again', '/api/twin/again');
    expect([differing, misses[0]]).toEqual([0, 8]);
  });

  it('users-permissions’ own users/me', async () => {
    const { differing, misses } = await rounds('/api/users/me', '/api/users/me?twin');
    expect([differing, misses]).toEqual([0, [8, 0, 0]]);
  });

  it('Strapi’s own lists, sanitised by role', async () => {
    const asked = '/api/articles?populate=*&sort=slug&pagination[pageSize]=5';
    const { differing, misses, kinds } = await rounds(`${asked}&fields=title`, `${asked}&fields=title&_q=`);
    expect([differing, misses]).toEqual([0, [4, 0, 0]]);
    expect(kinds).toBe(3);
  });
});

it('a page is computed once for each role, however many users ask for it: as for visitors, who count as one', async () => {
  const PAGES = 6;
  const users = [...callers.values()].flat();
  while (users.length < 4 * PAGES) users.push(await newUser(ROLES[users.length % 4] ?? 'reader'));
  await grant(application, 'public', FIND);
  const missesOf = async (sets: ReadonlyArray<Record<string, string>>, mark: string): Promise<number> => {
    let misses = 0;
    for (const [index, headers] of sets.entries())
      for (let step = 0; step < 4; step += 1) {
        const page = 1 + ((index * 7 + step * 5) % PAGES);
        const { cache, status } = await ask(
          `/api/articles?pagination[pageSize]=1&pagination[page]=${page}&${mark}`,
          headers,
        );
        expect(status).toBe(200);
        if (cache === 'MISS') misses += 1;
      }
    return misses;
  };
  const visitors = users.map(() => ({}));
  expect(await missesOf(visitors, 'anonymous')).toBe(PAGES);
  const signedIn = users.map(({ headers }) => headers);
  expect(await missesOf(signedIn, 'signed-in')).toBe(PAGES * ROLES.length);
});

describe('the very next request', () => {
  let path: string;
  const heat = async (headers: Record<string, string>): Promise<void> => {
    for (let attempt = 0; attempt < 4; attempt += 1) await ask(path, headers);
    expect((await ask(path, headers)).cache).toBe('HIT');
  };
  const two = async (role: RoleName) => [await newUser(role), await newUser(role)] as const;
  const fresh = (): void => void (path = `/api/articles?populate=category&sort=slug&test=${(unique += 1)}`);

  it('of a role whose permission is taken is refused, and allowed again with it', async () => {
    fresh();
    const [one, other] = await two('reader');
    await heat(one.headers);
    await heat(other.headers);
    await forbid('reader', FIND);
    for (const { headers } of [one, other]) expect((await ask(path, headers)).status).toBe(403);
    await permit('reader', FIND);
    for (const { headers } of [one, other]) expect((await ask(path, headers)).status).toBe(200);
  });

  it('of a role that may no longer find a relation does not show it', async () => {
    fresh();
    const [one, other] = await two('editor');
    await heat(one.headers);
    await heat(other.headers);
    expect((await ask(path, other.headers)).body).toContain('"category":{');
    await forbid('editor', 'api::category.category.find');
    for (const { headers } of [other, one]) expect((await ask(path, headers)).body).not.toContain('"category":{');
    await permit('editor', 'api::category.category.find');
    for (const { headers } of [one, other]) expect((await ask(path, headers)).body).toContain('"category":{');
  });

  it.each([
    ['blocked', (id: number) => application.strapi.db.query(USER).update({ where: { id }, data: { blocked: true } })],
    ['deleted', (id: number) => application.strapi.db.query(USER).delete({ where: { id } })],
  ])('of a user who is %s is refused, and nobody else’s', async (_what, act) => {
    fresh();
    const [one, other] = await two('partner');
    await heat(one.headers);
    await heat(other.headers);
    await act(one.id);
    expect((await ask(path, one.headers)).status).toBe(401);
    expect(await ask(path, other.headers)).toMatchObject({ status: 200, cache: 'HIT' });
  });

  it('of a user who was moved to another role has the answer of that role', async () => {
    fresh();
    const [one, other] = await two('editor');
    const narrow = await newUser('narrow');
    for (const { headers } of [one, other, narrow]) await heat(headers);
    await application.strapi.db.query(USER).update({ where: { id: one.id }, data: { role: roles.get('narrow') } });
    const moved = await ask(path, one.headers);
    expect(moved.body).not.toContain('"category":{');
    expect(moved).toMatchObject({ cache: 'HIT', body: (await ask(path, narrow.headers)).body });
    expect((await ask(path, other.headers)).body).toContain('"category":{');
  });

  it('of a role with another name shows it', async () => {
    path = '/api/role/role';
    const [one, other] = await two('partner');
    await heat(one.headers);
    await heat(other.headers);
    await application.strapi.db.query(ROLE).update({ where: { id: roles.get('partner') }, data: { name: 'renamed' } });
    for (const { headers } of [other, one]) expect((await ask(path, headers)).body).toContain('renamed');
  });
});

describe('other callers', () => {
  it('visitors have answers of their own, and a user with the Public role too', async () => {
    const path = `/api/articles?test=${(unique += 1)}`;
    const visitor = await ask(path, {});
    expect(visitor).toMatchObject({ status: 200, cache: 'MISS' });
    const { id } = (await application.strapi.db.query(ROLE).findOne({ where: { type: 'public' } })) as User;
    const user = await newUser('reader');
    await application.strapi.db.query(USER).update({ where: { id: user.id }, data: { role: id } });
    expect((await ask(path, user.headers)).cache).toBe('MISS');
  });

  const CATEGORY = 'api::category.category.find';
  const shown = async (path: string, headers: Record<string, string>): Promise<boolean> => {
    let answer = await ask(path, headers);
    expect(answer.status).toBe(200);
    // Until the front lane answers.
    for (let attempt = 0; attempt < 3; attempt += 1) answer = await ask(path, headers);
    return answer.body.includes('"category":{');
  };

  it('visitors are not shown a relation that they may no longer find', async () => {
    const path = `/api/articles?populate=category&sort=slug&test=${(unique += 1)}`;
    await grant(application, 'public', CATEGORY);
    expect(await shown(path, {})).toBe(true);
    await revoke(application, 'public', CATEGORY);
    expect(await shown(path, {})).toBe(false);
    await grant(application, 'public', CATEGORY);
    expect(await shown(path, {})).toBe(true);
  });

  it('a token is not shown a relation that is no longer in its scope', async () => {
    const path = `/api/articles?populate=category&sort=slug&test=${(unique += 1)}`;
    const { id, headers } = await createApiToken(application, 'custom', [FIND, CATEGORY]);
    const rescope = (permissions: readonly string[]): Promise<unknown> =>
      application.strapi.service('admin::api-token').update(id, { type: 'custom', permissions }) as Promise<unknown>;
    expect(await shown(path, headers)).toBe(true);
    await rescope([FIND]);
    expect(await shown(path, headers)).toBe(false);
    await rescope([FIND, CATEGORY]);
    expect(await shown(path, headers)).toBe(true);
  });
});

it('Explain and Routes say who shares, and what was looked at', async () => {
  const admin = await logIn(application);
  const [reader] = callers.get('reader') ?? [];
  const explain = async (url: string) => {
    return (await admin.post<Explanation>('/rest-cache/explain', { url, as: { kind: 'user', id: reader?.id } })).body;
  };
  const role = `role:${roles.get('reader')}`;
  for (const name of ['plain', 'id']) await ask(`/api/role/${name}`, reader?.headers ?? {});
  const plain = await explain('/api/role/plain');
  expect(plain).toMatchObject({ identity: role, lookedAt: null, verdict: 'hit' });
  const detail = `/rest-cache/entries/detail?key=${encodeURIComponent(plain.key ?? '')}`;
  const { member } = (await admin.get<EntryDetail>(detail)).body;
  expect(callers.get('reader')?.map(({ id }) => String(id))).toContain(member);
  expect(await explain('/api/role/id')).toMatchObject({
    identity: `up:${reader?.id}`,
    lookedAt: 'ctx.state.user.id',
    verdict: 'hit',
  });
  expect(await explain('/api/role/owner')).toMatchObject({
    identity: `up:${reader?.id}`,
    lookedAt: 'ctx.state.user.username',
  });
  expect(await explain('/api/role/header')).toMatchObject({ lookedAt: 'ctx.headers.authorization' });
  const { routes } = (await admin.get<RoutesReport>('/rest-cache/routes')).body;
  const told = (path: string) => routes.find((route) => route.path === path);
  expect(told('/api/role/plain')).toMatchObject({ sharing: 'role', lookedAt: null });
  expect(told('/api/role/id')).toMatchObject({ sharing: 'role', lookedAt: 'ctx.state.user.id' });
});
