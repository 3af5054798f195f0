import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';

import { Database } from '@strapi/database';

const require = createRequire(import.meta.url);

type Attributes = Record<string, Record<string, unknown>>;
type Transform = (contentTypes: object[], identifiers: unknown) => never;

/** Strapi's own translation of components, media and dynamic zones to relations. It is not exported, hence the path. */
const { transformContentTypesToModels } = require(
  join(dirname(require.resolve('@strapi/core')), 'utils', 'transform-content-types-to-models.js'),
) as { transformContentTypesToModels: Transform };

const bookkeeping: Attributes = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime' },
  locale: { type: 'string' },
};

const contentType = (uid: string, collectionName: string, attributes: Attributes) => ({
  uid,
  modelName: uid.split('.').at(-1),
  modelType: uid.includes('::') ? 'contentType' : 'component',
  collectionName,
  attributes,
});

const contentTypes = [
  contentType('api::article.article', 'articles', {
    title: { type: 'string' },
    body: { type: 'text' },
    views: { type: 'integer' },
    meta: { type: 'json' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'articles' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 'articles' },
    related: { type: 'relation', relation: 'oneToMany', target: 'api::article.article' },
    owner: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::author.author',
      useJoinTable: false,
    },
    cover: { type: 'media', multiple: false },
    gallery: { type: 'media', multiple: true },
    seo: { type: 'component', component: 'shared.seo' },
    quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    blocks: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
    ...bookkeeping,
  }),
  contentType('api::author.author', 'authors', {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
    ...bookkeeping,
  }),
  contentType('api::tag.tag', 'tags', {
    label: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'api::article.article', mappedBy: 'tags' },
    ...bookkeeping,
  }),
  contentType('shared.seo', 'components_shared_seos', {
    metaTitle: { type: 'string' },
  }),
  contentType('shared.quote', 'components_shared_quotes', {
    text: { type: 'string' },
    source: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
  }),
  contentType('plugin::upload.file', 'files', {
    name: { type: 'string' },
    url: { type: 'text' },
    related: { type: 'relation', relation: 'morphToMany' },
  }),
];

export interface RecordedQuery {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface KnexClient {
  query(this: KnexClient, connection: unknown, text: string | RecordedQuery): unknown;
}

export interface RecordedDatabase {
  readonly db: Database;
  /** Every query passed to knex's `client.query` while `action` runs. */
  record(action: () => Promise<unknown>): Promise<RecordedQuery[]>;
  close(): Promise<void>;
}

const inMemory = {
  client: 'sqlite',
  connection: { filename: join(tmpdir(), 'never-written.db') },
  useNullAsDefault: true,
};

/** Strapi's database layer with a small schema, without the rest of Strapi. */
export const openStrapiDatabase = async (): Promise<RecordedDatabase> => {
  const db = new Database({
    connection: inMemory,
    settings: { migrations: { dir: join(tmpdir(), 'no-migrations-here') } },
  });
  // Strapi turns every file name into a path, so `:memory:` has to be set afterwards.
  const { client } = db.connection as unknown as { client: { connectionSettings: { filename: string } } };
  client.connectionSettings.filename = ':memory:';
  // Strapi's code for relations reads `strapi` from the global object.
  Object.assign(globalThis, { strapi: { db, log: console, store: { get: async () => null } } });
  await db.init({ models: transformContentTypesToModels(contentTypes, db.metadata.identifiers) });
  await db.schema.create();

  let recorded: RecordedQuery[] | undefined;
  // Transactions use clients of their own, which share only the prototype.
  const { prototype } = (db.connection as unknown as { client: { constructor: { prototype: KnexClient } } }).client
    .constructor;
  const query = prototype.query;
  prototype.query = function observed(connectionUsed, text) {
    const { sql, bindings = [] } = typeof text === 'string' ? { sql: text } : text;
    recorded?.push({ sql, bindings: [...bindings] });
    return query.call(this, connectionUsed, text);
  };

  return {
    db,
    record: async (action) => {
      recorded = [];
      await action();
      const queries = recorded;
      recorded = undefined;
      return queries;
    },
    close: async () => {
      prototype.query = query;
      await db.destroy();
    },
  };
};
