import { logIn, type AdminSession } from '../application/admin-session';
import type { Application } from '../application/start-application';
import { Content } from '../differential/content';
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

/** A kind of write. `run` resolves when an application would consider the write done. */
export interface Kind {
  readonly name: string;
  /** The databases on which this kind is possible. Default: all. */
  readonly on?: readonly DatabaseName[];
  run(world: World): Promise<unknown>;
}

type Write = Kind['run'] | Omit<Kind, 'name'>;

/** A write that is possible only on these databases. */
export const only = (on: readonly DatabaseName[], run: Kind['run']): Write => ({ on, run });

/** The kinds of writes by their names. */
export const kindsOf = (writes: Readonly<Record<string, Write>>): readonly Kind[] =>
  Object.entries(writes).map(([name, write]) => ({ name, ...(typeof write === 'function' ? { run: write } : write) }));

/** What the writes use: Strapi's services, the admin API, and random choices. */
export class World extends Content {
  private constructor(
    readonly application: Application,
    readonly admin: AdminSession,
    seed: number,
    readonly fullToken: Readonly<Record<string, string>>,
  ) {
    super(application.strapi, seed, EVENT);
  }

  static async of(application: Application, seed: number, fullToken: Readonly<Record<string, string>>): Promise<World> {
    return new World(application, await logIn(application), seed, fullToken);
  }

  get client(): DatabaseName {
    return this.strapi.db.dialect.client as DatabaseName;
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
