import type { Knex } from 'knex';
import { withLowerCaseColumns, type Row } from './column-value';
import type { ConnectionAccess, QueryOutcome, SqlObserver } from './sql-observer';
import type { Query } from './statement';

/** What knex hands to the driver: a text, or a text with bindings. */
type QueryParameter =
  | string
  | {
      readonly sql: string;
      readonly bindings?: readonly unknown[];
      readonly method?: string;
      readonly output?: unknown;
      readonly options?: object;
    };

/** The part of knex' client that every statement of the process passes, transactions included (knex 3.0.1). */
interface KnexClient {
  readonly driverName: string;
  query(connection: object, parameter: QueryParameter): Promise<{ readonly response?: unknown }>;
  stream(connection: object, parameter: QueryParameter, stream: unknown, options: unknown): unknown;
  _query(connection: object, parameter: object): Promise<{ readonly response?: unknown }>;
  prepBindings(bindings: readonly unknown[]): unknown[];
  positionBindings(sql: string): string;
  wrapIdentifier(name: string, context?: unknown): string;
}

/** Strapi's knex cannot be observed; nothing may be cached then. */
export class UnobservableDatabase extends Error {
  constructor(reason: string) {
    super(`rest-cache cannot observe this database and will not cache: ${reason}`);
    this.name = 'UnobservableDatabase';
  }
}

const ROW_LOCKS: Readonly<Record<string, ConnectionAccess['rowLock']>> = {
  pg: { update: ' for no key update', delete: ' for update' },
  mysql: { update: ' for update', delete: ' for update' },
  mysql2: { update: ' for update', delete: ' for update' },
};

/** SQLite has one writer at a time and no row locks. */
const NO_ROW_LOCK: ConnectionAccess['rowLock'] = { update: '', delete: '' };

/** Answers a row if the bound name is a view's. */
const VIEW_NAMED: Readonly<Record<string, string>> = {
  pg: "select 1 from pg_class where relkind in ('v', 'm', 'f') and lower(relname) = ?",
  mysql:
    "select 1 from information_schema.tables where table_type <> 'BASE TABLE' and table_schema = database() and lower(table_name) = ?",
  mysql2:
    "select 1 from information_schema.tables where table_type <> 'BASE TABLE' and table_schema = database() and lower(table_name) = ?",
  'better-sqlite3': "select 1 from sqlite_master where type = 'view' and lower(name) = ?",
};

/**
 * Lets `observer` see every statement of this knex instance, its transactions' included. Knex makes a transaction's
 * client from `client.constructor.prototype`, so the instance gets a class of its own between itself and its dialect;
 * other knex instances of the process are not touched.
 *
 * @param schema the database schema Strapi is configured to use, if any.
 * @throws UnobservableDatabase when knex does not look as expected.
 */
export const observeKnex = (knex: Knex, observer: SqlObserver, schema: string | undefined): void => {
  const client = knex.client as KnexClient & object;
  const dialect = Object.getPrototypeOf(client) as KnexClient;
  for (const method of ['query', 'stream', '_query', 'prepBindings', 'positionBindings', 'wrapIdentifier'] as const) {
    if (typeof dialect[method] !== 'function') throw new UnobservableDatabase(`knex' client has no ${method}()`);
    if (Object.hasOwn(client, method))
      throw new UnobservableDatabase(`${method}() of knex' client is already replaced`);
  }

  const observed = Object.create(dialect) as KnexClient;
  function ObservedClient(): void {
    // Never called: knex only reads its prototype.
  }
  ObservedClient.prototype = observed;
  Object.defineProperty(observed, 'constructor', { value: ObservedClient, writable: true, configurable: true });

  observed.query = function query(this: KnexClient, connection, parameter) {
    if (observer.ignores(typeof parameter === 'string' ? parameter : parameter.sql, connection))
      return dialect.query.call(this, connection, parameter);
    return observer.observe(
      toQuery(parameter),
      new KnexConnection(this, dialect, connection, schema),
      () => dialect.query.call(this, connection, parameter),
      ({ response }) => outcomeOf(response),
      (rows) => answerWith(rows, parameter, this.driverName),
    );
  };
  observed.stream = function stream(this: KnexClient, connection, parameter, stream, options) {
    observer.observeStream(toQuery(parameter).sql);
    return dialect.stream.call(this, connection, parameter, stream, options);
  };
  Object.setPrototypeOf(client, observed);
};

const toQuery = (parameter: QueryParameter): Query =>
  typeof parameter === 'string'
    ? { sql: parameter, bindings: [] }
    : // Copied: knex prepares the bindings in place.
      { sql: parameter.sql, bindings: parameter.bindings ? [...parameter.bindings] : [] };

/** Asks the connection beneath the observer, without knex' events. Made for every statement, so it holds next to nothing. */
class KnexConnection implements ConnectionAccess {
  readonly #client: KnexClient;
  readonly #dialect: KnexClient;
  readonly connection: object;
  readonly #schema: string | undefined;

  constructor(client: KnexClient, dialect: KnexClient, connection: object, schema: string | undefined) {
    this.#client = client;
    this.#dialect = dialect;
    this.connection = connection;
    this.#schema = schema;
  }

  get rowLock(): ConnectionAccess['rowLock'] {
    return ROW_LOCKS[this.#client.driverName] ?? NO_ROW_LOCK;
  }

  get rowVersion(): string | undefined {
    return this.#client.driverName === 'pg' ? 'ctid::text' : undefined;
  }

  quoteTable(name: string): string {
    const quoted = this.#client.wrapIdentifier(name);
    return this.#schema === undefined ? quoted : `${this.#client.wrapIdentifier(this.#schema)}.${quoted}`;
  }

  quoteColumn(name: string): string {
    return this.#client.wrapIdentifier(name);
  }

  async select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
    return (outcomeOf((await this.#run(sql, bindings)).response).rows ?? []).map(withLowerCaseColumns);
  }

  async isView(name: string): Promise<boolean> {
    const question = VIEW_NAMED[this.#client.driverName];
    return question === undefined || (outcomeOf((await this.#run(question, [name])).response).rows ?? []).length > 0;
  }

  async execute(sql: string): Promise<void> {
    await this.#run(sql, []);
  }

  #run(sql: string, bindings: readonly unknown[]): Promise<{ readonly response?: unknown }> {
    return this.#dialect._query.call(this.#client, this.connection, {
      sql: this.#client.positionBindings(sql),
      bindings: this.#client.prepBindings(bindings),
    });
  }
}

/** SQLite answers rows or `{ lastInsertRowid }`, PostgreSQL `{ rows }`, MySQL `[rows | { insertId }, fields]`. */
const outcomeOf = (response: unknown): QueryOutcome => {
  if (Array.isArray(response)) {
    const [first] = response as unknown[];
    if (Array.isArray(first)) return { rows: first as Row[], insertedId: undefined };
    if (isRecord(first) && 'insertId' in first) {
      return { rows: undefined, insertedId: first.insertId, affected: countOf(first.affectedRows) };
    }
    return { rows: response as Row[], insertedId: undefined };
  }
  if (!isRecord(response)) return { rows: undefined, insertedId: undefined };
  if (Array.isArray(response.rows)) {
    return { rows: response.rows as Row[], insertedId: undefined, affected: countOf(response.rowCount) };
  }
  return { rows: undefined, insertedId: response.lastInsertRowid };
};

/** How knex asks for rows and nothing else. */
const ROW_METHODS: ReadonlySet<unknown> = new Set(['select', 'first', 'pluck']);

/**
 * What the dialect would answer: the very object it was given, with a response in the driver's shape. `undefined` for
 * questions whose answers are more than rows.
 */
const answerWith = (
  rows: readonly Row[],
  parameter: QueryParameter,
  driverName: string,
): { readonly response?: unknown } | undefined => {
  if (typeof parameter === 'string') return undefined;
  const { method, output, options } = parameter;
  if (!ROW_METHODS.has(method) || output !== undefined || Object.keys(options ?? {}).length > 0) return undefined;
  const response = RESPONSES[driverName]?.(rows);
  return response === undefined ? undefined : Object.assign(parameter, { response });
};

const RESPONSES: Readonly<Record<string, (rows: readonly Row[]) => unknown>> = {
  pg: (rows) => ({ command: 'SELECT', rowCount: rows.length, rows, fields: [] }),
  mysql: (rows) => [rows, []],
  mysql2: (rows) => [rows, []],
  'better-sqlite3': (rows) => rows,
};

const countOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
