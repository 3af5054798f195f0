import type { Core } from '@strapi/strapi';
import type { Knex } from 'knex';
import { Seeded } from './seeded';

/** The data of a write, as callers of Strapi's untyped API pass it. */
export type Data = Readonly<Record<string, unknown>>;

export interface DocumentReference {
  readonly documentId: string;
  readonly locale?: string;
}

export interface Row extends DocumentReference {
  readonly id: number;
  readonly [column: string]: unknown;
}

type Result = Promise<{ readonly documentId: string; readonly entries: readonly Row[] }>;

/** The document service without the types that Strapi generates per application. */
export interface Documents {
  create(parameters: { data: Data; status?: 'draft' | 'published'; locale?: string }): Promise<Row>;
  update(parameters: DocumentReference & { data: Data; status?: 'draft' | 'published' | undefined }): Promise<Row>;
  delete(parameters: DocumentReference): Result;
  publish(parameters: DocumentReference): Result;
  unpublish(parameters: DocumentReference): Result;
  discardDraft(parameters: DocumentReference): Result;
  clone(parameters: DocumentReference & { data: Data }): Result;
}

export interface Query {
  findMany(parameters: object): Promise<Row[]>;
  create(parameters: { data: Data }): Promise<Row>;
  createMany(parameters: { data: readonly Data[] }): Promise<unknown>;
  update(parameters: { where: object; data: Data }): Promise<Row>;
  updateMany(parameters: { where: object; data: Data }): Promise<unknown>;
  delete(parameters: { where: object }): Promise<Row>;
  deleteMany(parameters: { where: object }): Promise<unknown>;
}

/** The content of an application under test, of which the writes choose at random. */
export class Content {
  readonly random: Seeded;

  /** @param drafted the content type of `anyDraft` and `anyPublished`. */
  constructor(
    readonly strapi: Core.Strapi,
    seed: number,
    readonly drafted: string,
  ) {
    this.random = new Seeded(seed);
  }

  get knex(): Knex {
    return this.strapi.db.connection;
  }

  documents(uid: string): Documents {
    return this.strapi.documents(uid as never) as unknown as Documents;
  }

  query(uid: string): Query {
    return this.strapi.db.query(uid);
  }

  rows(uid: string, where: object = {}): Promise<Row[]> {
    return this.query(uid).findMany({ where, orderBy: { id: 'asc' } });
  }

  /** A random row of a type. The rows are in a reproducible order; `where` narrows them. */
  async any(uid: string, where: object = {}): Promise<Row> {
    return this.random.pick(await this.rows(uid, where));
  }

  async some(uid: string, count: number, where: object = {}): Promise<Row[]> {
    return this.random.sample(await this.rows(uid, where), count);
  }

  async someIds(uid: string, count: number, where: object = {}): Promise<string[]> {
    return (await this.some(uid, count, where)).map(({ documentId }) => documentId);
  }

  anyDraft(): Promise<Row> {
    return this.any(this.drafted, { publishedAt: null, locale: 'en' });
  }

  anyPublished(where: object = {}): Promise<Row> {
    return this.any(this.drafted, { publishedAt: { $notNull: true }, locale: 'en', ...where });
  }

  /** Writes by the document service. */
  edit(uid: string, { documentId }: DocumentReference, data: Data, status?: 'published'): Promise<Row> {
    return this.documents(uid).update({ documentId, data, status });
  }

  /** Writes by the query engine. */
  set(uid: string, { id }: Pick<Row, 'id'>, data: Data): Promise<Row> {
    return this.query(uid).update({ where: { id }, data });
  }
}
