import type { Ask } from './ask';
import type { Dialect } from '../sql/tokens';

/**
 * Queries for what decides which table a name means on a connection. SQLite needs none: all use one connection, and its
 * description covers temporary and attached tables.
 */
const QUESTIONS: Readonly<Record<Dialect, string | undefined>> = {
  // Shows temporary tables as well: they have a schema of their own, in front of the others.
  postgres: `select current_user::text || ' ' || current_schemas(true)::text as names`,
  mysql: 'select database() as names',
  sqlite: undefined,
};

/**
 * The temporary tables of MySQL and MariaDB cannot be listed, but a session counts how many it has created, within
 * procedures and functions too. MySQL counts them together with all other tables.
 */
const TABLES_MADE = "show session status where variable_name in ('Com_create_table', 'Com_create_temporary_table')";

/** Statements that may change the answer by a setting. */
const SETTING = /search_path|schema|role|authorization|discard|reset|\buse\b|config/i;

/** Statements that create no temporary table. */
const MAKES_NO_TEMPORARY_TABLE =
  /^\s*(?:alter|analyze|drop|lock|optimize|rename|set|unlock|create\s+(?:or\s+replace\s+)?(?:table|(?:unique\s+)?index|view|trigger|function|procedure|database|schema|user))\b/i;

/**
 * Whether names mean what they usually mean on a connection. `other for now`: the connection is asked again when it has
 * no open transaction.
 */
type State = 'usual' | 'other for now' | 'other for good';

/**
 * Knows on which connections a table's name may mean another table than usual. `SET search_path`, `SET ROLE`, `USE` and
 * temporary tables cause that on their own connection alone. So do settings that the database applies to new
 * connections (`ALTER ROLE … SET`).
 */
export class ConnectionNames {
  readonly #dialect: Dialect;
  readonly #question: string | undefined;
  readonly #states = new WeakMap<object, State>();
  /** How many tables each connection had created when it was last asked. */
  readonly #tablesMade = new WeakMap<object, string>();
  /** Connections that may have created temporary tables since they were last asked. */
  readonly #suspects = new WeakSet<object>();
  #usual: string | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#question = QUESTIONS[dialect];
  }

  /** Called at boot, on any connection: learns the usual answer, with which all others are compared. */
  async learn(ask: Ask): Promise<void> {
    this.#usual = await this.#answer(ask);
  }

  /** Whether a connection without an open transaction has to be asked. */
  isDue(connection: object): boolean {
    if (this.#question === undefined) return false;
    const state = this.#states.get(connection);
    return state === undefined || state === 'other for now';
  }

  async ask(connection: object, ask: Ask): Promise<void> {
    const answer = await this.#answer(ask).catch(() => undefined);
    const tablesMade = await this.#countTables(ask).catch(() => undefined);
    const isHiding = this.#suspects.has(connection) && tablesMade !== this.#tablesMade.get(connection);
    this.#suspects.delete(connection);
    this.#tablesMade.set(connection, tablesMade ?? '');
    if (isHiding || tablesMade === undefined) this.#states.set(connection, 'other for good');
    else this.#states.set(connection, answer !== undefined && answer === this.#usual ? 'usual' : 'other for now');
  }

  /** Whether a name may mean another table than usual on this connection. */
  differ(connection: object): boolean {
    return this.#question !== undefined && this.#states.get(connection) !== 'usual';
  }

  /** A statement that may change a setting is about to be sent on the connection. */
  set(connection: object, sql: string): void {
    if (SETTING.test(sql)) this.#askAgain(connection);
  }

  /** A statement whose effects are not known is about to be sent on the connection. */
  noteUnknown(connection: object, sql: string): void {
    if (!MAKES_NO_TEMPORARY_TABLE.test(sql)) this.#suspects.add(connection);
    this.#askAgain(connection);
  }

  #askAgain(connection: object): void {
    if (this.#states.get(connection) !== 'other for good') this.#states.set(connection, 'other for now');
  }

  async #answer(ask: Ask): Promise<string | undefined> {
    if (this.#question === undefined) return undefined;
    const [row] = await ask(this.#question);
    return String(row?.names);
  }

  /** How many tables the session has created; `''` where temporary tables show in the answer itself. */
  async #countTables(ask: Ask): Promise<string> {
    if (this.#dialect !== 'mysql') return '';
    const counts = await ask(TABLES_MADE);
    return counts.map((count) => Object.values(count).join(' ')).join(', ');
  }
}
