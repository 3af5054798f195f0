import { expect, it } from 'vitest';
import { providerWarnings } from '../../../server/src/plugin/boot-warnings';

const warnings = (options: Readonly<Record<string, unknown>>, name = 'redis'): readonly string[] =>
  providerWarnings({ name, instance: undefined, options }).map(({ text }) => text);

it.each([
  ['connection', { connection: undefined }],
  ['host', { host: undefined, port: 6379 }],
  ['connection.host', { connection: { host: undefined } }],
  ['cluster', { cluster: undefined }],
])('warns of an address that has come out empty: %s', (option, options) => {
  expect(warnings(options)).toEqual([
    `provider.options.${option} is undefined. Is the environment variable that it is read from set? Without it the default ` +
      'address is used, 127.0.0.1:6379.',
  ]);
});

it.each([
  ['nothing is written', {}],
  ['it is set', { connection: 'redis://cache:6379' }],
  ['another option says where', { connection: undefined, cluster: { nodes: [] } }],
  ['another part of a connection is left out', { connection: { host: 'cache', password: undefined } }],
])('is silent where %s', (_where, options) => {
  expect(warnings(options)).toEqual([]);
});

it('is silent in memory', () => {
  expect(warnings({ connection: undefined }, 'memory')).toEqual([]);
});
