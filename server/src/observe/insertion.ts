import type { MaybePromise } from '../cache/provider';
import { MAX_ROWS_CHANGED } from '../dependencies/changes';
import { isSameValue, valueKey, type Row } from '../sql/column-value';
import { type ConnectionAccess, quotedTable, type QueryOutcome } from '../database/connection-access';
import type { Insert, Query } from '../sql/statement';
import type { TableFacts } from '../database/table-catalog';
import { operandValues, unlessFailedBefore, type ObservedWrite } from './row-images';

/** SQLite refuses a condition that joins a thousand others by OR. */
const MAX_CONDITIONS = 900;

/** The columns of a unique key. */
type UniqueKey = readonly string[];

/** The alias under which `ConnectionAccess.isNewRow` is selected beside a row's columns. */
const IS_NEW = 'rest_cache_is_new';

/** Sends an INSERT, and notes which rows it has inserted, changed or deleted. */
export const observeInsert = (statement: Insert, write: ObservedWrite): Promise<QueryOutcome> => {
  const { table, conflict, rows, returning } = statement;
  const { query, catalog, cascades, proceed, log } = write;
  const facts = catalog.facts(table);
  const isTold =
    rows !== undefined && rows.length <= MAX_ROWS_CHANGED && facts !== undefined && !leavesToDatabase(rows, facts);
  if (isTold && conflict !== undefined && conflict !== 'replace' && !(conflict === 'ignore' && returning)) {
    const written = rows.map((operands) => operandValues(operands, query));
    return observeUpsert(table, conflict, written, facts, write);
  }
  const note = (inserted: readonly Row[] | undefined): void =>
    log.add(
      inserted?.map((after) => ({ kind: 'row', table, before: undefined, after })) ?? cascades.ofInsert(statement),
    );
  return proceed().then((outcome) => {
    const inserted = isTold ? insertedRows(statement, rows, outcome, write) : undefined;
    if (inserted instanceof Promise) return inserted.then(note).then(() => outcome);
    note(inserted);
    return outcome;
  });
};

/** The inserted rows with their primary keys; `undefined` if they are not known. */
const insertedRows = (
  { table, conflict }: Insert,
  rows: NonNullable<Insert['rows']>,
  outcome: QueryOutcome,
  { query, catalog, access }: ObservedWrite,
): MaybePromise<readonly Row[] | undefined> => {
  if (conflict === 'replace') return undefined;
  // It returns only the rows that it has inserted: not which of several, if there were others before.
  if (conflict === 'ignore' && outcome.rows?.length !== rows.length) return outcome.rows?.length === 0 ? [] : undefined;
  const inserted = reportedRows(rows, query, outcome);
  const { insertedId } = outcome;
  if (inserted !== undefined || rows.length < 2 || typeof insertedId !== 'number' || insertedId <= 0) return inserted;
  // MySQL reports only the primary key of the first row, below those of the others unless the statement gives them.
  // Rows that another transaction has inserted meanwhile may be among those found.
  if (!catalog.isIdentifiedById(table) || rows.some((row) => Object.hasOwn(row, 'id'))) return undefined;
  const select = `select * from ${quotedTable(table, catalog, access)} where id >= ? limit ${MAX_ROWS_CHANGED + 1}`;
  return access
    .select(select, [insertedId])
    .then((found) => (found.length > MAX_ROWS_CHANGED || found.length < rows.length ? undefined : found));
};

/**
 * An upsert changes the row that already has the values which the statement writes to a unique key. So the rows with
 * such values are selected before and after the statement: by all unique keys, whatever the conflict target, because
 * MySQL goes by any of them.
 */
const observeUpsert = async (
  table: string,
  conflict: 'ignore' | 'update',
  rows: readonly Row[],
  facts: TableFacts,
  write: ObservedWrite,
): Promise<QueryOutcome> => {
  const { access, cascades, proceed, log } = write;
  const keys = isComparable(conflict, facts, access) ? keysGiven(rows, facts) : undefined;
  const select = async (lock: string): Promise<readonly Row[] | undefined> =>
    keys && rowsBy(table, keys, rows, write, lock);
  const lock = conflict === 'update' && access.isNewRow !== undefined ? access.rowLock.update : '';
  const before = await select(lock).catch(unlessFailedBefore);
  const outcome = await proceed();
  const after = before && (await select(''));
  const pairs = before && after && pairsOf(before, after);
  const isExplained =
    pairs !== undefined &&
    rows.every((row) => keys?.some((key) => after?.some((found) => hasSameKey(row, found, key)))) &&
    isOwnDoing(conflict, pairs, outcome, access);
  if (!isExplained) {
    log.add(cascades.ofInsert({ table, conflict }));
    return outcome;
  }
  log.add(
    pairs.map(({ before: earlier, after: { [IS_NEW]: _isNew, ...later } }) => ({
      kind: 'row',
      table,
      before: earlier,
      after: later,
    })),
  );
  log.add(cascades.ofUpdate(table, [...new Set(pairs.flatMap(({ columns }) => columns))]));
  return outcome;
};

/** All rows that have the values of one of these keys in common with a given row; `undefined` if they are too many. */
const rowsBy = async (
  table: string,
  keys: readonly UniqueKey[],
  rows: readonly Row[],
  { access, catalog }: ObservedWrite,
  lock: string,
): Promise<readonly Row[] | undefined> => {
  if (keys.length * rows.length > MAX_CONDITIONS) return undefined;
  const bindings: unknown[] = [];
  const conditions = keys.flatMap((key) =>
    rows.map((row) => {
      bindings.push(...key.map((column) => row[column]));
      return `(${key.map((column) => `${access.quote(column)} = ?`).join(' and ')})`;
    }),
  );
  const isNew = lock === '' && access.isNewRow !== undefined ? `, ${access.isNewRow} as ${IS_NEW}` : '';
  const found = await access.select(
    `select *${isNew} from ${quotedTable(table, catalog, access)} where ${conditions.join(' or ')} limit ${MAX_ROWS_CHANGED + 1}${lock}`,
    bindings,
  );
  return found.length > MAX_ROWS_CHANGED ? undefined : found;
};

/** Whether the database fills in a column that the statement does not name: by a default, or as a generated column. */
const leavesToDatabase = (rows: ReadonlyArray<object>, { filledByDatabase }: TableFacts): boolean => {
  for (const column of filledByDatabase) if (!rows.every((row) => Object.hasOwn(row, column))) return true;
  return false;
};

/**
 * The unique keys by which a row of the statement may conflict with an existing row; `undefined` if it may conflict in
 * other ways, or if there are none. A row that does not name the primary key of Strapi's tables gets a new one, so it
 * does not conflict by that key.
 */
const keysGiven = (rows: readonly Row[], facts: TableFacts): readonly UniqueKey[] | undefined => {
  if (facts.hasOtherUniqueKeys || facts.columns.size === 0) return undefined;
  const given: UniqueKey[] = [];
  for (const key of facts.uniqueKeys) {
    if (key.every((column) => rows.every((row) => valueKey(row[column]) !== undefined))) given.push(key);
    else if (key.join() !== 'id' || rows.some((row) => row.id !== undefined)) return undefined;
  }
  return given.length === 0 ? undefined : given;
};

/**
 * Whether the rows selected before the statement are good enough when it runs. On MySQL they are not locked, because a
 * lock on rows that do not exist yet would block others. There, join tables are accepted: the columns by which reads
 * look a join row up are those by which it is found here.
 */
const isComparable = (conflict: 'ignore' | 'update', { references, columns }: TableFacts, access: ConnectionAccess) =>
  conflict === 'ignore' ||
  access.rowLock.update === '' ||
  access.isNewRow !== undefined ||
  (references.size > 1 && !columns.has('document_id'));

interface Pair {
  readonly before: Row | undefined;
  readonly after: Row;
  /** The columns that have changed, if the row existed before. */
  readonly columns: readonly string[];
}

/** Pairs the rows after with those before; `undefined` if one from before is no longer found. */
const pairsOf = (before: readonly Row[], after: readonly Row[]): readonly Pair[] | undefined => {
  const left = new Map(before.map((row) => [String(row.id), row]));
  const pairs = after.map((row) => {
    const earlier = left.get(String(row.id));
    left.delete(String(row.id));
    const columns = earlier === undefined ? [] : Object.keys(earlier).filter((c) => !isSameValue(earlier[c], row[c]));
    return { before: earlier, after: row, columns };
  });
  return left.size === 0 ? pairs : undefined;
};

const hasSameKey = (written: Row, found: Row, key: UniqueKey): boolean =>
  key.every((column) => valueKey(written[column]) === valueKey(found[column]));

/**
 * Whether the statement itself has inserted every new row. Otherwise another transaction may have inserted one
 * meanwhile, which the statement then changed.
 */
const isOwnDoing = (
  conflict: 'ignore' | 'update',
  pairs: readonly Pair[],
  { affected }: QueryOutcome,
  access: ConnectionAccess,
): boolean => {
  if (access.rowLock.update === '') return true;
  const made = pairs.filter(({ before }) => before === undefined);
  if (conflict === 'ignore') return affected === made.length;
  if (access.isNewRow !== undefined) return made.every(({ after }) => after[IS_NEW] === true);
  // MySQL counts 1 for a row it inserts or leaves as it was, 2 for one it changes.
  return affected === pairs.reduce((sum, { columns }) => sum + (columns.length > 0 ? 2 : 1), 0);
};

/** The inserted rows with their primary keys; `undefined` if the database did not report all of these. */
const reportedRows = (
  rows: NonNullable<Insert['rows']>,
  query: Query,
  { rows: returned, insertedId }: QueryOutcome,
): Row[] | undefined => {
  const inserted: Row[] = [];
  for (const [index, operands] of rows.entries()) {
    const row = operandValues(operands, query);
    const id = row.id ?? returned?.[index]?.id ?? (rows.length === 1 ? insertedId : undefined);
    // MySQL treats a primary key of 0 as not given.
    if (valueKey(id) === undefined || valueKey(id) === '0') return undefined;
    inserted.push({ ...row, id });
  }
  return inserted;
};
