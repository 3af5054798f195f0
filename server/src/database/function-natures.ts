import type { Row } from '../sql/column-value';
import { isUnstableWord, NOT_CALLS, purityOf } from '../sql/pure-functions';
import { tokenise } from '../sql/tokenise';
import { type Dialect, isIdentifier, opens, tokenAt, words } from '../sql/tokens';
import { type Ask, text } from './ask';
import { IS_OF_EXTENSION } from './postgres-questions';

/**
 * What calling a function may do: depend on its arguments alone, read what nobody sees (tables, settings, the clock), or
 * write.
 */
export type FunctionNature = 'pure' | 'reads' | 'writes';

const POSTGRES = `
  select p.provolatile::text as volatility, p.prosrc::text as body,
    case when p.prokind = 'a' and not ${IS_OF_EXTENSION} then 'aggregate' else l.lanname::text end as language,
    n.nspname = 'pg_catalog' as is_builtin, p.proname in ('nextval', 'setval', 'currval', 'lastval') as is_of_sequences
  from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
  where lower(p.proname) = ?`;

const MYSQL = `
  select sql_data_access as access, routine_definition as body
  from information_schema.routines where routine_type = 'FUNCTION' and lower(routine_name) = ?`;

const SQLITE = `select lower(name) as "name", flags as "flags" from pragma_function_list where lower(name) = ?`;

/** SQLite's mark of a function whose result depends on its arguments alone. */
const DETERMINISTIC = 0x800;

/** Asks the database what functions may do, once for each until something may have changed them. */
export class FunctionNatures {
  readonly #dialect: Dialect;
  readonly #catalog: () => object;
  readonly #known = new WeakMap<object, Map<string, FunctionNature>>();

  /** @param catalog what they hold for: another after anything that may have changed them. */
  constructor(dialect: Dialect, catalog: () => object) {
    this.#dialect = dialect;
    this.#catalog = catalog;
  }

  /** The first of these functions that does the most, and what that is. Names are in lower case. */
  async worst(names: readonly string[], ask: Ask): Promise<{ readonly name: string; readonly nature: FunctionNature }> {
    let worst: { name: string; nature: FunctionNature } = { name: '', nature: 'pure' };
    for (const name of names) {
      const nature = await this.#natureOf(name, ask);
      if (nature === 'writes') return { name, nature };
      if (nature === 'reads') worst = { name, nature };
    }
    return worst;
  }

  async #natureOf(name: string, ask: Ask): Promise<FunctionNature> {
    const catalog = this.#catalog();
    const known = this.#known.get(catalog) ?? new Map<string, FunctionNature>();
    this.#known.set(catalog, known);
    let nature = known.get(name);
    if (nature === undefined) {
      nature = await judgeFunction(this.#dialect, name, ask);
      known.set(name, nature);
    }
    return nature;
  }
}

/** The worst of what functions of this name (in lower case) may do. */
const judgeFunction = async (dialect: Dialect, name: string, ask: Ask): Promise<FunctionNature> => {
  const { question, read, missing } = DIALECTS[dialect];
  const natures = (await ask(question, [name])).map(read);
  if (natures.length === 0) return missing;
  return (['writes', 'reads'] as const).find((nature) => natures.includes(nature)) ?? 'pure';
};

/**
 * A stable or immutable function cannot write by itself, but it can call one that does: so its body is looked at too. So is
 * that of a volatile one, which is what a function is where nobody says anything.
 */
const postgresFunction = ({ volatility, language, body, is_builtin, is_of_sequences }: Row): FunctionNature => {
  // No row of a table changes; what they answer is another each time.
  if (is_builtin === true && is_of_sequences === true) return 'reads';
  const isVolatile = volatility === 'v';
  const nature = volatility === 'i' ? 'pure' : 'reads';
  if (is_builtin === true || (language !== 'sql' && language !== 'plpgsql' && language !== 'aggregate'))
    return isVolatile ? 'writes' : nature;
  // An aggregate's parts may do anything, and `begin atomic` keeps no text.
  if (language === 'aggregate' || text(body).trim() === '') return 'writes';
  const judged = judgeRoutine(text(body), 'postgres', isVolatile ? VOLATILE_WRITING[language] : undefined);
  return judged === 'pure' ? nature : judged;
};

/** What a function says of itself is not enforced: what it says and what its body shows, the worse of the two. */
const mysqlFunction = ({ access, body }: Row): FunctionNature => {
  if (text(access) === 'MODIFIES SQL DATA' || text(body) === '') return 'writes';
  const judged = judgeRoutine(text(body), 'mysql');
  return judged === 'pure' && text(access) === 'READS SQL DATA' ? 'reads' : judged;
};

/** What the application has registered runs while its connection is busy: it cannot write there. */
const sqliteFunction = ({ name, flags }: Row): FunctionNature => {
  if (text(name) === 'load_extension') return 'writes';
  return (Number(flags) & DETERMINISTIC) === 0 ? 'reads' : 'pure';
};

interface Judgement {
  readonly question: string;
  readonly read: (row: Row) => FunctionNature;
  /** What a name may do that the database does not tell of. */
  readonly missing: FunctionNature;
}

const DIALECTS: Readonly<Record<Dialect, Judgement>> = {
  postgres: { question: POSTGRES, read: postgresFunction, missing: 'writes' },
  mysql: { question: MYSQL, read: mysqlFunction, missing: 'writes' },
  sqlite: { question: SQLITE, read: sqliteFunction, missing: 'reads' },
};

/** Any of these in a body may be the start of something that writes. */
const WRITING = words(
  'insert update delete merge truncate load call create alter drop rename grant revoke execute prepare copy lock handler refresh',
);

/** What only volatile functions may do beside it: statements that are no queries; SELECT INTO makes a table in SQL. */
const UTILITIES = 'set reset discard do import reassign comment security cluster reindex vacuum analyze analyse';
const VOLATILE_WRITING = { sql: words(`${UTILITIES} into`), plpgsql: words(UTILITIES) } as const;

const READING = words('from table values');

/** Before a bracket they call nothing. */
const STEPS = words('return if elseif elsif while until loop perform set declare into case when default');

/**
 * What a routine may do, from the words of its body alone. Whatever could be the start of a write is one: `for update`, a
 * column called `update`, a call of another function that nobody knows.
 */
const judgeRoutine = (body: string, dialect: Dialect, alsoWriting?: ReadonlySet<string>): FunctionNature => {
  const tokens = tokenise(body, dialect);
  if (tokens === undefined) return 'writes';
  let nature: FunctionNature = 'pure';
  for (let i = 0; i < tokens.list.length; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'variable') nature = 'reads';
    if (!isIdentifier(token)) continue;
    const name = token.text.toLowerCase();
    const isCalled = opens(tokens, i + 1);
    if (token.kind === 'word') {
      if (WRITING.has(name) || alsoWriting?.has(name) === true || (name === 'replace' && !isCalled)) return 'writes';
      if (READING.has(name) || isUnstableWord(name)) nature = 'reads';
    }
    if (!isCalled || (token.kind === 'word' && (NOT_CALLS.has(name) || STEPS.has(name)))) continue;
    const purity = purityOf(name);
    // It may set which schema names are looked for in.
    if (purity === 'unknown' || (purity === 'session' && alsoWriting !== undefined)) return 'writes';
    if (purity !== 'pure') nature = 'reads';
  }
  return nature;
};
