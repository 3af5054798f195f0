import type { Ask } from './ask';
import type { Dialect } from '../sql/tokens';

/** What decides which table a name means on a connection. SQLite's is one and the same for all, and describes itself. */
const QUESTIONS: Readonly<Record<Dialect, string | undefined>> = {
  // Temporary tables have a schema of their own, in front of the others.
  postgres: `select current_user::text || ' ' || current_schemas(true)::text as names`,
  mysql: 'select database() as names',
  sqlite: undefined,
};

/**
 * MySQL's and MariaDB's temporary tables cannot be listed, but how many a session has made is counted: in MySQL among all
 * tables, within procedures and functions too.
 */
const TABLES_MADE = "show session status where variable_name in ('Com_create_table', 'Com_create_temporary_table')";

/** Settings that may change the answer. */
const SETTING = /search_path|schema|role|authorization|discard|reset|\buse\b|config/i;

/** These make no temporary table. */
const MAKES_NO_TEMPORARY_TABLE =
  /^\s*(?:alter|analyze|drop|lock|optimize|rename|set|unlock|create\s+(?:or\s+replace\s+)?(?:table|(?:unique\s+)?index|view|trigger|function|procedure|database|schema|user))\b/i;

/** `other`: not what they usually mean. Unless that is for good, it is asked again when no transaction is open. */
type State = 'usual' | 'other for now' | 'other for good';

/**
 * On which connections a table's name means what it usually does. `SET search_path`, `SET ROLE`, `USE`, a temporary table
 * make it mean another on theirs alone; so does what the database sets for new connections (`ALTER ROLE … SET`).
 */
export class ConnectionNames {
  readonly #dialect: Dialect;
  readonly #question: string | undefined;
  readonly #states = new WeakMap<object, State>();
  /** Tables made on a connection when it was last asked, and connections that may have made temporary ones since. */
  readonly #tablesMade = new WeakMap<object, string>();
  readonly #suspects = new WeakSet<object>();
  #usual: string | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#question = QUESTIONS[dialect];
  }

  /** At boot, on any connection: all others are compared with it. */
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

  /** Whether a name may mean another table than usual. */
  differ(connection: object): boolean {
    return this.#question !== undefined && this.#states.get(connection) !== 'usual';
  }

  /** A setting is about to be made on the connection. */
  set(connection: object, sql: string): void {
    if (SETTING.test(sql)) this.#doubt(connection);
  }

  /** A statement that nobody understands is about to be sent on the connection. */
  doAnything(connection: object, sql: string): void {
    if (!MAKES_NO_TEMPORARY_TABLE.test(sql)) this.#suspects.add(connection);
    this.#doubt(connection);
  }

  #doubt(connection: object): void {
    if (this.#states.get(connection) !== 'other for good') this.#states.set(connection, 'other for now');
  }

  async #answer(ask: Ask): Promise<string | undefined> {
    if (this.#question === undefined) return undefined;
    const [row] = await ask(this.#question);
    return String(row?.names);
  }

  /** `''` where temporary tables show in the answer to the question. */
  async #countTables(ask: Ask): Promise<string> {
    if (this.#dialect !== 'mysql') return '';
    const counts = await ask(TABLES_MADE);
    return counts.map((count) => Object.values(count).join(' ')).join(', ');
  }
}
