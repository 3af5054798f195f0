import { ALONE, readPlainSelect } from './plain-select';
import type { PlainRead, Source } from './statement';
import { isIdentifier, isOperator, isWord, tokenAt, type Tokens } from './tokens';

/** Goes along a statement that has to look exactly as expected. */
class Cursor {
  readonly #tokens: Tokens;
  at: number;

  constructor(tokens: Tokens, at: number) {
    this.#tokens = tokens;
    this.at = at;
  }

  words(...expected: readonly string[]): boolean {
    return expected.every((text) => isWord(this.#tokens, this.at, text) && (this.at += 1) > 0);
  }

  mark(kind: 'comma' | 'dot' | 'open' | 'close' | 'placeholder'): boolean {
    return tokenAt(this.#tokens, this.at).kind === kind && (this.at += 1) > 0;
  }

  operator(text: string): boolean {
    return isOperator(this.#tokens, this.at, text) && (this.at += 1) > 0;
  }

  /** The name that comes next, which is not passed yet. */
  nextName(): string | undefined {
    const token = tokenAt(this.#tokens, this.at);
    return isIdentifier(token) ? token.text.toLowerCase() : undefined;
  }

  name(): string | undefined {
    const name = this.nextName();
    if (name !== undefined) this.at += 1;
    return name;
  }

  /** `alias.column`, of this alias. */
  column(alias: string): string | undefined {
    return this.name() === alias && this.mark('dot') ? this.name() : undefined;
  }

  /** `alias.column, alias.column …`, each with a direction if `sorted`. */
  columns(alias: string, sorted: boolean): string[] | undefined {
    const columns: string[] = [];
    do {
      const column = this.column(alias);
      if (column === undefined) return undefined;
      columns.push(column);
      if (sorted) {
        if (!this.words('asc')) this.words('desc');
        if (this.words('nulls') && !this.words('last') && !this.words('first')) return undefined;
      }
    } while (this.mark('comma'));
    return columns;
  }

  /** Behind the bracket that closes the one just passed. */
  leave(): number {
    const { mate } = tokenAt(this.#tokens, this.at - 1);
    this.at = mate + 1;
    return mate;
  }
}

const ROW_NUMBER = '__strapi_row_number';

/** Followed by the alias of a source and its column. */
const SORTED_BY = '__strapi_order_by__';

/**
 * How Strapi's database layer sorts by a relation's field (`wrapWithDeepSort`, Strapi 5.54): a plain SELECT of ids and
 * sort columns, of which the first row of each id is kept, joined with the same table for the columns to show. It
 * depends on what that SELECT would, were it sorted and limited itself, and on the rows shown.
 */
export const readDeepSort = (tokens: Tokens, from: number, to: number): PlainRead | undefined => {
  const cursor = new Cursor(tokens, from);
  if (!cursor.words('select')) return undefined;
  const outer = cursor.nextName();
  if (outer === undefined) return undefined;
  const output = readOutput(cursor, outer);
  if (output === undefined || !cursor.words('from')) return undefined;
  let table = cursor.name();
  if (cursor.mark('dot')) table = cursor.name();
  if (table === undefined || !cursor.words('as') || cursor.name() !== outer) return undefined;

  if (!cursor.words('inner', 'join') || !cursor.mark('open')) return undefined;
  const partitions = new Cursor(tokens, cursor.at);
  const partitionsEnd = cursor.leave();
  const partitioned = readPartitions(partitions, tokens, partitionsEnd);
  if (partitioned === undefined) return undefined;
  const { base } = partitioned;

  const ranked = cursor.words('as') ? cursor.name() : undefined;
  if (ranked === undefined || !cursor.words('on')) return undefined;
  const isJoined =
    cursor.column(ranked) === 'id' &&
    cursor.operator('=') &&
    cursor.column(outer) === 'id' &&
    cursor.words('and') &&
    cursor.column(ranked) === ROW_NUMBER &&
    cursor.operator('=') &&
    cursor.mark('placeholder');
  if (!isJoined || !cursor.words('order', 'by')) return undefined;
  const order = cursor.columns(ranked, true);
  // Which row of an id comes first has to be as certain as which id does.
  if (order?.pop() !== 'id' || order.join() !== partitioned.order.join()) return undefined;
  let limited = false;
  for (const word of ['limit', 'offset']) {
    if (!cursor.words(word)) continue;
    if (!cursor.mark('placeholder')) return undefined;
    limited = true;
  }
  if (cursor.at !== to) return undefined;

  const [root] = base.sources;
  if (root?.table !== table || root.idProperty !== 'id') return undefined;
  const sort = sortColumns(base, order);
  if (sort === undefined) return undefined;
  const sources = base.sources.map((source) => {
    const columns = sort.get(source) ?? [];
    return source === root ? sorted(source, [...columns, 'id'], output) : sorted(source, columns, []);
  });
  return { ...base, limited, sources };
};

/** Which columns of which sources the names in ORDER BY stand for; `undefined` unless it is all of those selected. */
const sortColumns = ({ sources }: PlainRead, order: readonly string[]): Map<Source, string[]> | undefined => {
  const sort = new Map<Source, string[]>();
  let selected = 0;
  for (const source of sources) {
    if (source.output === 'all') return undefined;
    selected += source.output.filter((column) => column !== 'id').length;
  }
  for (const name of order) {
    const source = sources.find(({ alias }) => name.startsWith(`${SORTED_BY}${alias}_`));
    const column = source === undefined ? '' : name.slice(`${SORTED_BY}${source.alias}_`.length);
    if (source === undefined || column === 'id' || !source.output.includes(column)) return undefined;
    sort.set(source, [...(sort.get(source) ?? []), column]);
  }
  return order.length === selected ? sort : undefined;
};

/** `outer.*`, or some of its columns. */
const readOutput = (cursor: Cursor, outer: string): Source['output'] | undefined => {
  const start = cursor.at;
  if (cursor.name() === outer && cursor.mark('dot') && cursor.operator('*')) return 'all';
  cursor.at = start;
  const columns = cursor.columns(outer, false);
  return columns?.includes('id') === true ? columns : undefined;
};

/** `select b.id, b.x, row_number() over (partition by b.id order by b.x) as … from (<plain SELECT>) as b` */
const readPartitions = (
  cursor: Cursor,
  tokens: Tokens,
  to: number,
): { readonly base: PlainRead; readonly order: readonly string[] } | undefined => {
  if (!cursor.words('select')) return undefined;
  const base = cursor.nextName();
  if (base === undefined) return undefined;
  if (cursor.column(base) !== 'id') return undefined;
  while (cursor.mark('comma')) {
    if (cursor.words('row_number')) break;
    if (cursor.column(base) === undefined) return undefined;
  }
  if (!cursor.mark('open') || !cursor.mark('close') || !cursor.words('over') || !cursor.mark('open')) return undefined;
  if (!cursor.words('partition', 'by') || cursor.column(base) !== 'id') return undefined;
  const order = cursor.words('order', 'by') ? cursor.columns(base, true) : undefined;
  if (order === undefined || !cursor.mark('close')) return undefined;
  if (!cursor.words('as') || cursor.name() !== ROW_NUMBER || !cursor.words('from') || !cursor.mark('open'))
    return undefined;
  const start = cursor.at;
  const end = cursor.leave();
  if (!cursor.words('as') || cursor.name() !== base || cursor.at !== to) return undefined;
  const plain = isWord(tokens, start, 'select') ? readPlainSelect(tokens, start, end, ALONE)?.read : undefined;
  return plain === undefined || plain.limited || plain.aggregated ? undefined : { base: plain, order };
};

/** A source of the plain SELECT, as if that were sorted itself and showed what the whole shows. */
const sorted = (source: Source, sort: readonly string[], output: Source['output']): Source => {
  const isRoot = output.length > 0;
  return {
    ...source,
    output,
    sort,
    filters: [...new Set([...source.filters, ...sort])],
    showsId: isRoot,
    idProperty: isRoot ? 'id' : undefined,
  };
};
