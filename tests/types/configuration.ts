/** What the compiler says about users' configurations. `npm run types` compiles this file; it never runs. */
import { defineConfig, type RestCacheConfig } from '../../server/src/config/define-config';

declare module '../../server/src/config/provider-options' {
  interface ProviderOptionsByName {
    './src/cache/file-provider': { directory: string };
  }
}

export default [
  defineConfig({}),
  defineConfig({ provider: { options: { maxSize: 10, ttl: 1 } } }),
  defineConfig({ provider: { name: 'Memory', options: { maxBytes: 10 } } }),
  defineConfig({
    provider: { name: 'redis', options: { connection: 'redis://cache:6379', localCache: { maxSize: 100 } } },
  }),
  defineConfig({ provider: { name: 'REDIS', options: { host: 'cache', port: 6379, namespace: 'x' } } }),
  defineConfig({ provider: { name: 'some-package', options: { whatever: true } } }),
  defineConfig({ provider: { name: './src/cache/file-provider', options: { directory: '.cache' } } }),
  defineConfig({ provider: { name: String(process.env.STORE), options: { connection: 'redis://cache:6379' } } }),
  defineConfig({
    provider: { name: process.env.REDIS_URL ? 'redis' : 'memory', options: { connection: process.env.REDIS_URL } },
  }),
  defineConfig({ provider: { instance: () => Promise.reject(new Error('none')), options: { whatever: true } } }),
  defineConfig({
    strategy: {
      hitpass: (ctx) => ctx.get('authorization') !== '',
      contentTypes: [
        'api::article.article',
        'plugin::upload.file',
        { contentType: 'api::of-tomorrow.of-tomorrow', routes: ['/api/of-tomorrow', { path: '/elsewhere' }] },
      ],
    },
  }),
  defineConfig({ strategy: { contentTypes: '*' } }),
  defineConfig({
    strategy: { contentTypes: ['*', '!api::article.article', { contentType: 'api::homepage.homepage', maxAge: 1000 }] },
  }),
  defineConfig({
    strategy: {
      maxAge: undefined,
      hitpass: async (ctx) => Promise.resolve('preview' in ctx.query),
      statuses: [404, { status: 301, maxAge: 60_000 }],
      warm: { urls: () => ['/api/articles'] },
      edge: { header: 'xkey', targets: [{ name: 'varnish', url: 'http://varnish', method: 'ban' }] },
      graphql: { keys: { useAuth: true } },
    },
  }),
  {} satisfies RestCacheConfig,
  { provider: { name: 'redis', options: { connection: 'redis://cache:6379' } } } satisfies RestCacheConfig<'redis'>,

  // @ts-expect-error An option of another provider, where none is named.
  defineConfig({ provider: { options: { connection: 'redis://cache:6379' } } }),
  // @ts-expect-error An option of another provider.
  defineConfig({ provider: { name: 'memory', options: { connection: 'redis://cache:6379' } } }),
  // @ts-expect-error An option of another provider, in any case.
  defineConfig({ provider: { name: 'Redis', options: { maxBytes: 10 } } }),
  // @ts-expect-error Not what the application has declared of it.
  defineConfig({ provider: { name: './src/cache/file-provider', options: { folder: '.cache' } } }),
  // @ts-expect-error Both.
  defineConfig({ provider: { name: 'redis', instance: () => Promise.reject(new Error('none')) } }),
  // @ts-expect-error A misspelled option.
  defineConfig({ strategy: { enableETagg: true } }),
  // @ts-expect-error A string from the environment.
  defineConfig({ strategy: { maxAge: '1000' } }),
  // @ts-expect-error No text decides.
  defineConfig({ strategy: { hitpass: (ctx) => ctx.get('authorization') } }),
  // @ts-expect-error A status that is kept anyway.
  defineConfig({ strategy: { statuses: [200] } }),
  // @ts-expect-error An operation has no parameters.
  defineConfig({ strategy: { graphql: { keys: { useQueryParams: false } } } }),
  // @ts-expect-error An option of another target.
  defineConfig({ strategy: { edge: { targets: [{ name: 'varnish', url: 'http://varnish', token: 't' }] } } }),
  // @ts-expect-error A single uid is a list of one.
  defineConfig({ strategy: { contentTypes: 'api::article.article' } }),
  // @ts-expect-error Without the uid.
  defineConfig({ strategy: { contentTypes: [{ maxAge: 1000 }] } }),
  // @ts-expect-error Of a route: `strategy` has no such option.
  defineConfig({ strategy: { paramNames: ['id'] } }),
];
