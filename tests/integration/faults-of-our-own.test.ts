import { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Entry } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import type { Guard, Lookup } from '../../server/src/cache/provider';
import { probeApi, type ProbeContext } from '../application/probe';
import { rawRequest, type RawResponse } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { ChaosProvider } from './chaos-provider';

/**
 * Whatever fails in the plugin itself, in any lane: the client gets the origin's answer, the origin computes it at most
 * once, the log names the failure, and the process keeps running.
 */

/** Decides by the stack of a call whether it fails; `undefined` while everything works. */
let planted: ((stack: string) => boolean) | undefined;
let fired = 0;

const failIfPlanted = (): void => {
  if (planted === undefined) return;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  if (!planted(stack)) return;
  fired += 1;
  throw new Error(`planted ${fired}`);
};

const FIELDS = ['response', 'createdAt', 'maxAge', 'sequence', 'tags', 'labels'] as const;
const RESPONSE_FIELDS = ['status', 'headers', 'removed', 'body', 'left', 'etag'] as const;
let field: string | undefined;
let changed: Partial<Entry['response']> = {};

/** A copy of an object in which one field, the planted one, cannot be read. */
const treacherous = <T extends object>(whole: T, names: readonly string[], replaced: Partial<T> = {}): T => {
  const made = { ...whole, ...replaced };
  for (const name of names) {
    const value = made[name as keyof T];
    Object.defineProperty(made, name, {
      enumerable: true,
      get: () => {
        if (field === name) {
          fired += 1;
          throw new Error(`planted ${fired}`);
        }
        return value;
      },
    });
  }
  return made;
};

class TreacherousProvider extends ChaosProvider {
  readonly #views = new WeakMap<Entry, Entry>();

  /** Nothing is written in these tests, so every guard holds. */
  holds(): boolean {
    return true;
  }

  override async lookup(key: CacheKey, guard?: Guard): Promise<Lookup> {
    const found = await super.lookup(key, guard);
    if (found.entry === undefined) return found;
    const isChanged = Object.keys(changed).length > 0;
    const known = isChanged ? undefined : this.#views.get(found.entry);
    if (known !== undefined) return { entry: known };
    const response = treacherous(found.entry.response, RESPONSE_FIELDS, changed);
    const entry = treacherous({ ...found.entry, response }, FIELDS);
    if (!isChanged) this.#views.set(found.entry, entry);
    return { entry };
  }
}

const BODY = { text: 'größer', list: [1, 2, 3] };

/** In the front lane, the second answer comes from the route lane; with functions of a route, all do. */
const LANES = ['front', 'own-functions'] as const;

const probe = probeApi([
  ...LANES.map((lane) => ({
    path: `/probe/${lane}`,
    handler: (ctx: ProbeContext) => (ctx.set('X-Own', 'yes'), BODY),
    config: {
      auth: false,
      // A policy and a middleware, so that hits stay on the route.
      ...(lane === 'own-functions' ? { policies: ['global::own'], middlewares: ['global::own'] } : {}),
    },
  })),
  {
    path: '/probe/failing',
    handler: () => {
      throw new Error('of the handler');
    },
  },
  { path: '/probe/teapot', handler: (ctx) => ctx.throw(418, 'short and stout') },
]);

/** The route's own policy and middleware. Both pass the request on. */
const FUNCTIONS = {
  'src/policies/own.js': 'module.exports = () => true;',
  'src/middlewares/own.js': 'module.exports = () => (_ctx, next) => next();',
};

/** Names of the plugin's functions in which the called functions fail. */
const PLACES = [
  ...['requestKey', 'hidingParameters', 'unstorableReason', 'etagOf', 'setBody', 'replayResponse'],
  ...['hit', 'addCacheHeaders', 'report', 'answerConditionally', 'finishResponse', 'weakenCompressed'],
];

const original = {
  getHeader: ServerResponse.prototype.getHeader,
  getHeaders: ServerResponse.prototype.getHeaders,
  setHeader: ServerResponse.prototype.setHeader,
};

let application: Application;
let unique = 0;

beforeAll(async () => {
  application = await startApplication({
    files: { ...probe.files, ...FUNCTIONS },
    restCache: {
      provider: { instance: (_options, settings) => new TreacherousProvider(settings) },
      strategy: {
        lane: 'front',
        enableXCacheHeaders: true,
        enableEtag: true,
        contentTypes: [{ contentType: 'api::article.article', routes: probe.paths, keys: { useQueryParams: ['n'] } }],
      },
    },
  });
  for (const name of ['getHeader', 'getHeaders', 'setHeader'] as const) {
    const method = original[name] as (...args: unknown[]) => unknown;
    ServerResponse.prototype[name] = function (this: ServerResponse, ...args: unknown[]) {
      failIfPlanted();
      return method.apply(this, args);
    } as never;
  }
  const { request } = application.strapi.server.app;
  for (const name of ['headers', 'querystring', 'url'] as const) {
    const inherited = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(request), name);
    Object.defineProperty(request, name, {
      ...inherited,
      get(this: object) {
        failIfPlanted();
        return inherited?.get?.call(this) as unknown;
      },
    });
  }
}, 300_000);
afterAll(async () => {
  Object.assign(ServerResponse.prototype, original);
  await application.stop();
});

describe.each(LANES)('lane %s', (lane) => {
  const newUrl = (): string => `/api/probe/${lane}?n=${(unique += 1)}&ignored=1`;
  /** A spelling of the URL that the front lane does not know. */
  const spelledOtherwise = (url: string): string => `${url}2`;
  const isTheOrigins = ({ status, headers, body }: RawResponse): void => {
    expect([status, body.toString(), headers['x-own']]).toEqual([200, JSON.stringify(BODY), 'yes']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  };
  const warm = async (url: string): Promise<void> => {
    for (const expected of ['MISS', 'HIT', 'HIT'])
      expect((await rawRequest(application, url)).headers['x-cache']).toBe(expected);
  };

  /** Sends one request while something fails, and one after it works again. */
  const ask = async (url: string, plant: () => void): Promise<void> => {
    const [before, calls] = [fired, probe.calls(`/probe/${lane}`)];
    application.logs.length = 0;
    plant();
    const answer = await rawRequest(application, url).finally(() => {
      planted = undefined;
      field = undefined;
      changed = {};
    });
    isTheOrigins(answer);
    expect(probe.calls(`/probe/${lane}`) - calls).toBeLessThanOrEqual(1);
    if (fired > before)
      expect(application.logs.join('\n')).toMatch(/\[rest-cache\] the cache failed on a request, .*planted/);
    isTheOrigins(await rawRequest(application, url));
  };

  const places = [...PLACES, ...(lane === 'front' ? ['remember'] : [])];
  it.each(places)('%s fails: on a miss, on a hit of the route lane, on one of the front lane', async (place) => {
    const before = fired;
    const plant = (): void => {
      planted = (stack) => new RegExp(`at (?:async )?(?:Object\\.|\\w+\\.)?${place} `).test(stack);
    };
    await ask(newUrl(), plant);
    const url = newUrl();
    await warm(url);
    await ask(url, plant);
    await ask(spelledOtherwise(url), plant);
    expect(fired).toBeGreaterThan(before);
  });

  it.each([...FIELDS, ...RESPONSE_FIELDS])('an entry whose %s cannot be read', async (name) => {
    const url = newUrl();
    await warm(url);
    await ask(url, () => (field = name));
    await ask(spelledOtherwise(url), () => (field = name));
  });

  it.each<[string, Partial<Entry['response']>]>([
    ['a status no response may have', { status: 299 }],
    ['a status without a body', { status: 204 }],
    ['a length that is not its own', { headers: [['content-length', '3']] }],
    ['a text said to be JSON', { body: Buffer.from('{'), left: 'json' }],
  ])('a store that gives back an entry with %s', async (_what, altered) => {
    const url = newUrl();
    await warm(url);
    changed = altered;
    const { status } = await rawRequest(application, url).finally(() => (changed = {}));
    expect(status).toBeLessThan(500);
    isTheOrigins(await rawRequest(application, newUrl()));
  });
});

it.each([
  ['/probe/failing', 500],
  ['/probe/teapot', 418],
])('what the handler of %s throws is the handler’s', async (path, status) => {
  const calls = probe.calls(path);
  for (const lookedUp of [1, 2, 3]) {
    expect((await rawRequest(application, `/api${path}`)).status).toBe(status);
    expect(probe.calls(path)).toBe(calls + lookedUp);
  }
});
