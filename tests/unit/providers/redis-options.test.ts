import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../server/src/config/configuration-error';
import {
  resolveRedisOptions,
  withNamedConnection,
  type NamedConnections,
} from '../../../server/src/providers/redis/options';

/** What is returned, or the problem. */
const outcome = (resolve: () => unknown): unknown => {
  try {
    return resolve();
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems.join() : error;
  }
};

/** What becomes of the options, where the plugin "redis" has these connections, or the problem. */
const named = (options: Record<string, unknown>, connections?: NamedConnections): unknown =>
  outcome(() => resolveRedisOptions(withNamedConnection(options, connections)));

const resolved = (options: Record<string, unknown>): unknown => outcome(() => resolveRedisOptions(options));

describe('options of the Redis provider', () => {
  it('means a Redis on this machine and a first level where nothing is said', () => {
    expect(resolved({})).toEqual({
      target: { kind: 'single', url: undefined, options: {} },
      keyPrefix: '',
      localCache: { maxSize: 1000, maxBytes: 64 * 1024 * 1024 },
    });
  });

  const single = (url?: string, options: object = {}) => ({ kind: 'single', url, options });
  const sentinels = { sentinels: [{ host: 'h' }], name: 'main' };
  const nodes = [{ host: 'h', port: 1 }];

  it.each<[options: Record<string, unknown>, target: object]>([
    [{ connection: 'redis://h:1/2' }, single('redis://h:1/2')],
    [{ client: 'rediss://h' }, single('rediss://h')],
    [{ connection: '/run/redis.sock' }, single('/run/redis.sock')],
    [{ connection: { host: 'h', port: 1 } }, single(undefined, { host: 'h', port: 1 })],
    [{ host: 'h', password: 'p', tls: {} }, single(undefined, { host: 'h', password: 'p', tls: {} })],
    [sentinels, single(undefined, sentinels)],
    [{ cluster: { nodes } }, { kind: 'cluster', nodes, options: {} }],
    [{ host: undefined, connection: 'redis://h' }, single('redis://h')],
  ])('%j says where Redis is', (options, target) => {
    expect(resolved(options)).toMatchObject({ target });
  });

  const both = (one: string, other: string) => `: "${one}" and "${other}" both say where Redis is; keep one of them`;
  it.each<[options: Record<string, unknown>, problem: string]>([
    [{ conection: 'x' }, ': there is no option "conection"; did you mean "connection"?'],
    [{ connection: { hots: 'x' } }, '.connection: there is no option "hots"; did you mean "host"?'],
    [{ connection: 7 }, '.connection: neither a URL, nor ioredis options, nor an ioredis connection'],
    // Neither has options of its own, so the default address would be used.
    [
      { connection: new URL('redis://a') },
      '.connection: neither a URL, nor ioredis options, nor an ioredis connection',
    ],
    [
      { client: Promise.resolve('redis://a') },
      '.client: neither a URL, nor ioredis options, nor an ioredis connection',
    ],
    [{ connection: 'redis://a', host: 'b' }, both('connection', 'host')],
    [{ client: {}, cluster: {} }, both('client', 'cluster')],
    [{ cluster: { nodes: [] } }, '.cluster.nodes: not a list of at least one node: { host, port } or a URL'],
    [{ sentinels: [] }, '.name: the name of the master group is needed with sentinels'],
    [{ port: 'x' }, '.port: not a port number'],
    [{ tls: 'false' }, '.tls: neither true, false nor an object'],
    [
      { connection: { sentinels: [], name: 'm', role: 'slave' } },
      '.connection.role: a replica cannot be used: it may lag behind, and it accepts no writes',
    ],
    [{ keyPrefix: 'a{b}' }, '.keyPrefix: may not hold braces: the hash tag of the keys is set by the provider'],
    [{ localCache: true }, '.localCache: neither false nor an object { maxSize, maxBytes }'],
    [{ localCache: { maxSize: 0 } }, '.localCache.maxSize: not a whole number above 0'],
  ])('%j is refused with a reason', (options, problem) => {
    expect(resolved(options)).toBe(`provider.options${problem}`);
  });

  const nothing = (): void => undefined;
  const client = {
    status: 'ready',
    defineCommand: nothing,
    hmgetBuffer: nothing,
    zscan: nothing,
    subscribe: nothing,
    duplicate: nothing,
    connect: nothing,
    disconnect: nothing,
  };

  it('knows a connection by what it can do, and takes it as it is', () => {
    expect(resolved({ connection: client, localCache: false })).toMatchObject({
      target: { kind: 'client' },
      localCache: undefined,
    });
  });

  describe('of @strapi-community/plugin-rest-cache', () => {
    it('name a connection of the plugin "redis"; what limits a store of its own has no effect', () => {
      const options = { max: 32767, ttl: 3_600_000, connection: 'default', keyPrefix: 'shop:' };
      expect(named(options, { default: { client } })).toMatchObject({
        target: { kind: 'client', client },
        keyPrefix: 'shop:',
      });
    });

    it.each([
      [
        undefined,
        'looks like the name of a connection, but the plugin "redis" (@strapi-community/plugin-redis) is not installed; write a URL',
      ],
      [{ cache: { client } }, 'the plugin "redis" has no open connection of this name (it has: cache)'],
      [{}, 'the plugin "redis" has no open connection of this name (it has: none)'],
      [{ default: {} }, 'the plugin "redis" has no open connection of this name (it has: default)'],
    ])('are refused with a reason where the plugin has %j', (connections, reason) => {
      expect(named({ connection: 'default' }, connections)).toBe(`provider.options.connection: ${reason}`);
    });

    it('are no names where a variable of the environment is empty', () => {
      expect(named({ connection: '' })).toMatch(/^provider\.options\.connection: not a URL of the form/);
    });

    it('mean the connection "default" of the plugin where nothing says where Redis is', () => {
      expect(named({ max: 1, keyPrefix: 'shop:' }, { default: { client }, other: {} })).toMatchObject({
        target: { kind: 'client', client },
        keyPrefix: 'shop:',
      });
      expect(named({}, { other: { client } })).toBe(
        'provider.options.connection: the plugin "redis" has no open connection of this name (it has: other)',
      );
      expect(named({ host: 'h' }, { default: { client } })).toMatchObject({ target: { options: { host: 'h' } } });
    });

    it('name connections with a colon', () => {
      expect(named({ connection: 'cache:main' }, { 'cache:main': { client } })).toMatchObject({ target: { client } });
    });

    it("may hold @keyv/redis' options, which have no effect", () => {
      const options = { namespace: 'shop', useRedisSets: false, connection: 'default' };
      expect(named(options, { default: { client } })).toMatchObject({ target: { client }, keyPrefix: '' });
    });

    it("may hold ioredis' keyPrefix, which the provider puts in front itself", () => {
      expect(named({ connection: { host: 'h', keyPrefix: 'shop:' } })).toMatchObject({
        target: { kind: 'single', options: { host: 'h' } },
        keyPrefix: 'shop:',
      });
      expect((named({ connection: { keyPrefix: 'shop:' } }) as { target: { options: object } }).target.options).toEqual(
        {},
      );
    });

    it.each(['redis://h', 'rediss://u:p@h:1/2', '/run/redis.sock'])('leave %s what it is', (connection) => {
      expect(named({ connection })).toMatchObject({ target: { kind: 'single', url: connection } });
    });

    it('never have a mistaken URL taken for a name, and never show it', () => {
      expect(named({ connection: 'user:secret@host' }, {})).toBe(
        'provider.options.connection: not a URL of the form redis://user:password@host:6379/0, rediss://… (TLS) or the path of a socket',
      );
    });
  });
});
