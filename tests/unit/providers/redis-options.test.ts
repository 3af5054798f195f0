import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../server/src/config/configuration-error';
import {
  resolveRedisOptions,
  withNamedConnection,
  type NamedConnections,
} from '../../../server/src/providers/redis/options';

const resolved = (options: Record<string, unknown>): unknown => {
  try {
    return resolveRedisOptions(options);
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems.join() : error;
  }
};

describe('options of the Redis provider', () => {
  it('means a Redis on this machine and a first level where nothing is said', () => {
    expect(resolved({})).toEqual({
      target: { kind: 'single', url: undefined, options: {} },
      keyPrefix: '',
      localCache: { maxSize: 1000, maxBytes: 64 * 1024 * 1024 },
    });
  });

  it.each([
    [{ connection: 'redis://h:1/2' }, { kind: 'single', url: 'redis://h:1/2', options: {} }],
    [{ client: 'rediss://h' }, { kind: 'single', url: 'rediss://h', options: {} }],
    [{ connection: '/run/redis.sock' }, { kind: 'single', url: '/run/redis.sock', options: {} }],
    [{ connection: { host: 'h', port: 1 } }, { kind: 'single', url: undefined, options: { host: 'h', port: 1 } }],
    [
      { host: 'h', password: 'p', tls: {} },
      { kind: 'single', url: undefined, options: { host: 'h', password: 'p', tls: {} } },
    ],
    [
      { sentinels: [{ host: 'h' }], name: 'main' },
      { kind: 'single', url: undefined, options: { sentinels: [{ host: 'h' }], name: 'main' } },
    ],
    [
      { cluster: { nodes: [{ host: 'h', port: 1 }] } },
      { kind: 'cluster', nodes: [{ host: 'h', port: 1 }], options: {} },
    ],
    [
      { host: undefined, connection: 'redis://h' },
      { kind: 'single', url: 'redis://h', options: {} },
    ],
  ])('%j says where Redis is', (options, target) => {
    expect(resolved(options)).toMatchObject({ target });
  });

  it.each([
    [{ conection: 'x' }, 'provider.options: there is no option "conection"; did you mean "connection"?'],
    [{ connection: { hots: 'x' } }, 'provider.options.connection: there is no option "hots"; did you mean "host"?'],
    [{ connection: 7 }, 'provider.options.connection: neither a URL, nor ioredis options, nor an ioredis connection'],
    [
      { connection: 'redis://a', host: 'b' },
      'provider.options: "connection" and "host" both say where Redis is; keep one of them',
    ],
    [{ client: {}, cluster: {} }, 'provider.options: "client" and "cluster" both say where Redis is; keep one of them'],
    [
      { cluster: { nodes: [] } },
      'provider.options.cluster.nodes: not a list of at least one node: { host, port } or a URL',
    ],
    [{ sentinels: [] }, 'provider.options.name: the name of the master group is needed with sentinels'],
    [{ port: 'x' }, 'provider.options.port: not a port number'],
    [{ tls: 'false' }, 'provider.options.tls: neither true, false nor an object'],
    [
      { connection: { sentinels: [], name: 'm', role: 'slave' } },
      'provider.options.connection.role: a replica cannot be used: it may lag behind, and it accepts no writes',
    ],
    [
      { keyPrefix: 'a{b}' },
      'provider.options.keyPrefix: may not hold braces: the hash tag of the keys is set by the provider',
    ],
    [{ localCache: true }, 'provider.options.localCache: neither false nor an object { maxSize, maxBytes }'],
    [{ localCache: { maxSize: 0 } }, 'provider.options.localCache.maxSize: not a whole number above 0'],
  ])('%j is refused with a reason', (options, message) => {
    expect(resolved(options)).toBe(message);
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
    const named = (options: Record<string, unknown>, connections?: NamedConnections): unknown => {
      try {
        return resolveRedisOptions(withNamedConnection(options, connections));
      } catch (error) {
        return error instanceof ConfigurationError ? error.problems.join() : error;
      }
    };

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
