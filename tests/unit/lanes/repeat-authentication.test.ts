import Koa, { type Context } from 'koa';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Provider } from '../../../server/src/cache/provider';
import { named } from '../../../server/src/cache/sentence';
import type { Sequence } from '../../../server/src/cache/sequence';
import type { Tag } from '../../../server/src/cache/tag';
import { exchangeOf } from '../../../server/src/http/exchange';
import { RepeatedAuthentication } from '../../../server/src/lanes/repeat-authentication';
import { RequestFingerprints } from '../../../server/src/lanes/request-fingerprint';
import { Recording } from '../../../server/src/observe/recording';

/* Strapi's service `auth`, with a strategy named like that of users-permissions, which knows one user. */

interface Row {
  id: number;
  role: { name: string };
}

const auth = { scope: ['find'] };
const lane = { path: '/api/tags', isByRole: false };
const config = { auth, middlewares: [{ name: 'plugin::rest-cache.cache', config: lane }] };
const app = new Koa();
const USERS = 'up_users' as Tag;

let now: number;
let holds: boolean;
/** How the provider answers whether the guard still holds. */
let told: () => boolean | Promise<boolean>;
/** How often the strategies were called. */
let asked: number;
let onAuthenticate: (ctx: Context) => void;
/** What the strategy leaves in `ctx.state.auth` in addition, or instead. */
let left: object;
let service: { authenticate(ctx: unknown, next: () => Promise<unknown>): Promise<unknown> };
let repeated: RepeatedAuthentication;
const fault = vi.fn();

beforeEach(() => {
  now = 1_000_000;
  holds = true;
  asked = 0;
  onAuthenticate = () => undefined;
  left = {};
  fault.mockClear();
  const strategy = { name: 'users-permissions' };
  service = {
    async authenticate(given, next) {
      const ctx = given as Context;
      asked += 1;
      exchangeOf(ctx).recording?.readPermission({ tables: ['up_users'], tags: () => [USERS] });
      onAuthenticate(ctx);
      const user: Row | null = ctx.req.headers.authorization === undefined ? null : { id: 7, role: { name: 'Editor' } };
      if (user !== null) ctx.state.user = user;
      ctx.state.isAuthenticated = true;
      ctx.state.auth = { strategy, credentials: user, ability: null, ...left };
      return next();
    },
  };
  repeated = new RepeatedAuthentication({ now: () => milliseconds(now) }, () => undefined, fault);
  const fingerprints = new RequestFingerprints({ keyedHeaders: new Set(), variesOnEncoding: false });
  told = () => holds;
  const provider = { holds: () => told() } as unknown as Provider;
  repeated.open(provider, milliseconds(50), (ctx) => fingerprints.behindMiddlewares(ctx));
});

const SIGNED_IN = { authorization: 'Bearer one' };

/**
 * Sends one request. `inside` is what the route does with it, `hit` is whether an entry answers it. Such a request was
 * answered by an entry once before, which does not count.
 */
const ask = async (headers?: Record<string, string>, request: Asked = {}): Promise<Context> => {
  if (request.hit !== false) {
    const before = asked;
    await askOnce(headers, { ...request, inside: () => undefined });
    asked = before;
  }
  return askOnce(headers, request);
};

const askOnce = async (
  headers: Record<string, string> = SIGNED_IN,
  { path = '/api/tags', inside = () => undefined, hit = true, route = config, method = 'GET', koa = app }: Asked = {},
): Promise<Context> => {
  const ctx = {
    ...{ method, path, query: {}, response: {}, state: { route: { config: route } } },
    request: { _querycache: { '': {} } },
    app: koa,
    // As in Node.js, the headers come from its prototype.
    req: Object.assign(Object.create({ headers, headersDistinct: {} }) as object, {
      rawHeaders: [],
      socket: {},
      url: path,
    }),
    res: { getHeaders: () => headersOf },
    get: (name: string) => headers[name.toLowerCase()] ?? '',
  } as unknown as Context;
  const headersOf: Record<string, string> = {};
  ctx.set = ((name: string, value: string) => void (headersOf[name] = value)) as Context['set'];
  const exchange = exchangeOf(ctx);
  exchange.recording = new Recording({ since: 1 as Sequence });
  const strategies = (next: () => Promise<unknown>): Promise<unknown> => service.authenticate(ctx, next);
  await repeated.authenticate(ctx, strategies, async () => {
    await inside(ctx);
    if (hit) exchange.rememberCaller?.();
  });
  return ctx;
};

/** What Strapi keeps of a request without a query, as `ctx.query`. */
const queryOf = ({ request }: Context): object =>
  (request as unknown as { _querycache: { '': object } })._querycache[''];

interface Asked {
  readonly path?: string;
  readonly inside?: (ctx: Context) => unknown;
  readonly hit?: boolean;
  readonly route?: typeof config;
  readonly method?: string;
  readonly koa?: Koa;
}

/** Expects that the strategies were called so many times by all requests. */
const times = (authenticate: number): void => expect(asked).toBe(authenticate);

it('asks nobody again of a request fingerprint the same, and leaves and notes what they did', async () => {
  const first = await ask();
  const second = await ask();
  times(1);
  expect(second.state).toEqual(first.state);
  expect(second.state.user).toBe(second.state.auth.credentials);
  expect(second.state.auth.strategy).toBe(first.state.auth.strategy);
  expect(exchangeOf(second).recording?.permissionTags()).toEqual([USERS]);
  expect((await ask({})).state).toMatchObject({ isAuthenticated: true, auth: { credentials: null, ability: null } });
  expect((await ask({})).state.user).toBeUndefined();
  times(2);
});

it.each([
  ['another credential', { authorization: 'Bearer two' }, {}],
  ['none', {}, {}],
  ['another header', { ...SIGNED_IN, 'x-tenant': 'b' }, {}],
  ['another URL', SIGNED_IN, { path: '/api/tags/1' }],
  ['another method', SIGNED_IN, { method: 'HEAD' }],
  ['another route of that URL', SIGNED_IN, { route: { ...config } }],
  ['a body', { ...SIGNED_IN, 'content-length': '2' }, {}],
])('asks again for a request that differs: %s', async (_what, headers, request: Asked) => {
  await ask();
  await ask(headers, request);
  times(2);
});

it('asks nobody again from the third request on', async () => {
  for (const expected of [1, 2, 2, 2]) {
    await askOnce();
    times(expected);
  }
});

describe('asks again', () => {
  it('until an entry has answered', async () => {
    await ask(SIGNED_IN, { hit: false });
    await ask();
    times(2);
    await ask();
    times(2);
  });

  it('once something that was read has been stamped, for good', async () => {
    await ask();
    holds = false;
    await ask(SIGNED_IN, { hit: false });
    holds = true;
    await ask();
    times(3);
  });

  it('after a minute', async () => {
    await ask();
    now += 59_999;
    await ask();
    times(1);
    now += 1;
    await ask();
    times(2);
  });

  it('once a JWT has expired', async () => {
    const payload = Buffer.from(JSON.stringify({ exp: now / 1000 + 3 })).toString('base64url');
    const headers = { authorization: `Bearer h.${payload}.s` };
    await ask(headers);
    now += 2999;
    await ask(headers);
    times(1);
    now += 1;
    await ask(headers);
    times(2);
  });

  it('authorisation, where it is asked a second time or for something else', async () => {
    const verify = vi.fn(async () => undefined);
    const authorise = (ctx: Context, asked: object): Promise<unknown> => repeated.verify(ctx.state.auth, asked, verify);
    const inside = async (ctx: Context): Promise<void> => {
      await authorise(ctx, { scope: ['other'] });
      await authorise(ctx, auth);
      await authorise(ctx, auth);
    };
    await ask(SIGNED_IN, { inside });
    expect(verify).toHaveBeenCalledTimes(3);
    await ask(SIGNED_IN, { inside });
    expect(verify).toHaveBeenCalledTimes(5);
  });
});

it('gives each request a copy of its own', async () => {
  const spoil = (ctx: Context): void => {
    ctx.state.user.role.name = 'spoilt';
    delete ctx.state.user.id;
    ctx.state.auth.ability = 'spoilt';
  };
  for (let request = 0; request < 3; request += 1) {
    const seen: unknown[] = [];
    await ask(SIGNED_IN, {
      inside: (ctx) => (seen.push(structuredClone(ctx.state.user), ctx.state.auth.ability), spoil(ctx)),
    });
    expect(seen).toEqual([{ id: 7, role: { name: 'Editor' } }, null]);
  }
  times(1);
});

describe('with a provider that has to ask', () => {
  it('asks nobody again where the guard holds, and everybody where it does not', async () => {
    told = async () => holds;
    await ask();
    await ask();
    times(1);
    holds = false;
    await ask();
    times(2);
  });

  it.each<[string, () => Promise<boolean>]>([
    ['fails', () => Promise.reject(new Error('planted'))],
    ['does not answer in time', () => new Promise(() => undefined)],
  ])('asks everybody where it %s, and is not asked again of this caller', async (_what, failing) => {
    await ask();
    const provider = vi.fn(failing);
    told = provider;
    await ask(SIGNED_IN, { hit: false });
    await ask(SIGNED_IN, { hit: false });
    times(3);
    expect(provider).toHaveBeenCalledTimes(1);
    expect(fault).not.toHaveBeenCalled();
  });
});

describe('leaves alone', () => {
  it.each<[string, (ctx: Context) => void]>([
    ['who leaves more in the state', (ctx) => void (ctx.state.tenant = 'b')],
    ['who leaves something on the context', (ctx) => void Object.assign(ctx, { tenant: 'b' })],
    ['who leaves something on the request', (ctx) => void Object.assign(ctx.request, { tenant: 'b' })],
    ['who leaves something on the message', (ctx) => void Object.assign(ctx.req, { tenant: 'b' })],
    [
      'who sets the query, which was parsed before',
      (ctx) => void Object.assign(ctx.request, { _querycache: { '': { a: '1' } } }),
    ],
    ['who writes into it', (ctx) => void Object.assign(queryOf(ctx), { filters: { tenant: 'b' } })],
    ['who writes another URL', (ctx) => void (ctx.req.url = '/api/tags?tenant=b')],
    ['who hides something on the context', (ctx) => void Object.defineProperty(ctx, 'tenant', { value: 'b' })],
    ['who hides something in the state', (ctx) => void Object.defineProperty(ctx.state, 'tenant', { value: 'b' })],
    ['who leaves something by a symbol', (ctx) => void Object.assign(ctx, { [Symbol('tenant')]: 'b' })],
    [
      'who leaves something in the state by a symbol',
      (ctx) => void Object.assign(ctx.state, { [Symbol('tenant')]: 'b' }),
    ],
    ['who sets a header', (ctx) => ctx.set('X-Tenant', 'b')],
    ['who reads a view', (ctx) => exchangeOf(ctx).recording?.forbidStoring(named('it read up_users, a view'))],
    ['who tells of a session that is more than data', (ctx) => void (ctx.state.session = { renew: () => undefined })],
  ])('a strategy %s', async (_what, act) => {
    onAuthenticate = act;
    await ask({});
    await ask({});
    times(2);
  });

  it.each([
    ['a strategy of others', { strategy: { name: 'partner' } }],
    ['an ability that is not shared', { ability: { can: () => true } }],
    [
      'a row that hides something',
      { credentials: { id: 7, role: Object.defineProperty({}, 'tenant', { value: 'b' }) } },
    ],
  ])('%s', async (_what, instead) => {
    left = instead;
    await ask();
    await ask();
    times(2);
  });

  it.each([
    ['is not cached', { auth, middlewares: [] }],
    ['is open to everybody', { ...config, auth: false as never }],
  ])('a route that %s', async (_what, route) => {
    await ask(SIGNED_IN, { route });
    await ask(SIGNED_IN, { route });
    times(2);
  });
});

it('asks as ever where it fails by itself, and says so', async () => {
  const error = new Error('planted');
  await ask(SIGNED_IN, {
    path: {
      toString: () => {
        throw error;
      },
    } as never,
  });
  times(1);
  expect(fault).toHaveBeenCalledWith(error);
});

it('takes what strategies read unnoticed for a read of everything', async () => {
  const ctx = await ask(SIGNED_IN, { koa: {} as Koa });
  times(1);
  expect(fault).toHaveBeenCalledWith(expect.any(TypeError));
  expect(exchangeOf(ctx).readsOfStrategies).toEqual(new Set(['*']));
});
