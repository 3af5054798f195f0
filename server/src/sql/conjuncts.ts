import { type Names, resolveColumn, walkColumns } from './columns';
import type { SourceColumn } from './from-clause';
import type { Operand } from './statement';
import { isOperator, isWord, tokenAt, type Tokens } from './tokens';

/** One of the conditions that must all hold. */
export type Conjunct =
  | { readonly kind: 'key'; readonly on: SourceColumn; readonly values: readonly Operand[] }
  | { readonly kind: 'null' | 'not-null'; readonly on: SourceColumn }
  | { readonly kind: 'pair'; readonly on: SourceColumn; readonly other: SourceColumn }
  | { readonly kind: 'other'; readonly columns: readonly SourceColumn[] };

/** A placeholder or literal at `i`, and the index after it. */
export const operandAt = (tokens: Tokens, i: number): readonly [Operand, number] | undefined => {
  const token = tokenAt(tokens, i);
  switch (token.kind) {
    case 'placeholder':
      return tokens.bindingsCertain && token.binding >= 0 ? [{ binding: token.binding }, i + 1] : undefined;
    case 'number': {
      const value = Number(token.text);
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? [{ literal: value }, i + 1]
        : undefined;
    }
    case 'string': {
      // Prefixes and escapes make another value of it.
      const raw = tokens.sql.slice(token.start, token.end);
      return raw.startsWith("'") && !raw.includes('\\') ? [{ literal: token.text }, i + 1] : undefined;
    }
    case 'word':
      if (token.text === 'true') return [{ literal: true }, i + 1];
      return token.text === 'false' ? [{ literal: false }, i + 1] : undefined;
    case 'operator': {
      if (token.text !== '-' || tokenAt(tokens, i + 1).kind !== 'number') return undefined;
      const positive = operandAt(tokens, i + 1)?.[0];
      return positive !== undefined && 'literal' in positive
        ? [{ literal: -Number(positive.literal) }, i + 2]
        : undefined;
    }
    default:
      return undefined;
  }
};

/** The operands of `(?, ?, …)`, if it holds nothing else. */
const operandsIn = (tokens: Tokens, open: number): Operand[] | undefined => {
  const close = tokenAt(tokens, open).mate;
  const values: Operand[] = [];
  let i = open + 1;
  while (i < close) {
    const operand = operandAt(tokens, i);
    if (operand === undefined) return undefined;
    values.push(operand[0]);
    i = operand[1];
    if (i < close && tokenAt(tokens, i).kind !== 'comma') return undefined;
    i += 1;
  }
  return values;
};

/** The shapes that say exactly which rows they let through. */
const exactConjunct = (names: Names, from: number, to: number): Conjunct | undefined => {
  const { tokens } = names;
  const left = resolveColumn(names, from);
  if (left === undefined) {
    const operand = operandAt(tokens, from);
    if (operand === undefined || !isOperator(tokens, operand[1], '=')) return undefined;
    const right = resolveColumn(names, operand[1] + 1);
    return right?.next === to && right.certain ? { kind: 'key', on: right, values: [operand[0]] } : undefined;
  }
  if (!left.certain) return undefined;
  const after = left.next;
  if (isOperator(tokens, after, '=')) {
    const operand = operandAt(tokens, after + 1);
    if (operand !== undefined) return operand[1] === to ? { kind: 'key', on: left, values: [operand[0]] } : undefined;
    const right = resolveColumn(names, after + 1);
    return right?.next === to && right.certain && right.source !== left.source
      ? { kind: 'pair', on: left, other: right }
      : undefined;
  }
  if (isWord(tokens, after, 'in')) {
    if (tokenAt(tokens, after + 1).text !== '(' || tokenAt(tokens, after + 1).mate !== to - 1) return undefined;
    const values = operandsIn(tokens, after + 1);
    return values === undefined ? undefined : { kind: 'key', on: left, values };
  }
  if (isWord(tokens, after, 'is')) {
    if (isWord(tokens, after + 1, 'null') && after + 2 === to) return { kind: 'null', on: left };
    if (isWord(tokens, after + 1, 'not') && isWord(tokens, after + 2, 'null') && after + 3 === to) {
      return { kind: 'not-null', on: left };
    }
  }
  return undefined;
};

/** Where a range is to be cut at its own ANDs; `undefined` if it is no conjunction, such as when it holds an OR. */
const cutsOf = (tokens: Tokens, from: number, to: number): number[] | undefined => {
  const cuts: number[] = [];
  let betweens = 0;
  let cases = 0;
  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'open') i = token.mate;
    else if (token.kind === 'operator') {
      if (token.text === ':=' || (token.text === '||' && tokens.dialect === 'mysql')) return undefined;
    } else if (token.kind === 'word') {
      if (token.text === 'case') cases += 1;
      else if (token.text === 'end') {
        cases -= 1;
        if (cases < 0) return undefined;
      } else if (cases === 0) {
        if (token.text === 'or' || token.text === 'xor') return undefined;
        if (token.text === 'between') betweens += 1;
        else if (token.text === 'and') {
          if (betweens > 0) betweens -= 1;
          else cuts.push(i);
        }
      }
    }
  }
  return cases === 0 && betweens === 0 ? cuts : undefined;
};

/**
 * Takes a condition apart into what must hold for every row. What hangs on an OR, a NOT or a function comes out as
 * `other`, with all its columns. False where a column may have been missed.
 */
export const conjunctsOf = (names: Names, from: number, to: number, into: Conjunct[]): boolean => {
  const { tokens } = names;
  let start = from;
  let end = to;
  while (
    start < end &&
    tokenAt(tokens, start).text === '(' &&
    tokenAt(tokens, start).mate === end - 1 &&
    !isWord(tokens, start + 1, 'select')
  ) {
    start += 1;
    end -= 1;
  }
  if (start >= end) return false;
  // mysql2 makes conditions of an object bound here: `where ?`.
  if (tokens.dialect === 'mysql' && end === start + 1 && tokenAt(tokens, start).kind === 'placeholder') return false;

  const cuts = cutsOf(tokens, start, end);
  if (cuts !== undefined && cuts.length > 0) {
    let piece = start;
    for (const cut of cuts) {
      if (!conjunctsOf(names, piece, cut, into)) return false;
      piece = cut + 1;
    }
    return conjunctsOf(names, piece, end, into);
  }

  const exact = cuts === undefined ? undefined : exactConjunct(names, start, end);
  if (exact !== undefined) {
    into.push(exact);
    return true;
  }
  const columns: SourceColumn[] = [];
  if (!walkColumns(names, start, end, 'refuse', (column) => columns.push(column))) return false;
  into.push({ kind: 'other', columns });
  return true;
};
