import { logIn } from '../application/admin-session';
import type { Application } from '../application/start-application';
import { Content } from './content';

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

/** What the writes use: Strapi's services, the admin API, and random choices. */
export class World extends Content {
  readonly #adminToken: string;
  readonly #application: Application;

  private constructor(application: Application, seed: number, adminToken: string) {
    super(application.strapi, seed, ARTICLE);
    this.#application = application;
    this.#adminToken = adminToken;
  }

  static async of(application: Application, seed: number): Promise<World> {
    return new World(application, seed, (await logIn(application)).token);
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

/** Kinds of writes to these types, by their names. */
export const writesTo = (types: readonly string[], writes: Readonly<Record<string, Kind['run']>>): readonly Kind[] =>
  Object.entries(writes).map(([name, run]) => ({ name, types, run }));
