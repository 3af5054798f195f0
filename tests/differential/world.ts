import type { Core } from '@strapi/strapi';
import type { Knex } from 'knex';
import { logIn } from '../application/admin-session';
import type { Application } from '../application/start-application';
import { Seeded } from './seeded';

export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';
export const CATEGORY = 'api::category.category';
export const TAG = 'api::tag.tag';
export const HOMEPAGE = 'api::homepage.homepage';
export const EDITOR = 'api::writer.editor';
export const ORDER = 'api::order.order';
export const FILE = 'plugin::upload.file';
export const USER = 'plugin::users-permissions.user';
export const ROLE = 'plugin::users-permissions.role';

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
  update(parameters: DocumentReference & { data: Data; status?: 'draft' | 'published' }): Promise<Row>;
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

/** What the writes use: Strapi's services, the admin API, and random choices. */
export class World {
  readonly strapi: Core.Strapi;
  readonly random: Seeded;
  readonly #adminToken: string;
  readonly #application: Application;

  private constructor(application: Application, seed: number, adminToken: string) {
    this.#application = application;
    this.strapi = application.strapi;
    this.random = new Seeded(seed);
    this.#adminToken = adminToken;
  }

  static async of(application: Application, seed: number): Promise<World> {
    return new World(application, seed, (await logIn(application)).token);
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

  /** A random row of a type. The rows are in a reproducible order; `where` narrows them. */
  async any(uid: string, where: object = {}): Promise<Row> {
    return this.random.pick(await this.rows(uid, where));
  }

  async some(uid: string, count: number, where: object = {}): Promise<Row[]> {
    return this.random.sample(await this.rows(uid, where), count);
  }

  rows(uid: string, where: object = {}): Promise<Row[]> {
    return this.query(uid).findMany({ where, orderBy: { id: 'asc' } });
  }

  anyDraft(where: object = {}): Promise<Row> {
    return this.any(ARTICLE, { publishedAt: null, locale: 'en', ...where });
  }

  anyPublished(where: object = {}): Promise<Row> {
    return this.any(ARTICLE, { publishedAt: { $notNull: true }, locale: 'en', ...where });
  }

  /** Sends a request of the admin panel. */
  admin(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#send(
      method,
      path,
      { 'content-type': 'application/json' },
      body === undefined ? undefined : JSON.stringify(body),
    );
  }

  adminForm(path: string, form: FormData): Promise<unknown> {
    return this.#send('POST', path, {}, form);
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | FormData | undefined,
  ): Promise<unknown> {
    const response = await this.#application.request(path, {
      method,
      headers: { authorization: `Bearer ${this.#adminToken}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
}

/** One kind of write. */
export interface Kind {
  readonly name: string;
  /** The types written, as a plugin sees them that observes all writes but knows only their types. */
  readonly types: readonly string[];
  /** Resolves once the write is acknowledged. */
  run(world: World): Promise<unknown>;
}
