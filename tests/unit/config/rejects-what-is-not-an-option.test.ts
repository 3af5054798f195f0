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

const only = (problem: string): string =>
  `The configuration of "rest-cache" in config/plugins has a problem:\n  - ${problem}`;

const NEEDED: Readonly<Record<string, object>> = { contentTypes: { contentType: 'api::a.a' }, routes: { path: '/b' } };

/** A configuration whose option at `path` has this value, with what the objects around it need. */
const configured = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, step) => {
    const [, name = '', place] = /^(\w+)(?:\[(\d)\])?$/.exec(step) ?? [];
    if (place === undefined) return { [name]: inner };
    const item: unknown = typeof inner === 'object' && inner !== null ? { ...NEEDED[name], ...inner } : inner;
    return { [name]: [...Array.from({ length: Number(place) }, () => 'a'), item] };
  }, value);

describe('a value that is not accepted', () => {
  const MS = 'a number of milliseconds greater than 0';
  const TIMEOUT = 'a number of milliseconds from 1 to 2147483647';
  const PARAMETER =
    'the name of one query parameter, decoded and without brackets: "filters" stands for everything in filters[…]';
  const FLAGS = [
    ...['debug', 'enableEtag', 'enableXCacheHeaders', 'enableContentApiPurge', 'enableDocumentServiceMiddleware'],
    ...['clearRelatedCache', 'enableAdminCTBMiddleware', 'resetOnStartup', 'honorRequestCacheControl'],
  ];
  const LACKING = 'knownSequence, store, announce, invalidate, delete, usage, clear, health, close, entries';
  const TYPE = 'strategy.contentTypes[0]';
  const ROUTE = `${TYPE}.routes[1]`;
  const METHODS = '"GET" or "POST" or "PUT" or "PATCH" or "DELETE"; did you mean "GET"?';

  it.each<[path: string, value: unknown, expected: string, shown?: string]>([
    ['provider', 'memory', 'an object, such as { name: "redis" }', 'a string'],
    ['strategy', null, 'an object'],
    ...[0, -1, Number.NaN, Infinity, '3600000', null].map((value): [string, unknown, string] => [
      'strategy.maxAge',
      value,
      MS,
    ]),
    [`${TYPE}.maxAge`, 0, MS],
    [`${ROUTE}.maxAge`, -5, MS],
    ...FLAGS.map((flag): [string, unknown, string] => [`strategy.${flag}`, 'true', 'true or false']),
    [`${TYPE}.injectDefaultRoutes`, 1, 'true or false'],
    ['strategy.keysPrefix', 7, 'a string'],
    ['strategy.hitpass', 'no', 'true, false or a function'],
    [`${ROUTE}.hitpass`, 0, 'true, false or a function'],
    ['strategy.keys.useHeaders', 'accept', 'a list of header names'],
    [`${TYPE}.keys.useHeaders[0]`, 'accept language', 'the name of a header'],
    ['strategy.keys.useQueryParams', 'locale', 'true, false or a list of query parameter names'],
    ['strategy.keys.useQueryParams[1]', 'filters[title]', PARAMETER],
    ...['', '[a]', '?page', 'page=1', 'a&b', 'filters%5Btitle%5D', ' page', 'a b', 'a#b'].map(
      (name): [string, unknown, string] => ['strategy.keys.useQueryParams[0]', name, PARAMETER],
    ),
    ['strategy.keys.useAuth', () => true, 'true, false or "role"', 'a function'],
    [`${TYPE}.keys.useAuth`, 'roles', 'true, false or "role"; did you mean "role"?'],
    ['strategy.graphql.keys.useAuth', 'role', 'true or false'],
    ['strategy.keys.useAuth', 'true', 'true, false or "role"'],
    ['strategy.keys', true, 'an object'],
    ['strategy.contentTypes', 'api::a.a', '"*" or a list of content type uids and content type objects'],
    [TYPE, 3, 'the uid of a content type or an object that holds one'],
    [`${TYPE}.contentType`, undefined, 'the uid of a content type, such as "api::article.article"', 'missing'],
    [`${TYPE}.routes`, '/a', 'a list of paths and route objects'],
    [`${TYPE}.routes[0].path`, undefined, 'a path such as "/api/articles/:id"', 'missing'],
    [`${TYPE}.routes[0].path`, '', 'a path such as "/api/articles/:id"'],
    [`${ROUTE}.method`, 'HEAD', METHODS],
    [`${ROUTE}.method`, 'get', METHODS],
    [`${ROUTE}.paramNames`, 'slug', 'a list of parameter names'],
    ['strategy.precision', 'documents', '"table" or "document"; did you mean "document"?'],
    ['strategy.lane', 'outer', '"auto" or "front" or "route"; did you mean "route"?'],
    ['strategy.cacheControl.scope', 'publik', '"private" or "public"; did you mean "public"?'],
    ['strategy.cacheControl.maxAge', -1, '"config", "none" or a number of milliseconds, 0 or greater'],
    ['strategy.cacheControl.staleWhileRevalidate', false, 'null or a number of milliseconds, 0 or greater'],
    ['strategy.cacheControl.enabled', 1, 'true or false'],
    ['provider.getTimeout', 0, TIMEOUT],
    ['provider.getTimeout', 2 ** 31, TIMEOUT],
    ['provider.name', ' ', '"memory", "redis" or the path of a module', 'a string'],
    ['provider.options', [], 'an object', 'a list'],
    ...['maxSize', 'max', 'maxBytes'].flatMap((option) =>
      [0, -1, 1.5, Infinity, '10'].map((limit): [string, unknown, string, string] => [
        `provider.options.${option}`,
        limit,
        'a whole number greater than 0',
        `a ${typeof limit}`,
      ]),
    ),
    ['provider.instance', 'redis', 'a provider or a function that makes one', 'a string'],
    ['provider.instance', { name: 'mine', lookup() {} }, `a provider; this one lacks ${LACKING}`, 'an object'],
    ['provider.instance', { name: '' }, `a provider; this one lacks name, lookup, ${LACKING}`, 'an object'],
    ['metrics.prometheusSecret', '', 'a string that is not empty', 'an empty string'],
  ])('%s: %j is reported', (path, value, expected, shown) => {
    const is = shown ?? (typeof value === 'string' ? JSON.stringify(value) : String(value));
    const end = expected.endsWith('?') ? '' : '.';
    expect(messageOf(configured(path, value))).toBe(only(`${path} is ${is}; expected ${expected}${end}`));
  });

  it.each<[user: unknown, problem: string]>([
    ['memory', 'The configuration is "memory"; expected an object.'],
    [
      { provider: { name: 'memory', instance: () => undefined } },
      'provider.instance is a function; expected provider.name or provider.instance, not both.',
    ],
  ])('%j is reported', (user, problem) => {
    expect(messageOf(user)).toBe(only(problem));
  });
});

describe('an option that does not exist', () => {
  const ENABLED =
    'it switches the whole plugin on and stands beside "config" in config/plugins. One content type is left out by not ' +
    'naming it.';

  it.each<[path: string, hint: string]>([
    ['strategies', 'did you mean "strategy"?'],
    ['strategy.enableETagg', 'did you mean "enableEtag"?'],
    ['strategy.KEYSPREFX', 'did you mean "keysPrefix"?'],
    ['strategy.enableEtagSupport', 'did you mean "enableEtag"?'],
    ['strategy.headers', 'write keys.useHeaders.'],
    ['ttl', 'write strategy.maxAge, in milliseconds.'],
    ['provider.ttl', 'write strategy.maxAge, in milliseconds.'],
    ['maxAge', '"maxAge" belongs under "strategy".'],
    ['strategy.ttl', 'write maxAge, in milliseconds.'],
    ['strategy.contentTypes[0].ttl', 'write maxAge, in milliseconds.'],
    ['enabled', ENABLED],
    ['strategy.contentTypes[0].enabled', ENABLED],
    ['strategy.cach', 'did you mean "cacheControl"?'],
    ['strategy.maxage', 'did you mean "maxAge"?'],
    ['strategy.warm.enabled', 'leave out strategy.warm to switch it off.'],
    ['strategy.keys.useQuery', 'did you mean "useQueryParams"?'],
    ['strategy.keys.headers', 'did you mean "useHeaders"?'],
    ['strategy.graphql.keys.ignoreHeaders', 'accepted are useHeaders, useAuth (the nearest is "useHeaders").'],
    ['strategy.edge.url', '"url" belongs under "targets".'],
    ['strategy.cacheControl.enable', 'did you mean "enabled"?'],
    ['strategy.contentTypes[0].route', 'did you mean "routes"?'],
    ['strategy.contentTypes[0].routes[1].paramName', 'did you mean "paramNames"?'],
    ['provider.timeout', 'did you mean "getTimeout"?'],
    ['provider.options.maxSise', 'did you mean "maxSize"?'],
    ['provider.options.mx', 'did you mean "max"?'],
    ['metrics.secret', 'did you mean "prometheusSecret"?'],
    ['contentTypes', '"contentTypes" belongs under "strategy".'],
    ['provider.maxAge', '"maxAge" belongs under "strategy".'],
    ['strategy.contentTypes[0].useAuth', '"useAuth" belongs under "keys".'],
    ['strategy.provider', '"provider" belongs at the top.'],
    ['zzzzzzzzzzzz', 'accepted are provider, strategy, metrics (the nearest is "provider").'],
    [
      'provider.host',
      'accepted are name, instance, getTimeout, options. The provider\'s own options belong under "options".',
    ],
  ])('%s is named, with what was meant', (path, hint) => {
    expect(messageOf(configured(path, true))).toBe(only(`${path} is not an option; ${hint}`));
  });
});

const TYPE_AND_ROUTE = ['strategy', 'strategy.contentTypes[0]', 'strategy.contentTypes[0].routes[0]'];
it.each([
  ...[
    'provider',
    'provider.name',
    'provider.instance',
    'provider.getTimeout',
    'provider.options',
    'strategy',
    'metrics',
  ],
  ...['hitpass', 'keys', 'keys.useHeaders', 'keys.useQueryParams', 'maxAge', 'statuses', 'stale', 'x'].flatMap(
    (option) => TYPE_AND_ROUTE.map((level) => `${level}.${option}`),
  ),
  ...['warm', 'graphql', 'graphql.keys', 'audit', 'cacheControl', 'edge', 'edge.targets', 'lane', 'contentTypes'].map(
    (option) => `strategy.${option}`,
  ),
])('%s may hold anything: it is accepted, or a problem names it', (path) => {
  const objects = [new Map(), [[]], [null], [{}], [Object.create(null)], { then: 1 }, { name: Object.create(null) }];
  const primitives = [
    null,
    Number.NaN,
    5n,
    Symbol('s'),
    '',
    'true',
    '*',
    '!',
    'constructor',
    '__proto__',
    /x/,
    class {},
  ];
  for (const value of [...objects, ...primitives, { toString: 1, constructor: 2 }, Promise.resolve(), Array(2)])
    expect(messageOf(configured(path, value))).toMatch(/^accepted$|^The configuration of "rest-cache" in [^]+\n {2}- /);
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

it.each(['strategy.contentTypes', 'strategy.warm', 'strategy.keys', 'provider.options'])(
  'a promise is not taken for an object without options: %s',
  (path) => {
    const promise = Promise.resolve({ useAuth: true });
    expect(messageOf(configured(path, promise))).toBe(only(`${path} is a promise; await it in config/plugins.`));
  },
);

it('nor is one in the place of the whole configuration', () => {
  expect(messageOf(Promise.resolve({}))).toBe(only('The configuration is a promise; await it in config/plugins.'));
});

it('a promise among the options of a provider is its own, and a configuration may refer to itself', () => {
  const options: Record<string, unknown> = { ready: Promise.resolve() };
  options.self = options;
  expect(parseConfig({ provider: { name: './src/cache', options } }).provider.options).toBe(options);
  const strategy: Record<string, unknown> = { debug: 1 };
  strategy.self = strategy;
  expect(messageOf({ strategy })).toContain('strategy.debug is 1');
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
