import { describe, expect, it } from 'vitest';

import { ConfigurationError } from '../../../server/src/config/configuration-error';
import { parseConfig } from '../../../server/src/config/schema';

const messageOf = (user: unknown): string => {
  try {
    parseConfig(user);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'accepted';
};

const type = (settings: object) => ({ strategy: { contentTypes: [{ contentType: 'api::a.a', ...settings }] } });
const route = (settings: object) => type({ routes: ['/a', { path: '/b', ...settings }] });

describe('a value that is not accepted', () => {
  const ms = 'a number of milliseconds greater than 0';
  const parameter =
    'the name of one query parameter, decoded and without brackets: "filters" stands for everything in filters[…]';
  const flags = [
    'debug',
    'enableEtag',
    'enableXCacheHeaders',
    'enableContentApiPurge',
    'enableDocumentServiceMiddleware',
    'clearRelatedCache',
    'enableAdminCTBMiddleware',
    'resetOnStartup',
    'honorRequestCacheControl',
  ];

  it.each<[user: unknown, problem: string]>([
    ['memory', 'The configuration is "memory"; expected an object.'],
    [{ provider: 'memory' }, 'provider is a string; expected an object, such as { name: "redis" }.'],
    [{ strategy: null }, 'strategy is null; expected an object.'],
    [{ strategy: { maxAge: 0 } }, `strategy.maxAge is 0; expected ${ms}.`],
    [{ strategy: { maxAge: -1 } }, `strategy.maxAge is -1; expected ${ms}.`],
    [{ strategy: { maxAge: Number.NaN } }, `strategy.maxAge is NaN; expected ${ms}.`],
    [{ strategy: { maxAge: Infinity } }, `strategy.maxAge is Infinity; expected ${ms}.`],
    [{ strategy: { maxAge: '3600000' } }, `strategy.maxAge is "3600000"; expected ${ms}.`],
    [{ strategy: { maxAge: null } }, `strategy.maxAge is null; expected ${ms}.`],
    [type({ maxAge: 0 }), `strategy.contentTypes[0].maxAge is 0; expected ${ms}.`],
    [route({ maxAge: -5 }), `strategy.contentTypes[0].routes[1].maxAge is -5; expected ${ms}.`],
    ...flags.map((flag): [unknown, string] => [
      { strategy: { [flag]: 'true' } },
      `strategy.${flag} is "true"; expected true or false.`,
    ]),
    [type({ injectDefaultRoutes: 1 }), 'strategy.contentTypes[0].injectDefaultRoutes is 1; expected true or false.'],
    [{ strategy: { keysPrefix: 7 } }, 'strategy.keysPrefix is 7; expected a string.'],
    [{ strategy: { hitpass: 'no' } }, 'strategy.hitpass is "no"; expected true, false or a function.'],
    [route({ hitpass: 0 }), 'strategy.contentTypes[0].routes[1].hitpass is 0; expected true, false or a function.'],
    [
      { strategy: { keys: { useHeaders: 'accept' } } },
      'strategy.keys.useHeaders is "accept"; expected a list of header names.',
    ],
    [
      type({ keys: { useHeaders: ['accept language'] } }),
      'strategy.contentTypes[0].keys.useHeaders[0] is "accept language"; expected the name of a header.',
    ],
    [
      { strategy: { keys: { useQueryParams: 'locale' } } },
      'strategy.keys.useQueryParams is "locale"; expected true, false or a list of query parameter names.',
    ],
    [
      { strategy: { keys: { useQueryParams: ['page', 'filters[title]'] } } },
      `strategy.keys.useQueryParams[1] is "filters[title]"; expected ${parameter}.`,
    ],
    ...['', '[a]', '?page', 'page=1', 'a&b', 'filters%5Btitle%5D', ' page', 'a b', 'a#b'].map<[object, string]>(
      (name) => [
        { strategy: { keys: { useQueryParams: [name] } } },
        `strategy.keys.useQueryParams[0] is ${JSON.stringify(name)}; expected ${parameter}.`,
      ],
    ),
    [
      { strategy: { keys: { useAuth: () => true } } },
      'strategy.keys.useAuth is a function; expected true, false or "role".',
    ],
    [
      type({ keys: { useAuth: 'roles' } }),
      'strategy.contentTypes[0].keys.useAuth is "roles"; expected true, false or "role"; did you mean "role"?',
    ],
    [
      { strategy: { graphql: { keys: { useAuth: 'role' } } } },
      'strategy.graphql.keys.useAuth is "role"; expected true or false.',
    ],
    [{ strategy: { keys: true } }, 'strategy.keys is true; expected an object.'],
    [
      { strategy: { contentTypes: 'api::a.a' } },
      'strategy.contentTypes is "api::a.a"; expected "*" or a list of content type uids and content type objects.',
    ],
    [
      { strategy: { contentTypes: [3] } },
      'strategy.contentTypes[0] is 3; expected the uid of a content type or an object that holds one.',
    ],
    [
      { strategy: { contentTypes: [{}] } },
      'strategy.contentTypes[0].contentType is missing; expected the uid of a content type, such as "api::article.article".',
    ],
    [type({ routes: '/a' }), 'strategy.contentTypes[0].routes is "/a"; expected a list of paths and route objects.'],
    [
      type({ routes: [{ maxAge: 1 }] }),
      'strategy.contentTypes[0].routes[0].path is missing; expected a path such as "/api/articles/:id".',
    ],
    [
      type({ routes: [''] }),
      'strategy.contentTypes[0].routes[0].path is ""; expected a path such as "/api/articles/:id".',
    ],
    ...['HEAD', 'get'].map((method): [unknown, string] => [
      route({ method }),
      `strategy.contentTypes[0].routes[1].method is "${method}"; expected "GET" or "POST" or "PUT" or "PATCH" or "DELETE"; did you mean "GET"?`,
    ]),
    [
      route({ paramNames: 'slug' }),
      'strategy.contentTypes[0].routes[1].paramNames is "slug"; expected a list of parameter names.',
    ],
    [
      { strategy: { precision: 'documents' } },
      'strategy.precision is "documents"; expected "table" or "document"; did you mean "document"?',
    ],
    [
      { strategy: { lane: 'outer' } },
      'strategy.lane is "outer"; expected "auto" or "front" or "route"; did you mean "route"?',
    ],
    [
      { strategy: { cacheControl: { scope: 'publik' } } },
      'strategy.cacheControl.scope is "publik"; expected "private" or "public"; did you mean "public"?',
    ],
    [
      { strategy: { cacheControl: { maxAge: -1 } } },
      'strategy.cacheControl.maxAge is -1; expected "config", "none" or a number of milliseconds, 0 or greater.',
    ],
    [
      { strategy: { cacheControl: { staleWhileRevalidate: false } } },
      'strategy.cacheControl.staleWhileRevalidate is false; expected null or a number of milliseconds, 0 or greater.',
    ],
    [{ strategy: { cacheControl: { enabled: 1 } } }, 'strategy.cacheControl.enabled is 1; expected true or false.'],
    [
      { provider: { getTimeout: 0 } },
      'provider.getTimeout is 0; expected a number of milliseconds from 1 to 2147483647.',
    ],
    [
      { provider: { getTimeout: 2 ** 31 } },
      'provider.getTimeout is 2147483648; expected a number of milliseconds from 1 to 2147483647.',
    ],
    [{ provider: { name: ' ' } }, 'provider.name is a string; expected "memory", "redis" or the path of a module.'],
    [{ provider: { options: [] } }, 'provider.options is a list; expected an object.'],
    [{ provider: { options: { maxSise: 5 } } }, 'provider.options.maxSise is not an option; did you mean "maxSize"?'],
    [{ provider: { options: { mx: 5 } } }, 'provider.options.mx is not an option; did you mean "max"?'],
    ...['maxSize', 'max', 'maxBytes'].flatMap((option) =>
      [0, -1, 1.5, Infinity, '10'].map((limit): [unknown, string] => [
        { provider: { options: { [option]: limit } } },
        `provider.options.${option} is a ${typeof limit}; expected a whole number greater than 0.`,
      ]),
    ),
    [
      { provider: { instance: 'redis' } },
      'provider.instance is a string; expected a provider or a function that makes one.',
    ],
    [
      { provider: { instance: { name: 'mine', lookup() {} } } },
      'provider.instance is an object; expected a provider; this one lacks knownSequence, store, announce, ' +
        'invalidate, delete, usage, clear, health, close, entries.',
    ],
    [
      { provider: { instance: { name: '' } } },
      'provider.instance is an object; expected a provider; this one lacks name, lookup, knownSequence, store, ' +
        'announce, invalidate, delete, usage, clear, health, close, entries.',
    ],
    [
      { provider: { name: 'memory', instance: () => undefined } },
      'provider.instance is a function; expected provider.name or provider.instance, not both.',
    ],
    [
      { metrics: { prometheusSecret: '' } },
      'metrics.prometheusSecret is an empty string; expected a string that is not empty.',
    ],
  ])('%j is reported', (user, problem) => {
    expect(messageOf(user)).toBe(`The configuration of "rest-cache" in config/plugins has a problem:\n  - ${problem}`);
  });
});

describe('an option that does not exist', () => {
  it.each<[user: unknown, problem: string]>([
    [{ strategies: {} }, 'strategies is not an option; did you mean "strategy"?'],
    [{ strategy: { enableETagg: true } }, 'strategy.enableETagg is not an option; did you mean "enableEtag"?'],
    [{ strategy: { KEYSPREFX: '' } }, 'strategy.KEYSPREFX is not an option; did you mean "keysPrefix"?'],
    [
      { strategy: { enableEtagSupport: true } },
      'strategy.enableEtagSupport is not an option; did you mean "enableEtag"?',
    ],
    [{ strategy: { headers: [] } }, 'strategy.headers is not an option; write keys.useHeaders.'],
    [{ ttl: 60 }, 'ttl is not an option; write strategy.maxAge, in milliseconds.'],
    [{ provider: { ttl: 60 } }, 'provider.ttl is not an option; write strategy.maxAge, in milliseconds.'],
    [{ maxAge: 60 }, 'maxAge is not an option; "maxAge" belongs under "strategy".'],
    [{ strategy: { ttl: 60 } }, 'strategy.ttl is not an option; write maxAge, in milliseconds.'],
    [type({ ttl: 60 }), 'strategy.contentTypes[0].ttl is not an option; write maxAge, in milliseconds.'],
    [
      { enabled: true },
      'enabled is not an option; it switches the whole plugin on and stands beside "config" in config/plugins. One ' +
        'content type is left out by not naming it.',
    ],
    [
      type({ enabled: false }),
      'strategy.contentTypes[0].enabled is not an option; it switches the whole plugin on and stands beside "config" in ' +
        'config/plugins. One content type is left out by not naming it.',
    ],
    [{ strategy: { cach: {} } }, 'strategy.cach is not an option; did you mean "cacheControl"?'],
    [{ strategy: { maxage: 1 } }, 'strategy.maxage is not an option; did you mean "maxAge"?'],
    [
      { strategy: { keys: { useQuery: true } } },
      'strategy.keys.useQuery is not an option; did you mean "useQueryParams"?',
    ],
    [
      { strategy: { cacheControl: { enable: true } } },
      'strategy.cacheControl.enable is not an option; did you mean "enabled"?',
    ],
    [type({ route: [] }), 'strategy.contentTypes[0].route is not an option; did you mean "routes"?'],
    [
      route({ paramName: [] }),
      'strategy.contentTypes[0].routes[1].paramName is not an option; did you mean "paramNames"?',
    ],
    [{ provider: { timeout: 5 } }, 'provider.timeout is not an option; did you mean "getTimeout"?'],
    [{ metrics: { secret: 'x' } }, 'metrics.secret is not an option; did you mean "prometheusSecret"?'],
    [{ contentTypes: [] }, 'contentTypes is not an option; "contentTypes" belongs under "strategy".'],
    [{ provider: { maxAge: 5 } }, 'provider.maxAge is not an option; "maxAge" belongs under "strategy".'],
    [type({ useAuth: true }), 'strategy.contentTypes[0].useAuth is not an option; "useAuth" belongs under "keys".'],
    [{ strategy: { provider: {} } }, 'strategy.provider is not an option; "provider" belongs at the top.'],
    [
      { zzzzzzzzzzzz: 1 },
      'zzzzzzzzzzzz is not an option; accepted are provider, strategy, metrics (the nearest is "provider").',
    ],
    [
      { provider: { host: 'redis' } },
      'provider.host is not an option; accepted are name, instance, getTimeout, options. The provider\'s own options belong under "options".',
    ],
  ])('%j is named, with what was meant', (user, problem) => {
    expect(messageOf(user)).toBe(`The configuration of "rest-cache" in config/plugins has a problem:\n  - ${problem}`);
  });
});

it('lists all problems in one message', () => {
  const message = messageOf({
    provider: { getTimeout: 'soon', nam: 'x', options: { maxSize: 0 } },
    strategy: {
      debugg: true,
      maxAge: 0,
      contentTypes: [{ contentType: 'api::a.a', hitpass: 1, keys: { auth: true } }],
    },
  });
  expect(message.split('\n')).toEqual([
    'The configuration of "rest-cache" in config/plugins has 7 problems:',
    '  - provider.getTimeout is "soon"; expected a number of milliseconds from 1 to 2147483647.',
    '  - provider.nam is not an option; did you mean "name"?',
    '  - strategy.maxAge is 0; expected a number of milliseconds greater than 0.',
    '  - strategy.contentTypes[0].hitpass is 1; expected true, false or a function.',
    '  - strategy.contentTypes[0].keys.auth is not an option; did you mean "useAuth"?',
    '  - strategy.debugg is not an option; did you mean "debug"?',
    '  - provider.options.maxSize is a number; expected a whole number greater than 0.',
  ]);
});

it('says that it is a ConfigurationError and keeps the problems apart', () => {
  expect(() => parseConfig({ a: 1, b: 2 })).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', problems: [expect.any(String), expect.any(String)] }),
  );
});

it('prints long values short', () => {
  const message = messageOf({
    strategy: { hitpass: 'x'.repeat(500), maxAge: Array.from({ length: 500 }, (_, n) => n) },
  });
  for (const line of message.split('\n')) expect(line.length).toBeLessThan(200);
});
