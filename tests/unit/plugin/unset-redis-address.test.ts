import { expect, it } from 'vitest';
import { refuseUnsetAddress } from '../../../server/src/config/unset-address';
import { providerWarnings } from '../../../server/src/plugin/boot-warnings';

const warnings = (options: Readonly<Record<string, unknown>>, name = 'redis'): readonly string[] =>
  providerWarnings({ name, instance: undefined, options }).map(({ text }) => text);

it.each<[option: string, options: object, is?: string]>([
  ['connection', { connection: undefined }],
  ['host', { host: undefined, port: 6379 }],
  ['host', { host: '' }, 'an empty string'],
  ['path', { path: undefined, password: 'x' }],
  ['connection.host', { connection: { host: undefined } }],
  ['client.host', { client: { host: '', port: 6379 } }, 'an empty string'],
  ['connection', { connection: 'redis:///0' }, 'a URL without a host'],
  ['client', { client: 'rediss://' }, 'a URL without a host'],
  ['cluster', { cluster: undefined }],
  ['cluster.nodes[1].host', { cluster: { nodes: [{ host: 'a' }, { host: undefined, port: 7000 }] } }],
  ['sentinels[0].host', { sentinels: [{ host: undefined, port: 26_379 }], name: 'main' }],
  ['connection.sentinels[0].host', { connection: { sentinels: [{ host: undefined }], name: 'main' } }],
])(
  'an address that has come out empty is warned of, and stops the boot in production: %s',
  (option, options, is = 'undefined') => {
    const unset = `provider.options.${option} is ${is}. Is the environment variable that it is read from set?`;
    expect(warnings({ ...options })).toEqual([`${unset} Without it the default address is used, 127.0.0.1:6379.`]);
    expect(() => refuseUnsetAddress({ ...options }, 'development')).not.toThrow();
    expect(() => refuseUnsetAddress({ ...options }, 'production')).toThrow(
      `The configuration of "rest-cache" in config/plugins has a problem:\n  - ${unset}`,
    );
  },
);

it.each([
  ['nothing is written', {}],
  ['it is set', { connection: 'redis://cache:6379' }],
  ['it is the path of a socket', { connection: '/run/redis.sock' }],
  ['another option says where', { connection: undefined, cluster: { nodes: [] } }],
  ['another part says where', { connection: { host: undefined, path: '/run/redis.sock' } }],
  ['another part of a connection is left out', { connection: { host: 'cache', password: undefined } }],
])('no address is missed where %s', (_where, options) => {
  expect(warnings(options)).toEqual([]);
  expect(() => refuseUnsetAddress(options, 'production')).not.toThrow();
});

it('no address is missed in memory', () => {
  expect(warnings({ connection: undefined }, 'memory')).toEqual([]);
});
