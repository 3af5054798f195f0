import type { Core } from '@strapi/strapi';
import type { Knex } from 'knex';
import { logIn, type AdminSession } from '../application/admin-session';
import type { Application } from '../application/start-application';
import { Seeded } from '../differential/seeded';
import type { Data, Documents, Query, Row } from '../differential/world';
import type { DatabaseName } from './databases';

export const EVENT = 'api::event.event';
export const ACT = 'api::act.act';
export const HALL = 'api::hall.hall';
export const HOUSE = 'api::house.house';
export const FLAG = 'api::flag.flag';
export const TICKET = 'api::ticket.ticket';
export const NOTICE = 'api::notice.notice';
export const IMPRINT = 'api::imprint.imprint';
export const DESK = 'plugin::desk.entry';
export const FILE = 'plugin::upload.file';
export const USER = 'plugin::users-permissions.user';
export const ROLE = 'plugin::users-permissions.role';
export const PERMISSION = 'plugin::users-permissions.permission';

export type { Data, Row };

/** A kind of write. `run` resolves when an application would consider the write done. */
export interface Kind {
  readonly name: string;
  /** The databases on which this kind is possible. Default: all. */
  readonly on?: readonly DatabaseName[];
  run(world: World): Promise<unknown>;
}

/** What the writes use: Strapi's services, the admin API, and random choices. */
export class World {
  private constructor(
    readonly application: Application,
    readonly admin: AdminSession,
    readonly random: Seeded,
    readonly fullToken: Readonly<Record<string, string>>,
  ) {}

  static async of(application: Application, seed: number, fullToken: Readonly<Record<string, string>>): Promise<World> {
    return new World(application, await logIn(application), new Seeded(seed), fullToken);
  }

  get strapi(): Core.Strapi {
    return this.application.strapi;
  }

  get knex(): Knex {
    return this.strapi.db.connection;
  }

  get client(): DatabaseName {
    return this.strapi.db.dialect.client as DatabaseName;
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

  anyDraft(where: object = {}): Promise<Row> {
    return this.any(EVENT, { publishedAt: null, locale: 'en', ...where });
  }

  anyPublished(where: object = {}): Promise<Row> {
    return this.any(EVENT, { publishedAt: { $notNull: true }, locale: 'en', ...where });
  }

  /** A random row of one of the application's own tables. */
  async row(table: string, ...order: string[]): Promise<Record<string, string | number>> {
    const rows = (await this.knex(table).select('*').orderBy(order)) as Array<Record<string, string | number>>;
    return this.random.pick(rows);
  }

  words(): string {
    return this.random.words();
  }

  /**
   * Sends a request with a body. By default the caller may do everything; with `headers` set to `{}` it has no
   * credentials.
   */
  async send(method: string, path: string, body: object, headers = this.fullToken): Promise<unknown> {
    const response = await this.application.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
