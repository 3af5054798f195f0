import { describe, expect, it } from 'vitest';

import strapiConfig from '../../../server/src/config';
import { defineConfig } from '../../../server/src/config/define-config';
import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

const METHODS = 'lookup knownSequence store announce invalidate delete entries usage clear health close'.split(' ');
const provider = { name: 'p', ...Object.fromEntries(METHODS.map((name) => [name, () => undefined])) };

const DEFAULTS = {
  provider: { name: 'memory', instance: undefined, getTimeout: 500, options: {} },
  strategy: {
    debug: false,
    enableEtag: false,
    enableXCacheHeaders: false,
    enableContentApiPurge: false,
    enableDocumentServiceMiddleware: true,
    clearRelatedCache: true,
    enableAdminCTBMiddleware: true,
    resetOnStartup: false,
    honorRequestCacheControl: false,
    maxAge: 3600000,
    keysPrefix: '',
    hitpass: true,
    keys: { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false },
    statuses: [],
    repeatable: false,
    sharesWork: true,
    stale: { whileRevalidate: 0, ifError: 0, timeout: 0 },
    warm: null,
    audit: null,
    repeatableMiddlewares: [],
    cacheControl: { enabled: false, maxAge: 'config', scope: 'private', staleWhileRevalidate: null },
    edge: null,
    graphql: null,
    precision: 'document',
    lane: 'auto',
    contentTypes: [],
  },
  metrics: { prometheusSecret: undefined },
  edgeTargets: [],
  warnings: [],
};

describe('what is left out', () => {
  it.each<[user: unknown]>([
    [undefined],
    [{}],
    [{ provider: {}, strategy: {}, metrics: {} }],
    [
      {
        provider: { name: undefined, options: {} },
        strategy: {
          maxAge: undefined,
          keys: { useAuth: undefined },
          debug: undefined,
          cacheControl: { scope: undefined },
        },
      },
    ],
  ])('takes its default: %j', (user) => {
    expect(resolveConfig(user, application())).toEqual(DEFAULTS);
  });

  it('is left to us, not to Strapi, which merges keys and lists', () => {
    expect(strapiConfig).toEqual({ default: {} });
  });
});

describe('what is written', () => {
  it('replaces its default', () => {
    const strategy = {
      debug: true,
      enableEtag: true,
      enableXCacheHeaders: true,
      enableContentApiPurge: true,
      enableDocumentServiceMiddleware: false,
      clearRelatedCache: false,
      enableAdminCTBMiddleware: false,
      resetOnStartup: true,
      honorRequestCacheControl: true,
      maxAge: 1000,
      keysPrefix: 'p',
      hitpass: () => true,
      keys: { useQueryParams: false, useHeaders: ['accept'], ignoreHeaders: ['*'], useAuth: true },
      statuses: [{ status: 404 }, { status: 301, maxAge: 5000 }],
      repeatable: true,
      sharesWork: false,
      stale: { whileRevalidate: 1000, ifError: 2000, timeout: 3000 },
      warm: { top: 1, urls: ['/api/articles'], afterWrites: false, atBoot: false, concurrency: 2 },
      audit: { rate: 1, perMinute: 1 },
      repeatableMiddlewares: ['global::locale'],
      cacheControl: { enabled: true, maxAge: 0, scope: 'public', staleWhileRevalidate: 0 },
      precision: 'table',
      lane: 'route',
      contentTypes: [],
    } as const;
    const resolved = resolveConfig(
      {
        provider: { name: 'redis', getTimeout: 50, options: { url: 'x' } },
        strategy,
        metrics: { prometheusSecret: 's' },
      },
      application(),
    );
    expect(resolved).toEqual({
      provider: { name: 'redis', instance: undefined, getTimeout: 50, options: { url: 'x' } },
      strategy: { ...strategy, edge: null, graphql: null },
      metrics: { prometheusSecret: 's' },
      edgeTargets: [],
      warnings: [],
    });
  });

  it('counts whole milliseconds', () => {
    const { strategy } = resolveConfig(
      { strategy: { maxAge: 0.2, cacheControl: { maxAge: 1.5, staleWhileRevalidate: 2.5 } } },
      application(),
    );
    expect([strategy.maxAge, strategy.cacheControl.maxAge, strategy.cacheControl.staleWhileRevalidate]).toEqual([
      1, 2, 3,
    ]);
  });

  it('has its names put in order, once each, headers in lower case', () => {
    const { keys } = resolveConfig(
      {
        strategy: {
          keys: {
            useHeaders: ['X-B', 'accept', 'x-b'],
            ignoreHeaders: ['X-B', 'x-a'],
            useQueryParams: ['sort', 'page', 'sort'],
          },
        },
      },
      application(),
    ).strategy;
    expect(keys).toEqual({
      useHeaders: ['accept', 'x-b'],
      ignoreHeaders: ['x-a', 'x-b'],
      useQueryParams: ['page', 'sort'],
      useAuth: false,
    });
  });

  it.each([
    [{ max: 10 }, { maxSize: 10 }],
    [
      { maxSize: 10, maxBytes: 20 },
      { maxSize: 10, maxBytes: 20 },
    ],
    [{ max: 10, maxSize: 20 }, { maxSize: 10 }],
  ])(
    'has max as an alias of maxSize, and the last word as in @strapi-community/plugin-rest-cache: %j',
    (options, expected) => {
      expect(resolveConfig({ provider: { options } }, application()).provider.options).toEqual(expected);
    },
  );

  it.each<[string, unknown, string]>([
    ['an object', provider, 'p'],
    ['an object called memory', { ...provider, name: 'memory' }, 'memory'],
    ['a function', () => provider, 'custom'],
  ])('may be a provider itself: %s', (_description, instance, name) => {
    const resolved = resolveConfig({ provider: { instance, options: { max: 'a lot' } } }, application()).provider;
    expect(resolved).toEqual({ name, instance, getTimeout: 500, options: { max: 'a lot' } });
    expect(resolved.instance).toBe(instance);
  });
});

it('defineConfig returns what it is given', () => {
  const config = { strategy: { contentTypes: ['api::article.article'] } };
  expect(defineConfig(config)).toBe(config);
});
