import fc from 'fast-check';
import type { Context } from 'koa';
import { expect, it } from 'vitest';
import type { Core } from '@strapi/strapi';
import tag from '../../../playground/src/api/tag/content-types/tag/schema.json';
import { resolveConfig } from '../../../server/src/config/resolve';
import { canonical, fingerprint } from '../../../server/src/plugin/fingerprint';
import { application } from '../config/application';

/** The same value with its lists and objects in another order, at every depth. */
const shuffled = (value: unknown, random: () => number): unknown => {
  const mixed = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [random(), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  if (Array.isArray(value)) return mixed(value.map((item) => shuffled(item, random)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(mixed(Object.entries(value).map(([name, item]) => [name, shuffled(item, random)])));
};

it('a fingerprint is the same in whatever order schema, content types and routes were loaded', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, numbers) => {
      expect(canonical(shuffled(value, () => numbers.next().value))).toBe(canonical(value));
    }),
  );
});

it('a fingerprint is another where a value is another', () => {
  const tables = [{ name: 'articles', columns: [{ name: 'title', type: 'string' }] }];
  const others = [
    [{ name: 'articles', columns: [{ name: 'title', type: 'text' }] }],
    [{ name: 'articles', columns: [] }],
    [...tables, { name: 'authors', columns: [] }],
    [{ name: 'title', columns: [{ name: 'articles', type: 'string' }] }],
    [['articles'], ['title', 'string']],
  ];
  expect(new Set([tables, ...others].map(canonical)).size).toBe(1 + others.length);
});

it('a fingerprint counts what is undefined as left out', () => {
  expect(canonical({ a: 1, b: undefined })).toBe(canonical({ a: 1 }));
});

/** The fingerprint of an application, some of which is changed. Its code: tests/unit/plugin/application-code.test.ts. */
const of = (
  {
    attributes = tag.attributes,
    api = { rest: { maxLimit: 100 } },
    graphql = { maxLimit: 100, apolloServer: { plugins: [() => undefined, new Map()] } },
    database = { client: 'postgres', connection: { host: 'db', database: 'shop', password: 'sesame' } },
  }: { attributes?: object; api?: object; graphql?: object; database?: object } = {},
  strategy: object = {},
): Promise<string> => {
  const strapi = {
    dirs: { app: { root: import.meta.dirname }, dist: { src: 'none', config: 'none' } },
    contentTypes: { 'api::tag.tag': { uid: 'api::tag.tag', attributes } },
    components: {},
    config: {
      get: (name: string) =>
        ({
          api,
          enabledPlugins: { graphql: { pathToPlugin: '/none/node_modules/@strapi/plugin-graphql' }, 'rest-cache': {} },
          'plugin::graphql': graphql,
          'database.connection': database,
        })[name] ?? name,
    },
    db: { schema: { schema: { tables: [] } }, getSchemaConnection: () => ({ hasTable: async () => false }) },
  };
  return fingerprint(strapi as unknown as Core.Strapi, resolveConfig({ strategy }, application()));
};

it.each([
  // It changes no table.
  [
    'a field that is private',
    of({ attributes: { ...tag.attributes, slug: { ...tag.attributes.slug, private: true } } }),
  ],
  ['a limit of the API', of({ api: { rest: { maxLimit: 7 } } })],
  ['an option of another plugin', of({ graphql: { maxLimit: 7 } })],
  ['an option of another plugin, deep inside', of({ graphql: { maxLimit: 100, apolloServer: { plugins: [7] } } })],
  ['another database', of({ database: { client: 'postgres', connection: { host: 'db', database: 'copy' } } })],
  ['another server', of({ database: { client: 'postgres', connection: { host: 'new', database: 'shop' } } })],
  ['a database by its URL', of({ database: { client: 'postgres', connection: 'postgres://u:p@db:5432/copy' } })],
  ['another configuration of the plugin', of({}, { maxAge: 7000 })],
])('a fingerprint is another with %s', async (_what, other) => {
  expect(await other).not.toBe(await of());
});

// The file that holds it, config/plugins, is not part of the code that counts.
it('a fingerprint is another with another function: what a corrected hitpass function keeps out may be in the store', async () => {
  const cached = (hitpass: (ctx: Context) => boolean): object => ({
    contentTypes: [{ contentType: 'api::article.article', hitpass }],
  });
  const wrong = of(
    {},
    cached(() => false),
  );
  expect(
    await of(
      {},
      cached((ctx) => ctx.get('authorization') !== ''),
    ),
  ).not.toBe(await wrong);
  expect(
    await of(
      {},
      cached(() => false),
    ),
  ).toBe(await wrong);
  const graphql = (plugin: () => unknown): object => ({ graphql: { apolloServer: { plugins: [plugin] } } });
  expect(await of(graphql(() => 1))).not.toBe(await of(graphql(() => 2)));
});

it('a fingerprint is the same for the same application', async () => {
  expect(await of()).toBe(await of());
});

it('a fingerprint is the same with other credentials of the database', async () => {
  const connection = { host: 'db', database: 'shop', password: 'another', user: 'another' };
  expect(await of({ database: { client: 'postgres', connection } })).toBe(await of());
  const byUrl = (password: string): object => ({
    client: 'postgres',
    connection: { connectionString: `postgres://u:${password}@db/shop` },
  });
  expect(await of({ database: byUrl('one') })).toBe(await of({ database: byUrl('two') }));
});

it('a fingerprint leaves out options that refer to themselves', async () => {
  const graphql: Record<string, unknown> = { maxLimit: 100 };
  graphql.self = graphql;
  expect(await of({ graphql })).toMatch(/^[\w-]{12}$/);
});
