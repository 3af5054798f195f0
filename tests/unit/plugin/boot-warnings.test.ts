import { expect, it } from 'vitest';
import {
  nothingNamedWarnings,
  otherCacheWarnings,
  providerWarnings,
  severalProcessesWarnings,
  staleWarnings,
  type Start,
} from '../../../server/src/plugin/boot-warnings';

const MEMORY = { name: 'memory', instance: undefined };
const warns = (start: Partial<Start>, provider: Parameters<typeof severalProcessesWarnings>[0] = MEMORY): boolean =>
  severalProcessesWarnings(provider, { env: {}, isWorker: false, isReloaded: false, ...start }).length > 0;

it.each<[how: string, start: Partial<Start>, expected: boolean]>([
  ['by itself', {}, false],
  ['by strapi develop, which uses a worker', { isWorker: true, isReloaded: true }, false],
  ['by node:cluster', { isWorker: true }, true],
  ['by PM2, cluster mode', { isWorker: true, env: { NODE_APP_INSTANCE: '0', instances: '4' } }, true],
  ['by PM2, cluster mode, as many as there are cores', { isWorker: true, env: { instances: 'max' } }, true],
  ['by PM2, cluster mode with one process', { isWorker: true, env: { NODE_APP_INSTANCE: '0', instances: '1' } }, false],
  ['by PM2, fork mode', { env: { NODE_APP_INSTANCE: '0', instances: '1' } }, false],
  ['by PM2, the first of several forks', { env: { NODE_APP_INSTANCE: '0', instances: '2' } }, true],
  ['by PM2, another of several forks', { env: { NODE_APP_INSTANCE: '1' } }, true],
])('it is known whether a process is one of several that is started %s', (_how, start, expected) => {
  expect(warns(start)).toBe(expected);
});

it.each([
  ['upload', 0],
  ['strapi-cache', 1],
])('beside the plugin %s, there are %i warnings of another cache', (name, expected) => {
  expect(otherCacheWarnings({ plugins: { [name]: {} as never } })).toHaveLength(expected);
});

it('other providers are shared, or know themselves', () => {
  expect(warns({ isWorker: true }, { name: 'redis', instance: undefined })).toBe(false);
  expect(warns({ isWorker: true }, { name: 'memory', instance: () => ({}) as never })).toBe(false);
});

it('the warning says what to write', () => {
  const [warning] = severalProcessesWarnings(MEMORY, { env: {}, isWorker: true, isReloaded: false });
  expect(warning?.text).toContain('provider.name is "memory"');
  expect(warning?.text).toContain('{ name: "redis", options: { connection: … } }');
});

it.each<[what: string, entry: unknown, why: string]>([
  ['unknown', undefined, 'config names no content type in config/plugins: Strapi passes on only what is inside'],
  ['enabled alone', { enabled: true }, "'rest-cache' in config/plugins has no config"],
  ['true', true, "'rest-cache' in config/plugins has no config"],
  ['an empty config', { enabled: true, config: {} }, 'strategy.contentTypes names nothing'],
  ['strategy beside config', { enabled: true, strategy: {} }, 'strategy stands beside config in config/plugins'],
  ['a provider beside a config', { config: {}, provider: {} }, 'provider stands beside config in config/plugins'],
  ['a function', { config: () => ({}) }, 'config is a function in config/plugins'],
])('where nothing is named, the warning says why and what to write: %s', (_what, entry, why) => {
  const [warning] = nothingNamedWarnings({ contentTypes: [], graphql: null }, entry);
  expect(warning?.text).toContain(`nothing is cached, because ${why}`);
  expect(warning?.text).toContain("'rest-cache': { enabled: true, config: { strategy: { contentTypes:");
  expect(nothingNamedWarnings({ contentTypes: [{} as never], graphql: null }, entry)).toEqual([]);
});

it.each<[what: string, stale: object, keepsExpired: boolean, warns: boolean]>([
  ['for revalidation, by a provider that keeps nothing old', { whileRevalidate: 1000, ifError: 0 }, false, true],
  ['for failures, by a provider that keeps nothing old', { whileRevalidate: 0, ifError: 1000 }, false, true],
  ['by a provider that keeps them', { whileRevalidate: 1000, ifError: 0 }, true, false],
  ['nowhere', { whileRevalidate: 0, ifError: 0 }, false, false],
])(
  'it is known whether stale responses can be served that are to be served %s',
  (_what, stale, keepsExpired, warns) => {
    const contentTypes = [{ routes: [{ stale }] }] as never;
    const provider = { name: 'file', lookupExpired: keepsExpired ? () => undefined : undefined };
    const [warning] = staleWarnings({ contentTypes }, provider);
    expect(warning?.text.includes('the provider "file" has no lookupExpired') ?? false).toBe(warns);
  },
);

it('options of another Redis provider are named as without effect, and no value of theirs', () => {
  const options = { connection: 'redis://h', namespace: 'secret', useRedisSets: false };
  const [warning, ...others] = providerWarnings({ name: 'redis', instance: undefined, options });
  expect(warning?.text).toContain('provider.options: namespace, useRedisSets have no effect');
  expect([warning?.text.includes('secret'), others]).toEqual([false, []]);
  expect(providerWarnings({ name: 'memory', instance: undefined, options })).toEqual([]);
});
