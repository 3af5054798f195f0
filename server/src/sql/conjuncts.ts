import { columnsIn, type Names, resolveColumn } from './columns';
import type { SourceColumn } from './from-clause';
import type { Operand } from './statement';
import { isOperator, isKeyword, itemsOf, nextAtLevel, opens, type Range, tokenAt, type Tokens } from './tokens';

/** One of the conditions that must all hold, and the columns it is about. */
export type Conjunct =
  | { readonly kind: 'key'; readonly columns: readonly [SourceColumn]; readonly values: readonly Operand[] }
  | { readonly kind: 'null' | 'not-null'; readonly columns: readonly [SourceColumn] }
  | { readonly kind: 'pair'; readonly columns: readonly [SourceColumn, SourceColumn] }
  | { readonly kind: 'other'; readonly columns: readonly SourceColumn[] };

/** The placeholder or literal that a range consists of; `undefined` for anything else. */
export const operandIn = (tokens: Tokens, from: number, to: number): Operand | undefined => {
  const token = tokenAt(tokens, from);
  if (to === from + 2 && isOperator(tokens, from, '-') && tokenAt(tokens, from + 1).kind === 'number') {
    const positive = operandIn(tokens, from + 1, to);
    return positive && 'literal' in positive ? { literal: -Number(positive.literal) } : undefined;
  }
  if (to !== from + 1) return undefined;
  switch (token.kind) {
    case 'placeholder':
      return tokens.bindingsCertain && token.binding >= 0 ? { binding: token.binding } : undefined;
    case 'number':
      // MySQL takes 0x61 for a text.
      if (/^0[a-z]/.test(token.text.toLowerCase())) return undefined;
      return Math.abs(Number(token.text)) <= Number.MAX_SAFE_INTEGER ? { literal: Number(token.text) } : undefined;
    case 'string': {
      // A prefix or an escape makes it another value.
      const raw = tokens.sql.slice(token.start, token.end);
      return raw.startsWith("'") && !raw.includes('\\') ? { literal: token.text } : undefined;
    }
    case 'word':
      return token.text === 'true' || token.text === 'false' ? { literal: token.text === 'true' } : undefined;
    default:
      return undefined;
  }
};

/** The operands of `(?, ?, …)`, if it holds nothing else. */
const operandsIn = (tokens: Tokens, open: number): readonly Operand[] | undefined => {
  const values = itemsOf(tokens, open + 1, tokenAt(tokens, open).mate).map((item) => operandIn(tokens, ...item));
  return values.every((value) => value !== undefined) ? values : undefined;
};

/** Reads `column = ?` and `column = column`. */
const equation = (names: Names, left: Range, right: Range): Conjunct | undefined => {
  const [one, other] = [left, right].map(([from, to]) => {
    const column = resolveColumn(names, from);
    return column?.next === to && column.certain ? column : operandIn(names.tokens, from, to);
  });
  if (one === undefined || other === undefined) return undefined;
  if (!('source' in one)) return 'source' in other ? { kind: 'key', columns: [other], values: [one] } : undefined;
  if (!('source' in other)) return { kind: 'key', columns: [one], values: [other] };
  return one.source === other.source ? undefined : { kind: 'pair', columns: [one, other] };
};

/** Reads the conditions that say exactly which rows satisfy them: `=`, `in (…)`, `is null`, `is not null`. */
const exactConjunct = (names: Names, from: number, to: number): Conjunct | undefined => {
  const { tokens } = names;
  let equals = from;
  while (equals < to && !isOperator(tokens, equals, '=')) equals = nextAtLevel(tokens, equals);
  if (equals < to) return equation(names, [from, equals], [equals + 1, to]);

  const column = resolveColumn(names, from);
  if (column?.certain !== true) return undefined;
  const { next } = column;
  if (isKeyword(tokens, next, 'in') && opens(tokens, next + 1) && tokenAt(tokens, next + 1).mate === to - 1) {
    const values = operandsIn(tokens, next + 1);
    return values && { kind: 'key', columns: [column], values };
  }
  if (!isKeyword(tokens, next, 'is') || !isKeyword(tokens, to - 1, 'null')) return undefined;
  if (to === next + 2) return { kind: 'null', columns: [column] };
  return to === next + 3 && isKeyword(tokens, next + 1, 'not') ? { kind: 'not-null', columns: [column] } : undefined;
};

/**
 * The parts of a range between its top-level ANDs; `undefined` if it is no conjunction, for example because of an OR or XOR.
 */
const partsOf = (tokens: Tokens, from: number, to: number): readonly Range[] | undefined => {
  const parts: Range[] = [];
  let start = from;
  let betweens = 0;
  for (let i = from; i < to; i = nextAtLevel(tokens, i)) {
    if (isOperator(tokens, i, ':=') || (isOperator(tokens, i, '||') && tokens.dialect === 'mysql')) return undefined;
    if (isKeyword(tokens, i, 'or') || isKeyword(tokens, i, 'xor')) return undefined;
    if (isKeyword(tokens, i, 'between')) betweens += 1;
    else if (isKeyword(tokens, i, 'and') && betweens > 0) betweens -= 1;
    else if (isKeyword(tokens, i, 'and')) {
      parts.push([start, i]);
      start = i + 1;
    }
  }
  return betweens === 0 ? [...parts, [start, to]] : undefined;
};

/** The range without brackets that enclose all of it. */
const unwrapped = (tokens: Tokens, [from, to]: Range): Range =>
  opens(tokens, from) && tokenAt(tokens, from).mate === to - 1 && !isKeyword(tokens, from + 1, 'select')
    ? unwrapped(tokens, [from + 1, to - 1])
    : [from, to];

/** The bindings of the conjuncts `1 = ?` of a condition. */
export const switchesIn = (tokens: Tokens, [from, to]: Range): readonly number[] => {
  const [start, end] = unwrapped(tokens, [from, to]);
  const parts = partsOf(tokens, start, end) ?? [];
  if (parts.length > 1) return parts.flatMap((part) => switchesIn(tokens, part));
  const { kind, binding } = tokenAt(tokens, start + 2);
  const isSwitch =
    end === start + 3 &&
    tokenAt(tokens, start).text === '1' &&
    isOperator(tokens, start + 1, '=') &&
    kind === 'placeholder';
  return isSwitch && tokenAt(tokens, start).kind === 'number' && binding >= 0 ? [binding] : [];
};

/**
 * Splits a condition into the conjuncts that must hold for every row, and appends them to `into`. A conjunct with an
 * OR, a NOT or a function becomes `other`, with all its columns.
 *
 * @returns false if a column may have been missed.
 */
export const conjunctsOf = (names: Names, from: number, to: number, into: Conjunct[]): boolean => {
  const { tokens } = names;
  const [start, end] = unwrapped(tokens, [from, to]);
  if (start >= end) return false;
  // If an object is bound to `where ?`, mysql2 makes conditions of it.
  if (tokens.dialect === 'mysql' && end === start + 1 && tokenAt(tokens, start).kind === 'placeholder') return false;

  const parts = partsOf(tokens, start, end);
  if (parts !== undefined && parts.length > 1) return parts.every((part) => conjunctsOf(names, ...part, into));

  const exact = parts && exactConjunct(names, start, end);
  const columns = exact?.columns ?? columnsIn(names, start, end);
  if (columns !== undefined) into.push(exact ?? { kind: 'other', columns });
  return columns !== undefined;
};
