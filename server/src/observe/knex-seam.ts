import { PassThrough, type Readable, type Transform } from 'node:stream';
import type { Knex } from 'knex';
import { ParsedJson, withLowerCaseColumns, type Row } from '../sql/column-value';
import type { Ask } from '../database/ask';
import type { ConnectionAccess, QueryOutcome } from '../database/connection-access';
import { unlessFailedBefore } from './row-images';
import type { SqlObserver } from './sql-observer';
import type { Query } from '../sql/statement';

/** What knex hands to the driver: a text, or a text with bindings. */
type QueryParameter =
  | string
  | {
      readonly sql: string;
      readonly bindings?: readonly unknown[];
    };

/** The part of knex' client that every statement of the process passes, transactions included (knex 3.0.1). */
interface KnexClient {
  readonly driverName: string;
  query(connection: object, parameter: QueryParameter): Promise<{ readonly response?: unknown }>;
  stream(connection: object, parameter: QueryParameter, stream: Transform, options: unknown): unknown;
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

/** The flags of MySQL's protocol by which the server says after each statement in which state the connection is. */
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** SQLite has one writer at a time and no row locks. */
const NO_ROW_LOCK: ConnectionAccess['rowLock'] = { update: '', delete: '' };

/**
 * Lets `observer` see every statement of this knex instance, its transactions' included. Knex makes a transaction's
 * client from `client.constructor.prototype`, so the instance gets a class of its own between itself and its dialect;
 * other knex instances of the process are not touched.
 *
 * @throws UnobservableDatabase when knex does not look as expected.
 */
export const observeKnex = (knex: Knex, observer: SqlObserver): KnexSeam => {
  const client = knex.client as KnexClient & object;
  const dialect = Object.getPrototypeOf(client) as KnexClient;
  for (const method of ['query', 'stream', '_query', 'prepBindings', 'positionBindings', 'wrapIdentifier'] as const) {
    if (typeof dialect[method] !== 'function') throw new UnobservableDatabase(`knex' client has no ${method}()`);
  }
  const seam = { seen: 0 };
  const observedQuery = (query: KnexClient['query']): KnexClient['query'] =>
    function (this: KnexClient, connection, parameter) {
      seam.seen += 1;
      return observer.observe(
        toQuery(parameter),
        new KnexConnection(this, dialect, connection),
        () => query.call(this, connection, parameter),
        ({ response }) => outcomeOf(response),
      );
    };
  const observedStream = (sendStream: KnexClient['stream']): KnexClient['stream'] =>
    function (this: KnexClient, connection, parameter, stream, options) {
      seam.seen += 1;
      const query = toQuery(parameter);
      const access = new KnexConnection(this, dialect, connection);
      const send = (into: Transform): unknown => sendStream.call(this, connection, parameter, into, options);
      const observe = (streamed: () => Promise<void>): Promise<void> =>
        observer.observe(query, access, streamed, () => NO_OUTCOME, true);
      return observer.mayWrite(query.sql)
        ? withEndHeldBack(stream, send, observe)
        : observe(() => streamRows(stream, send));
    };

  const observed = Object.create(dialect) as KnexClient;
  function ObservedClient(): void {
    // Never called: knex only reads its prototype.
  }
  ObservedClient.prototype = observed;
  Object.defineProperty(observed, 'constructor', { value: ObservedClient, writable: true, configurable: true });
  observed.query = observedQuery(dialect.query);
  observed.stream = observedStream(dialect.stream);
  Object.setPrototypeOf(client, observed);
  // Instrumentation may have set methods of its own on the instance: they are called as before, and observed as well.
  if (Object.hasOwn(client, 'query')) client.query = observedQuery(client.query);
  if (Object.hasOwn(client, 'stream')) client.stream = observedStream(client.stream);
  return seam;
};

/** Makes the driver write a query's rows into a stream; settles when the driver is done. */
type StreamRows = (into: Transform) => unknown;

/** Settles when the stream has ended or was destroyed, which the driver does not report. */
const streamRows = async (into: Transform, send: StreamRows): Promise<void> => {
  // The connection of a destroyed stream has already gone back to the pool.
  if (into.destroyed) return;
  const closed = new Promise<void>((resolve) => into.once('close', resolve));
  await Promise.race([sendingInto(into, send), closed]);
};

/**
 * Destroys the stream if the driver throws at once (because a module is missing, for instance). Knex reports such an
 * error to the stream, but not the rejected promise that the observer turns it into.
 */
const sendingInto = (into: Transform, send: StreamRows): unknown => {
  try {
    return send(into);
  } catch (error) {
    into.destroy(error as Error);
    throw error;
  }
};

/**
 * Passes rows on as they come, but holds the end of the stream back until `observe` is done: its reader takes the end
 * as the acknowledgement of what was written.
 */
const withEndHeldBack = async (
  target: Transform,
  send: StreamRows,
  observe: (streamed: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  const rows = new PassThrough({ objectMode: true });
  rows.on('error', () => undefined);
  rows.on('pipe', (source: Readable) => rows.once('close', () => source.destroy()));
  target.once('close', () => rows.destroy());
  rows.pipe(target, { end: false });
  try {
    await observe(() => streamRows(rows, send));
    target.end();
  } catch (error) {
    target.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
};

/** What the seam has seen so far. */
interface KnexSeam {
  /** Statements that passed. */
  readonly seen: number;
}

/**
 * Sends statements, alone and in a transaction, to see that they pass the seam.
 *
 * @throws UnobservableDatabase when one does not.
 */
export const proveObserved = async (knex: Knex, seam: KnexSeam): Promise<void> => {
  let before = seam.seen;
  await knex.raw('select 1');
  if (seam.seen === before) throw new UnobservableDatabase('a statement reached the database unseen');
  before = seam.seen;
  await knex.transaction((transaction) => transaction.raw('select 1'));
  // BEGIN, the statement and COMMIT.
  if (seam.seen < before + 3) throw new UnobservableDatabase('a transaction reached the database unseen');
};

const toQuery = (parameter: QueryParameter): Query =>
  typeof parameter === 'string'
    ? { sql: parameter, bindings: [] }
    : // Copied: knex prepares the bindings in place.
      { sql: parameter.sql, bindings: parameter.bindings ? [...parameter.bindings] : [] };

/** Queries the database through knex, before the observer is in place. */
export const askKnex =
  (knex: Knex): Ask =>
  async (sql, bindings = []) =>
    (outcomeOf(await knex.raw(sql, bindings as never)).rows ?? []).map(withLowerCaseColumns);

/**
 * Sends statements on a connection beneath the observer, without knex' events. Created for every statement, so it holds
 * very little.
 */
class KnexConnection implements ConnectionAccess {
  readonly #client: KnexClient;
  readonly #dialect: KnexClient;
  readonly connection: object;

  constructor(client: KnexClient, dialect: KnexClient, connection: object) {
    this.#client = client;
    this.#dialect = dialect;
    this.connection = connection;
  }

  get rowLock(): ConnectionAccess['rowLock'] {
    return ROW_LOCKS[this.#client.driverName] ?? NO_ROW_LOCK;
  }

  get isNewRow(): string | undefined {
    return this.#client.driverName === 'pg' ? 'xmax = 0' : undefined;
  }

  /** Known of better-sqlite3, where a failed statement may have ended the transaction, and of newer releases of pg. */
  get isInTransaction(): boolean | undefined {
    const { inTransaction, getTransactionStatus } = this.connection as {
      readonly inTransaction?: unknown;
      getTransactionStatus?(): unknown;
    };
    if (typeof inTransaction === 'boolean') return inTransaction;
    const status = typeof getTransactionStatus === 'function' ? getTransactionStatus.call(this.connection) : undefined;
    return typeof status === 'string' ? status !== 'I' : undefined;
  }

  async askIfIdle(): Promise<boolean> {
    const { driverName } = this.#client;
    if (driverName === 'pg') {
      // Within a transaction, the time stands still.
      const rows = await this.select('select now() = statement_timestamp() as idle', []).catch(unlessFailedBefore);
      return rows?.[0]?.idle === true;
    }
    if (driverName !== 'mysql' && driverName !== 'mysql2') return true;
    // Between the phases of XA a connection answers nothing.
    const { response } = await this.#run('do 0', []).catch(() => ({ response: undefined }));
    const [header] = Array.isArray(response) ? (response as unknown[]) : [];
    const status = isRecord(header) ? header.serverStatus : undefined;
    return typeof status === 'number' && (status & (IN_TRANSACTION | AUTOCOMMIT)) === AUTOCOMMIT;
  }

  get failureMayEndTransaction(): boolean {
    return this.#client.driverName !== 'pg' && this.isInTransaction === undefined;
  }

  quote(name: string): string {
    return this.#client.wrapIdentifier(name);
  }

  select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
    return this.#run(sql, bindings).then(({ response }) =>
      withJsonMarked(outcomeOf(response).rows ?? [], response).map(withLowerCaseColumns),
    );
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

const NO_OUTCOME: QueryOutcome = { rows: undefined, insertedId: undefined };

/** SQLite returns rows or `{ lastInsertRowid }`, PostgreSQL `{ rows }`, MySQL `[rows | { insertId }, fields]`. */
const outcomeOf = (response: unknown): QueryOutcome => {
  if (Array.isArray(response)) {
    const [first] = response as unknown[];
    if (Array.isArray(first)) return { rows: first as Row[], insertedId: undefined };
    if (isRecord(first) && 'insertId' in first) {
      return { rows: undefined, insertedId: first.insertId, affected: countOf(first.affectedRows) };
    }
    return { rows: response as Row[], insertedId: undefined };
  }
  if (!isRecord(response)) return NO_OUTCOME;
  if (Array.isArray(response.rows)) {
    return { rows: response.rows as Row[], insertedId: undefined, affected: countOf(response.rowCount) };
  }
  return { rows: undefined, insertedId: response.lastInsertRowid };
};

/** Whether drivers parse a column by default: json and jsonb of PostgreSQL, json of MySQL and MariaDB. */
const isJson = ({ dataTypeID, columnType, extendedFormat }: Record<string, unknown>): boolean =>
  dataTypeID === 114 || dataTypeID === 3802 || columnType === 245 || extendedFormat === 'json';

const withJsonMarked = (rows: readonly Row[], response: unknown): readonly Row[] => {
  const fields: unknown = Array.isArray(response) ? response[1] : isRecord(response) ? response.fields : undefined;
  if (!Array.isArray(fields)) return rows;
  const columns = fields
    .filter(isRecord)
    .filter(isJson)
    .map(({ name }) => String(name));
  if (columns.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map((column) => [column, new ParsedJson(row[column])])),
  }));
};

const countOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
