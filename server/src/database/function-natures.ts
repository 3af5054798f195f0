import type { Row } from '../sql/column-value';
import { isUnstableWord, NOT_CALLS, purityOf } from '../sql/pure-functions';
import { tokenise } from '../sql/tokenise';
import { type Dialect, isIdentifier, opens, tokenAt, words } from '../sql/tokens';
import { type Ask, text } from './database-description';
import type { TableCatalog } from './table-catalog';

/**
 * What calling a function may do: depend on its arguments alone, read what nobody sees (tables, settings, the clock), or
 * write.
 */
export type FunctionNature = 'pure' | 'reads' | 'writes';

/** One function of a name, as far as the database tells. */
interface FoundFunction {
  readonly nature: FunctionNature;
  /** Other functions it calls. */
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

/** SQLite's mark of a function whose result depends on its arguments alone. */
const DETERMINISTIC = 0x800;

/** They change nothing that is a row of a table; what they answer is another each time. */
const SEQUENCES: ReadonlySet<string> = new Set(['nextval', 'setval', 'currval', 'lastval']);

/** Functions that call others that call others: deeper ones may do anything. */
const DEEPEST = 8;

/** Asks the database what functions may do, once for each until something may have changed them. */
export class FunctionNatures {
  readonly #dialect: Dialect;
  readonly #catalog: () => TableCatalog;
  #known = new Map<string, FunctionNature>();
  #knownBy: TableCatalog | undefined;

  constructor(dialect: Dialect, catalog: () => TableCatalog) {
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
    if (this.#knownBy !== catalog) {
      this.#known = new Map();
      this.#knownBy = catalog;
    }
    const known = this.#known;
    let nature = known.get(name);
    if (nature === undefined) {
      nature = await this.#judge(name, ask);
      known.set(name, nature);
    }
    return nature;
  }

  /** By all functions of this name, and of the names that these call. */
  async #judge(name: string, ask: Ask): Promise<FunctionNature> {
    const seen = new Set([name]);
    let nature: FunctionNature = 'pure';
    let depth = 0;
    for (let names = [name]; names.length > 0; depth += 1) {
      if (depth > DEEPEST) return 'writes';
      const found = await this.#find(names, ask);
      names = [];
      for (const one of found) {
        if (one.nature === 'writes') return 'writes';
        if (one.nature === 'reads') nature = 'reads';
        names.push(...one.calls.filter((call) => !seen.has(call)));
        for (const call of one.calls) seen.add(call);
      }
    }
    return nature;
  }

  async #find(names: readonly string[], ask: Ask): Promise<FoundFunction[]> {
    const { question, read, missing } = DIALECTS[this.#dialect];
    const rows = await ask(`${question} in (${names.map(() => '?').join(', ')})`, names);
    const answered = new Set(rows.map(({ name }) => text(name)));
    const others = names.filter((name) => !answered.has(name));
    return [...rows.map(read), ...others.map((name) => (SEQUENCES.has(name) ? READS : missing))];
  }
}

/** A stable or immutable function cannot write by itself, but it can call one that does: so its body is looked at too. */
const postgresFunction = ({ name, volatility, language, body, is_builtin, supports }: Row): FoundFunction => {
  if (is_builtin === true && SEQUENCES.has(text(name))) return READS;
  if (volatility === 'v') return WRITES;
  const nature = volatility === 'i' ? 'pure' : 'reads';
  if (is_builtin === true || (language !== 'sql' && language !== 'plpgsql'))
    return { nature, calls: Array.isArray(supports) ? supports.map(text) : [] };
  // `begin atomic` keeps no text.
  if (text(body).trim() === '') return READS;
  return atLeast(nature, judgeRoutine(text(body), 'postgres'));
};

/** What a function says of itself is not enforced: what it says and what its body shows, the worse of the two. */
const mysqlFunction = ({ access, body }: Row): FoundFunction => {
  if (text(access) === 'MODIFIES SQL DATA' || text(body) === '') return WRITES;
  return atLeast(text(access) === 'READS SQL DATA' ? 'reads' : 'pure', judgeRoutine(text(body), 'mysql'));
};

/** What the application has registered runs while its connection is busy: it cannot write there. */
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

/** Any of these in a body may be the start of something that writes. */
const WRITING = words(
  'insert update delete merge truncate load call create alter drop rename grant revoke execute prepare copy lock handler refresh',
);

const READING = words('from table values');

/** Before a bracket they call nothing. */
const STEPS = words('return if elseif elsif while until loop perform set declare into case when default');

/**
 * What a routine may do, from the words of its body alone. Whatever could be the start of a write is one: `for update`,
 * a column called `update`.
 */
const judgeRoutine = (body: string, dialect: Dialect): FoundFunction => {
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
      if (WRITING.has(name) || (name === 'replace' && !isCalled)) return WRITES;
      if (READING.has(name) || isUnstableWord(name)) nature = 'reads';
    }
    if (!isCalled || (token.kind === 'word' && (NOT_CALLS.has(name) || STEPS.has(name)))) continue;
    const purity = purityOf(name);
    if (purity === 'unknown') calls.add(name);
    else if (purity !== 'pure') nature = 'reads';
  }
  return { nature, calls: [...calls] };
};
