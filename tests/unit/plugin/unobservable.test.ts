import knex, { type Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '@strapi/strapi';
import { systemClock } from '../../../server/src/cache/clock';
import { ReadsElsewhere } from '../../../server/src/observe/reads-elsewhere';
import { currentRecording, record, Recording } from '../../../server/src/observe/recording';
import type { Provider } from '../../../server/src/cache/provider';
import { Lanes } from '../../../server/src/lanes/lanes';
import { Observability } from '../../../server/src/monitor/observability';
import { catalogOf, observeDatabase } from '../../../server/src/plugin/observe-database';
import { Obstacles } from '../../../server/src/plugin/obstacles';

/* A Strapi or a knex that is not as expected: the boot continues, and there is a reason why nothing is cached. */

let connection: Knex;
let said: string[];

beforeEach(() => {
  said = [];
  connection = knex({
    client: 'better-sqlite3',
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
});
afterEach(() => connection.destroy());

const say = (text: string): void => void said.push(text);

/** The parts of Strapi that the observer uses. */
const application = (): Core.Strapi =>
  ({
    log: { debug: say, info: say, warn: say, error: say },
    contentAPI: { permissions: { engine: {}, providers: {} } },
    db: {
      connection,
      dialect: { client: 'sqlite' },
      getSchemaName: () => undefined,
      schema: { schema: { tables: [] } },
      metadata: new Map(),
    },
  }) as unknown as Core.Strapi;

const observe = async (strapi: Core.Strapi): Promise<string | undefined> => {
  const observability = new Observability(strapi, systemClock);
  const obstacles = new Obstacles();
  const settings = {
    strapi,
    strategy: { precision: 'document', enableDocumentServiceMiddleware: true } as never,
    provider: {} as Provider,
    observability,
    sink: { announce: () => undefined, invalidate: () => undefined },
    readsElsewhere: new ReadsElsewhere(systemClock, () => undefined),
  };
  await obstacles.attempt(
    'The database',
    async () => observeDatabase({ ...settings, catalog: catalogOf(strapi) }),
    () => undefined,
  );
  return obstacles.first;
};

type Loose = Record<string, unknown>;

const dialectOf = (): Loose => Object.getPrototypeOf(connection.client) as Loose;

/** Another knex with the same client. */
const replacing =
  (methods: object) =>
  ({ db }: Core.Strapi): void =>
    void Object.assign(db, { connection: { client: connection.client as unknown, ...methods } });

/** Changes that remove or replace something, each with a name that says what. */
const broken: ReadonlyArray<readonly [name: string, broken: (strapi: Core.Strapi) => void]> = [
  ['knex has no client', () => Object.defineProperty(connection, 'client', { value: {} })],
  ...['query', 'stream', '_query', 'prepBindings', 'positionBindings', 'wrapIdentifier'].map(
    (method) =>
      [
        `knex' client has no ${method}()`,
        () => {
          const dialect = Object.create(dialectOf()) as Loose;
          dialect[method] = undefined;
          Object.setPrototypeOf(connection.client, dialect);
        },
      ] as const,
  ),
  ["knex' client takes no other class", () => void Object.preventExtensions(connection.client)],
  ['knex sends statements another way', replacing({ raw: () => Promise.resolve([]), transaction: () => undefined })],
  [
    'knex begins transactions another way',
    replacing({ raw: (sql: string) => connection.raw(sql), transaction: () => Promise.resolve() }),
  ],
  ['there is no database', (strapi) => void Object.assign(strapi, { db: undefined })],
  ['there is no schema', (strapi) => void Object.assign(strapi.db, { schema: {} })],
  ['there is no metadata', (strapi) => void Object.assign(strapi.db, { metadata: undefined })],
  ['the database has no dialect', (strapi) => void Object.assign(strapi.db, { dialect: undefined })],
  ['the schema has no name', (strapi) => void Object.assign(strapi.db, { getSchemaName: undefined })],
];

describe('where Strapi or knex is not as expected', () => {
  it.each(broken)('%s: the boot goes on, with a reason', async (_name, breakIt) => {
    const strapi = application();
    breakIt(strapi);
    expect(await observe(strapi)).toEqual(expect.any(String));
  });

  it('nothing is broken: there is no reason', async () => {
    expect(await observe(application())).toBeUndefined();
  });

  it('abilities that cannot be repeated only cost time', async () => {
    const strapi = application();
    Object.assign(strapi, { contentAPI: undefined });
    expect(await observe(strapi)).toBeUndefined();
  });

  it.each<readonly [string, (strapi: Core.Strapi) => void]>([
    ['no server', (strapi) => void Object.assign(strapi, { server: undefined })],
    ['no request context', (strapi) => void Object.assign(strapi, { requestContext: undefined })],
    ['no middlewares', (strapi) => void Object.assign(strapi, { get: () => undefined })],
    ['no HTTP server', (strapi) => void Object.assign(strapi.server, { httpServer: undefined })],
  ])('%s: taking the place in front fails where register() can say so', (_name, breakIt) => {
    const strapi = application();
    Object.assign(strapi, {
      config: { get: (_name: string, otherwise: unknown) => otherwise },
      log: { debug: () => undefined, warn: () => undefined },
      requestContext: { run: () => undefined, get: () => undefined },
      server: { use: () => undefined, app: { middleware: [] }, httpServer: { once: () => undefined } },
      get: () => ({ keys: () => [], extend: () => undefined }),
    });
    expect(() => new Lanes(strapi).attach()).not.toThrow();
    breakIt(strapi);
    expect(() => new Lanes(strapi).attach()).toThrow();
  });
});

describe('instrumentation in front of knex', () => {
  it.each(['query', 'stream'] as const)('its own %s() on the client is called, and seen', async (method) => {
    const client = connection.client as Record<string, (...args: unknown[]) => unknown>;
    const original = client[method];
    let called = 0;
    client[method] = function (this: unknown, ...args: unknown[]) {
      called += 1;
      return original?.apply(this, args);
    };
    expect(await observe(application())).toBeUndefined();
    called = 0;
    const recording = new Recording();
    recording.makesAnswer = true;
    await record(recording, async () => {
      expect(currentRecording()).toBe(recording);
      await connection.raw('create table t (id integer primary key)');
    });
    const reading = new Recording();
    reading.makesAnswer = true;
    await record(reading, async () => {
      if (method === 'query') await connection('t').select();
      else for await (const row of connection('t').select().stream()) expect(row).toBeDefined();
    });
    expect(called).toBeGreaterThan(0);
    expect([...reading.content].some((tag) => tag.startsWith('t'))).toBe(true);
  });

  it('on the prototype of the client is called, and seen', async () => {
    const prototype = dialectOf();
    const original = prototype.query as (...args: unknown[]) => unknown;
    prototype.query = function (this: unknown, ...args: unknown[]) {
      return original.apply(this, args);
    };
    try {
      expect(await observe(application())).toBeUndefined();
    } finally {
      prototype.query = original;
    }
  });
});
