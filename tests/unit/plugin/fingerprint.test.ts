import fc from 'fast-check';
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

it('is the same in whatever order schema, content types and routes were loaded', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, numbers) => {
      expect(canonical(shuffled(value, () => numbers.next().value))).toBe(canonical(value));
    }),
  );
});

it('is another where a value is another', () => {
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

it('counts what is undefined as left out', () => {
  expect(canonical({ a: 1, b: undefined })).toBe(canonical({ a: 1 }));
});

/** The fingerprint of an application, some of which is changed. Its code: tests/unit/plugin/application-code.test.ts. */
const of = (
  {
    attributes = tag.attributes,
    api = { rest: { maxLimit: 100 } },
    graphql = { maxLimit: 100, apolloServer: { plugins: [() => undefined] } },
    database = {},
  }: { attributes?: object; api?: object; graphql?: object; database?: object } = {},
  strategy: object = {},
): Promise<string> => {
  const strapi = {
    dirs: { app: { root: import.meta.dirname }, dist: { src: 'none', config: 'none' } },
    contentTypes: { 'api::tag.tag': { uid: 'api::tag.tag', attributes } },
    components: {},
    config: {
      get: (name: string) =>
        ({ api, 'plugin::graphql': graphql, 'database.connection.connection': database })[name] ?? name,
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
  ['a limit of GraphQL', of({ graphql: { maxLimit: 7 } })],
  ['another configuration of the plugin', of({}, { maxAge: 7000 })],
  ['another database', of({ database: { host: 'db', database: 'staging' } })],
  ['another database in a URL', of({ database: { connectionString: 'postgres://me:secret@db:5432/staging' } })],
])('is another with %s', async (_what, other) => {
  expect(await other).not.toBe(await of());
});

it('is the same for the same application', async () => {
  expect(await of()).toBe(await of());
});

it.each([
  [
    { host: 'db', database: 'shop', user: 'me', password: 'a' },
    { host: 'db', database: 'shop', user: 'you' },
  ],
  [{ connectionString: 'postgres://me:a@db/shop' }, { connectionString: 'postgres://you:b@db/shop?sslmode=require' }],
])('is the same with other credentials: %j and %j', async (database, other) => {
  expect(await of({ database })).toBe(await of({ database: other }));
});
