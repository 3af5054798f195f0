import type { Row } from '../sql/column-value';
import { isUnstableKeyword, NOT_CALLS, purityOf } from '../sql/pure-functions';
import { tokenise } from '../sql/tokenise';
import { type Dialect, isIdentifier, opens, tokenAt, setOf } from '../sql/tokens';
import { type Ask, text } from './ask';

/**
 * The possible effects of calling a function. `pure`: its result depends on its arguments alone. `reads`: it may read
 * what the observer does not see (tables, settings, the clock). `writes`: it may write.
 */
export type FunctionNature = 'pure' | 'reads' | 'writes';

/** The database's report about one function; several functions may have the same name. */
interface FoundFunction {
  readonly nature: FunctionNature;
  /** Names of other functions that it calls. */
  readonly calls: readonly string[];
}

const READS: FoundFunction = { nature: 'reads', calls: [] };
const WRITES: FoundFunction = { nature: 'writes', calls: [] };

const POSTGRES = `
  select lower(p.proname)::text as name, p.provolatile::text as volatility, l.lanname::text as language,
    p.prosrc::text as body, n.nspname = 'pg_catalog' as is_builtin,
    array(
      select lower(s.proname)::text from pg_catalog.pg_aggregate a join pg_catalog.pg_proc s
        on s.oid in (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
      where a.aggfnoid = p.oid) as supports
  from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
  where lower(p.proname)`;

const MYSQL = `
  select lower(routine_name) as name, sql_data_access as access, routine_definition as body
  from information_schema.routines where routine_type = 'FUNCTION' and lower(routine_name)`;

const SQLITE = `select lower(name) as "name", flags as "flags" from pragma_function_list where lower(name)`;

/** SQLite's flag for a function whose result depends on its arguments alone. */
const DETERMINISTIC = 0x800;

/** They change no row of a table, but may return another value each time. */
const SEQUENCES: ReadonlySet<string> = new Set(['nextval', 'setval', 'currval', 'lastval']);

/** How many levels of calls are followed; functions that call deeper count as writing. */
const DEEPEST = 8;

/** Asks the database what functions may do, and remembers each answer until something may have changed it. */
export class FunctionNatures {
  readonly #dialect: Dialect;
  readonly #catalog: () => object;
  readonly #known = new WeakMap<object, Map<string, FunctionNature>>();

  /** @param catalog returns the object that answers hold for: another one after anything that may have changed them. */
  constructor(dialect: Dialect, catalog: () => object) {
    this.#dialect = dialect;
    this.#catalog = catalog;
  }

  /** One of these functions that may do the most, and what that is. Names are in lower case. */
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

/** The nature of a function, judged by all functions of this name (in lower case) and by those that they call. */
export const judgeFunction = async (dialect: Dialect, name: string, ask: Ask): Promise<FunctionNature> => {
  const seen = new Set([name]);
  let nature: FunctionNature = 'pure';
  let depth = 0;
  for (let names = [name]; names.length > 0; depth += 1) {
    if (depth > DEEPEST) return 'writes';
    const found = await find(dialect, names, ask);
    names = [];
    for (const one of found) {
      if (one.nature === 'writes') return 'writes';
      if (one.nature === 'reads') nature = 'reads';
      names.push(...one.calls.filter((call) => !seen.has(call)));
      for (const call of one.calls) seen.add(call);
    }
  }
  return nature;
};

const find = async (dialect: Dialect, names: readonly string[], ask: Ask): Promise<FoundFunction[]> => {
  const { question, read, missing } = DIALECTS[dialect];
  const rows = await ask(`${question} in (${names.map(() => '?').join(', ')})`, names);
  const answered = new Set(rows.map(({ name }) => text(name)));
  const others = names.filter((name) => !answered.has(name));
  return [...rows.map(read), ...others.map((name) => (SEQUENCES.has(name) ? READS : missing))];
};

/**
 * A stable or immutable function cannot write by itself, but it can call a function that writes, so its body is
 * examined too. So is the body of a volatile function, because functions are volatile by default.
 */
const postgresFunction = ({ name, volatility, language, body, is_builtin, supports }: Row): FoundFunction => {
  if (is_builtin === true && SEQUENCES.has(text(name))) return READS;
  const isVolatile = volatility === 'v';
  const nature = volatility === 'i' ? 'pure' : 'reads';
  if (is_builtin === true || (language !== 'sql' && language !== 'plpgsql'))
    return isVolatile ? WRITES : { nature, calls: Array.isArray(supports) ? supports.map(text) : [] };
  // PostgreSQL keeps no text of a body written with `begin atomic`.
  if (text(body).trim() === '') return isVolatile ? WRITES : READS;
  return atLeast(nature, judgeRoutine(text(body), 'postgres', isVolatile ? VOLATILE_WRITING[language] : undefined));
};

/** MySQL does not enforce what a function declares. So the worse of its declaration and what its body shows counts. */
const mysqlFunction = ({ access, body }: Row): FoundFunction => {
  if (text(access) === 'MODIFIES SQL DATA' || text(body) === '') return WRITES;
  return atLeast(text(access) === 'READS SQL DATA' ? 'reads' : 'pure', judgeRoutine(text(body), 'mysql'));
};

/** A function that the application has registered runs while its connection is busy, so it cannot write there. */
const sqliteFunction = ({ name, flags }: Row): FoundFunction => {
  if (text(name) === 'load_extension') return WRITES;
  return { nature: (Number(flags) & DETERMINISTIC) === 0 ? 'reads' : 'pure', calls: [] };
};

const atLeast = (nature: 'pure' | 'reads', found: FoundFunction): FoundFunction =>
  nature === 'reads' && found.nature === 'pure' ? { ...found, nature } : found;

const DIALECTS: Readonly<
  Record<
    Dialect,
    { readonly question: string; readonly read: (row: Row) => FoundFunction; readonly missing: FoundFunction }
  >
> = {
  postgres: { question: POSTGRES, read: postgresFunction, missing: WRITES },
  mysql: { question: MYSQL, read: mysqlFunction, missing: WRITES },
  sqlite: { question: SQLITE, read: sqliteFunction, missing: READS },
};

/** Each of these keywords in a body may be the start of a statement that writes. */
const WRITING = setOf(
  'insert update delete merge truncate load call create alter drop rename grant revoke execute prepare copy lock handler refresh',
);

/**
 * Further such keywords, in volatile functions alone: statements other than queries. SELECT INTO makes a table in SQL.
 */
const UTILITIES = 'set reset discard do import reassign comment security cluster reindex vacuum analyze analyse';
const VOLATILE_WRITING = { sql: setOf(`${UTILITIES} into`), plpgsql: setOf(UTILITIES) } as const;

const READING = setOf('from table values');

/** Keywords that may stand before a bracket without being a call. */
const STEPS = setOf('return if elseif elsif while until loop perform set declare into case when default');

/**
 * The nature of a routine, judged from the keywords of its body alone. Every keyword that could start a write counts as
 * a write: in `for update`, for example, or as a column called `update`.
 */
const judgeRoutine = (body: string, dialect: Dialect, alsoWriting?: ReadonlySet<string>): FoundFunction => {
  const tokens = tokenise(body, dialect);
  if (tokens === undefined) return WRITES;
  const calls = new Set<string>();
  let nature: FunctionNature = 'pure';
  for (let i = 0; i < tokens.list.length; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'variable') nature = 'reads';
    if (!isIdentifier(token)) continue;
    const name = token.text.toLowerCase();
    const isCalled = opens(tokens, i + 1);
    if (token.kind === 'word') {
      if (WRITING.has(name) || alsoWriting?.has(name) === true || (name === 'replace' && !isCalled)) return WRITES;
      if (READING.has(name) || isUnstableKeyword(name)) nature = 'reads';
    }
    if (!isCalled || (token.kind === 'word' && (NOT_CALLS.has(name) || STEPS.has(name)))) continue;
    const purity = purityOf(name);
    if (purity === 'unknown') calls.add(name);
    // The called function may change the schema in which names are looked up.
    else if (name === 'set_config' && alsoWriting !== undefined) return WRITES;
    else if (purity !== 'pure') nature = 'reads';
  }
  return { nature, calls: [...calls] };
};
