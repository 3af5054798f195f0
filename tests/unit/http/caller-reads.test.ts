import type { Context } from 'koa';
import { inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { keyOfCaller, type CacheKey } from '../../../server/src/cache/key';
import { CallerPages, identityOf, UNSEEN, watchCaller } from '../../../server/src/http/caller-reads';
import { exchangeOf } from '../../../server/src/http/exchange';
import { aRoute } from '../monitor/route';
import { koaContext } from './koa-context';
import { posted } from './posted';

/** What is noted of reads of the caller, and what follows for the key. */

interface User {
  id: number;
  username: string;
  email: string | null;
  role: { id: number; type: string };
}

interface State {
  user: User;
  session?: { id: string };
  auth: { strategy: { name: string }; credentials: User | null; ability: object };
  [name: string]: unknown;
}

type Metadata = Parameters<typeof watchCaller>[1];

const typed = (type: string, names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, { type }]));
const METADATA = {
  get: (uid: string) => ({
    attributes: uid.endsWith('.role')
      ? typed('string', ['id', 'type'])
      : { ...typed('string', ['id', 'username', 'email']), ...typed('relation', ['role', 'company']) },
  }),
} as unknown as Metadata;

const row = (more: object = {}): User => ({
  id: 7,
  username: 'alice',
  email: null,
  role: { id: 3, type: 'reader' },
  ...more,
});

const contextOf = (user: User = row(), more: Partial<State> = {}): Context & { state: State } => {
  const ctx = koaContext('/api/pages', { authorization: 'Bearer x' });
  ctx.state = { user, auth: { strategy: { name: 'users-permissions' }, credentials: user, ability: {} }, ...more };
  return ctx;
};

/** What was looked at; `''` if that is not watched. */
const lookedAt = (ctx: Context): string | undefined => {
  const watch = exchangeOf(ctx).callerWatch;
  return watch === undefined ? UNSEEN : watch.lookedAt;
};

const watched = (user?: User, more?: Partial<State>): Context & { state: State } => {
  const ctx = contextOf(user, more);
  watchCaller(ctx, METADATA);
  return ctx;
};

describe('a read is noted', () => {
  it.each<[string, (state: State) => unknown, unknown?]>([
    ['state.user.id', ({ user }) => user.id, 7],
    ['a column that is null', ({ user }) => user.email, null],
    ['a column that is not there', ({ user }) => (user as { tenant?: string }).tenant],
    ['a question for a column that is not there', ({ user }) => 'tenant' in user, false],
    ['credentials', ({ auth }) => auth.credentials?.id, 7],
    ['destructuring', ({ user: { username } }) => username, 'alice'],
    ['rest', ({ user: { role: _role, ...rest } }) => rest, { id: 7, username: 'alice', email: null }],
    ['spread', ({ user }) => ({ ...user }), row()],
    ['the state, spread', (state) => ({ ...state }).user.username, 'alice'],
    ['the auth, spread', ({ auth }) => ({ ...auth }).credentials?.username, 'alice'],
    ['JSON', ({ user }) => JSON.parse(JSON.stringify(user)) as unknown, row()],
    ['JSON of the state', (state) => (JSON.parse(JSON.stringify(state)) as State).user, row()],
    ['structuredClone', ({ user }) => structuredClone(user), row()],
    ['v8', ({ user }) => deserialize(serialize(user)) as unknown, row()],
    ['a worker', ({ user }) => posted(user), row()],
    ['entries', ({ user }) => Object.fromEntries(Object.entries(user)), row()],
    ['values', ({ user }) => Object.values(user).slice(0, 2), [7, 'alice']],
    [
      'for in',
      ({ user }) => {
        const names = [];
        for (const name in user) names.push(name);
        return names;
      },
      ['id', 'username', 'email', 'role'],
    ],
    ['inspect', ({ user }) => inspect(user).includes('alice'), true],
    ['an heir', ({ user }) => (Object.create(user) as User).username, 'alice'],
    ['a descriptor', ({ user }) => Object.getOwnPropertyDescriptor(user, 'id')?.get?.call(user) as unknown, 7],
    ['reflection', ({ user }) => Reflect.get(user, 'username'), 'alice'],
    ['equality', ({ user }) => expect(user).toEqual(row())],
  ])('%s', (_way, read, expected) => {
    const ctx = watched();
    const value = read(ctx.state);
    if (expected !== undefined) expect(value).toEqual(expected);
    expect(lookedAt(ctx)).toMatch(/^ctx\.state\.user/);
  });

  it('by its name', () => {
    const ctx = watched();
    void ctx.state.user.username;
    void ctx.state.user.id;
    expect(lookedAt(ctx)).toBe('ctx.state.user.username');
  });

  it('of a session', () => {
    const ctx = watched(row(), { session: { id: 's' } });
    expect(lookedAt(ctx)).toBeUndefined();
    expect(ctx.state.session?.id).toBe('s');
    expect(lookedAt(ctx)).toBe('ctx.state.session.id');
  });

  it('later, and of what was held', async () => {
    const ctx = watched();
    const held = ctx.state.user;
    await Promise.resolve();
    expect(lookedAt(ctx)).toBeUndefined();
    expect(held.id).toBe(7);
    expect(lookedAt(ctx)).toBe('ctx.state.user.id');
  });
});

describe('not noted', () => {
  it.each<[string, (state: State) => unknown]>([
    ['whether there is a user', ({ user, auth }) => Boolean(user) && auth.credentials !== null],
    ['the role', ({ user }) => user.role.type === 'reader'],
    ['the ability', ({ auth }) => auth.ability],
    ['a promise of the user', async ({ user }) => Promise.resolve(user)],
    ['the names of columns, the same for all', ({ user }) => Object.keys(user)],
    [
      'methods of every object',
      ({ user }) => [Object.hasOwn(user, 'id'), Object.prototype.toString.call(user), typeof user.hasOwnProperty],
    ],
  ])('%s', async (_what, read) => {
    const ctx = watched();
    await read(ctx.state);
    expect(lookedAt(ctx)).toBeUndefined();
  });

  it('what the plugin reads itself', () => {
    const ctx = watched();
    expect(identityOf(ctx)).toEqual({ kind: 'user', name: 'up:7' });
    expect(lookedAt(ctx)).toBeUndefined();
  });
});

describe('not watched, so answers are for one caller', () => {
  it.each<[string, (ctx: Context & { state: State }) => unknown, User?]>([
    ['a frozen state', ({ state }) => Object.freeze(state)],
    ['a frozen auth', ({ state }) => Object.freeze(state.auth)],
    ['a state that is a proxy', (ctx) => (ctx.state = new Proxy(ctx.state, {}))],
    ['an accessor', ({ state, state: { user } }) => Object.defineProperty(state, 'user', { get: () => user })],
    [
      'an accessor that may have kept the credentials',
      ({ state, state: { auth } }) => Object.defineProperty(state, 'auth', { get: () => auth, set: () => undefined }),
    ],
    ['another object as the user', ({ state }) => (state.user = row())],
    ['a row with a property of its own', () => undefined, row({ vip: true })],
    ['a row without a column', ({ state }) => delete (state.user as Partial<User>).email],
    ['a property that is not listed', ({ state }) => Object.defineProperty(state.user, 'tenant', { value: 'north' })],
    ['a symbol', ({ state }) => Object.assign(state.user, { [Symbol('tenant')]: 'north' })],
    ['methods', ({ state }) => Object.setPrototypeOf(state.user, { tenant: () => 'north' })],
    ['a role with a property of its own', () => undefined, row({ role: { id: 3, type: 'reader', tenant: 'north' } })],
    ['a state that inherits', (ctx) => (ctx.state = Object.assign(Object.create({}) as State, ctx.state))],
    ['a session with methods', ({ state }) => (state.session = Object.create({ of: () => 'north' }) as { id: string })],
    ['a user without a role', () => undefined, row({ role: null })],
    ['another strategy', ({ state }) => (state.auth.strategy = { name: 'tenants' })],
  ])('%s', (_what, change, user) => {
    const ctx = contextOf(user);
    change(ctx);
    const before = { ...ctx.state };
    watchCaller(ctx, METADATA);
    expect(lookedAt(ctx)).toBe(UNSEEN);
    expect({ ...ctx.state }).toEqual(before);
  });

  it('but a row that was read with what it refers to is watched', () => {
    expect(lookedAt(watched(row({ company: { id: 1 } })))).toBeUndefined();
  });
});

it('shows what code has changed of the row', () => {
  const ctx = watched();
  ctx.state.user.username = 'bob';
  Object.assign(ctx.state.user, { seen: true });
  expect(ctx.state.auth.credentials).toEqual(row({ username: 'bob', seen: true }));
});

describe('the key', () => {
  const OWN = '/api/pages?&&up:7' as CacheKey;
  const SHARED = '/api/pages?&&role:3' as CacheKey;
  const route = (keys: object = {}) => {
    const made = aRoute({ hitpass: false });
    return { ...made, keys: { ...made.keys, useAuth: 'role' as const, ...keys } };
  };
  const decide = (pages: CallerPages, ctx: Context, asked = route()) => pages.decide(ctx, asked, identityOf(ctx), OWN);

  it('is that of the role for the same request by another caller', () => {
    expect(keyOfCaller(OWN, 'role:3')).toBe(SHARED);
    const role = { kind: 'role', name: 'role:3' };
    expect(decide(new CallerPages(), watched())).toEqual({ primary: SHARED, shared: { role, own: OWN } });
  });

  it.each<[string, string, (ctx: Context & { state: State }) => unknown]>([
    ['whom code in front has looked at', 'ctx.state.user.id', ({ state }) => state.user.id],
    [
      'whose credential code in front has read',
      'ctx.headers.authorization',
      (ctx) => (exchangeOf(ctx).readsInFront = new Map([['authorization', 'x']])),
    ],
    ['in whose place is another row of theirs', UNSEEN, ({ state }) => (state.user = row())],
    [
      'who was replaced by another',
      UNSEEN,
      ({ state }) => {
        state.user = row({ id: 8 });
        state.auth = { ...state.auth, credentials: state.user };
      },
    ],
  ])('is their own for a caller %s', (_what, looked, act) => {
    const ctx = watched();
    act(ctx);
    expect(decide(new CallerPages(), ctx)).toEqual({ primary: OWN, lookedAt: looked });
  });

  it('is another one for rows that were read with more than the role, whose users code can tell by that', () => {
    const ctx = watched(row({ company: { id: 1 } }));
    expect('company' in ctx.state.user).toBe(true);
    expect(decide(new CallerPages(), ctx)).toMatchObject({
      primary: `${SHARED}:company`,
      shared: { own: OWN },
    });
  });

  it('is their own for a caller that is not watched', () => {
    expect(decide(new CallerPages(), contextOf())).toEqual({ primary: OWN, lookedAt: UNSEEN });
  });

  it.each([
    ['one entry per caller', watched(), { useAuth: true }],
    ['shared entries', watched(), { useAuth: false }],
    ['visitors', contextOf(null as never), {}],
  ])('is not decided here for %s', (_what, ctx, keys) => {
    expect(decide(new CallerPages(), ctx, route(keys))).toEqual({ primary: OWN });
  });

  it('is learned: a page whose handler has looked once is per caller, other pages are not', () => {
    const pages = new CallerPages();
    const ctx = watched();
    expect(pages.mayShare(ctx, route(), SHARED, [])).toBe(true);
    void ctx.state.user.id;
    expect(pages.mayShare(ctx, route(), SHARED, [])).toBe(false);
    expect(decide(pages, watched())).toEqual({ primary: OWN, lookedAt: 'ctx.state.user.id' });
    expect(pages.mayShare(watched(), route(), SHARED, [])).toBe(false);
    expect(pages.ofRoutes.get(route().path)).toBe('ctx.state.user.id');
    const other = watched();
    const others = '/api/others?&&up:7' as CacheKey;
    expect(pages.decide(other, route(), identityOf(other), others)).toHaveProperty('shared');
  });

  it.each<[boolean, readonly string[], object]>([
    [false, ['authorization'], {}],
    [false, ['*'], { ignoreHeaders: ['*'] }],
    [false, ['authorization'], { ignoreHeaders: ['*'] }],
    [true, ['authorization'], { ignoreHeaders: ['authorization'] }],
    [true, ['accept-language'], {}],
  ])('may be shared: %s, for a handler that has read %s, with %j', (expected, reads, keys) => {
    expect(new CallerPages().mayShare(watched(), route(keys), SHARED, reads)).toBe(expected);
  });
});
