import type { Ask } from './database-description';
import type { Dialect } from '../sql/tokens';

/** What decides which table a name means on a connection. SQLite's is one and the same for all, and describes itself. */
const QUESTIONS: Readonly<Record<Dialect, string | undefined>> = {
  // Temporary tables have a schema of their own, in front of the others.
  postgres: `select current_user::text || ' ' || current_schemas(true)::text as names`,
  mysql: 'select database() as names',
  sqlite: undefined,
};

/** Settings that may change the answer. */
const SETTING = /search_path|schema|role|authorization|discard|reset|\buse\b|config/i;

/** Of MySQL's temporary tables nobody can be asked. These make none. */
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
    this.#states.set(connection, answer !== undefined && answer === this.#usual ? 'usual' : 'other for now');
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
    if (this.#dialect === 'mysql' && !MAKES_NO_TEMPORARY_TABLE.test(sql))
      this.#states.set(connection, 'other for good');
    else this.#doubt(connection);
  }

  #doubt(connection: object): void {
    if (this.#states.get(connection) !== 'other for good') this.#states.set(connection, 'other for now');
  }

  async #answer(ask: Ask): Promise<string | undefined> {
    if (this.#question === undefined) return undefined;
    const [row] = await ask(this.#question);
    return String(row?.names);
  }
}
