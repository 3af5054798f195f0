import type { Asked, Names, Nesting } from './columns';
import { readPlainSelect } from './plain-select';
import type { SourceColumn } from './source-draft';
import type { NestedRead, PlainRead, PresumedColumn } from './statement';
import { isIdentifier, isWord, spellingOf, tokenAt, type Tokens } from './tokens';

/** Deeper ones are generated, and not worth the time. */
const DEEPEST = 8;

const SET_OPERATORS = new Set(['union', 'intersect', 'except', 'minus']);

/** SELECTs within a SELECT, each read by itself; `undefined` as soon as one of them is not understood. */
export const readNestedSelect = (tokens: Tokens, from: number, to: number): NestedRead | undefined => {
  const reader = new NestedReader(tokens);
  const start = isWord(tokens, from, 'with') ? reader.readCommonTableExpressions(from, to) : from;
  return start === undefined ? undefined : reader.readOutermost(start, to);
};

class NestedReader implements Nesting {
  readonly #tokens: Tokens;
  readonly #inner: PlainRead[] = [];
  readonly #presumed: PresumedColumn[] = [];
  readonly #commonTableExpressions = new Set<string>();
  #limited = false;
  #depth = 0;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  isCommonTableExpression(spelling: string): boolean {
    return this.#commonTableExpressions.has(spelling);
  }

  presume(column: PresumedColumn): void {
    this.#presumed.push(column);
  }

  read(from: number, to: number, around: Names | undefined, asked: Asked): SourceColumn[] | undefined {
    const foreign: SourceColumn[] = [];
    this.#depth += 1;
    const understood =
      this.#depth <= DEEPEST &&
      this.#eachHalf(from, to, (start, end) => {
        const select = readPlainSelect(this.#tokens, start, end, { nesting: this, around });
        if (select === undefined) return false;
        foreign.push(...select.foreign);
        // SQLite takes the first row where others complain of a second.
        if (select.read.limited || (asked === 'value' && !select.isOneRow)) this.#limited = true;
        this.#inner.push(asked === 'existence' && !select.read.aggregated ? withoutOutput(select.read) : select.read);
        return true;
      });
    this.#depth -= 1;
    return understood ? foreign : undefined;
  }

  /** `with [recursive] name [(columns)] as [[not] materialized] (query), …`; returns the index after them. */
  readCommonTableExpressions(from: number, to: number): number | undefined {
    const tokens = this.#tokens;
    const recursive = isWord(tokens, from + 1, 'recursive');
    let i = recursive ? from + 2 : from + 1;
    for (;;) {
      if (i >= to || !isIdentifier(tokenAt(tokens, i))) return undefined;
      const name = spellingOf(tokens, tokenAt(tokens, i));
      i += 1;
      if (tokenAt(tokens, i).kind === 'open') i = tokenAt(tokens, i).mate + 1;
      if (!isWord(tokens, i, 'as')) return undefined;
      i += 1;
      if (isWord(tokens, i, 'not')) i += 1;
      if (isWord(tokens, i, 'materialized')) i += 1;
      const body = tokenAt(tokens, i);
      if (body.kind !== 'open' || !isWord(tokens, i + 1, 'select')) return undefined;
      if (recursive) this.#commonTableExpressions.add(name);
      if (this.read(i + 1, body.mate, undefined, 'rows') === undefined) return undefined;
      this.#commonTableExpressions.add(name);
      i = body.mate + 1;
      if (tokenAt(tokens, i).kind !== 'comma') return i;
      i += 1;
    }
  }

  readOutermost(from: number, to: number): NestedRead | undefined {
    const selects: PlainRead[] = [];
    let isDerived = false;
    const understood = this.#eachHalf(from, to, (start, end) => {
      const select = readPlainSelect(this.#tokens, start, end, { nesting: this, around: undefined });
      if (select === undefined || select.foreign.length > 0) return false;
      selects.push(select.read);
      isDerived ||= select.isDerived;
      return true;
    });
    if (!understood) return undefined;
    const isUnion = selects.length > 1;
    const outer = isUnion ? undefined : selects[0];
    const inner = isUnion ? [...this.#inner, ...selects] : this.#inner;
    const tables = [...selects, ...this.#inner].flatMap(({ sources }) => sources.map(({ table }) => table));
    return {
      kind: 'read',
      shape: 'nested',
      tables: [...new Set(tables)],
      outer,
      inner,
      // Of what others select, and of a union, nobody knows which order is total.
      limited: this.#limited || ((isUnion || isDerived) && selects.some(({ limited }) => limited)),
      presumed: this.#presumed,
    };
  }

  /** Calls `half` for each SELECT between UNION, INTERSECT and EXCEPT; false as soon as one call returns false. */
  #eachHalf(from: number, to: number, half: (from: number, to: number) => boolean): boolean {
    const tokens = this.#tokens;
    let start = from;
    for (let i = from; i < to; i += 1) {
      const { kind, text, mate } = tokenAt(tokens, i);
      if (kind === 'open') i = mate;
      else if (kind === 'word' && SET_OPERATORS.has(text)) {
        if (!isWord(tokens, start, 'select') || !half(start, i)) return false;
        if (isWord(tokens, i + 1, 'all') || isWord(tokens, i + 1, 'distinct')) i += 1;
        start = i + 1;
      }
    }
    return isWord(tokens, start, 'select') && half(start, to);
  }
}

/** Whether there is a row does not depend on what it shows. */
const withoutOutput = (read: PlainRead): PlainRead => ({
  ...read,
  sources: read.sources.map((source) => ({ ...source, output: [], showsId: false, idProperty: undefined })),
});
