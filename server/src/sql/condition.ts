import type { Condition } from './statement';
import { Survey } from './survey';
import { findWord, isIdentifier, isOperator, isWord, tokenAt, type Tokens } from './tokens';

/** A run of tokens, the second index excluded. */
export type Range = readonly [from: number, to: number];

/** The text of some tokens with `?` for each placeholder, and the bindings these take; undefined if one is unknown. */
const excerpt = (tokens: Tokens, [from, to]: Range, bindings: number[]): string | undefined => {
  if (!tokens.bindingsCertain) return undefined;
  let text = '';
  let copied = tokenAt(tokens, from).start;
  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'variable') return undefined;
    if (token.kind !== 'placeholder') continue;
    if (token.binding < 0) return undefined;
    bindings.push(token.binding);
    text += `${tokens.sql.slice(copied, token.start)}?`;
    copied = token.end;
  }
  return text + tokens.sql.slice(copied, tokenAt(tokens, to - 1).end);
};

/**
 * What selects the rows an UPDATE or DELETE concerns. `others` are the tables beside the target: in an EXISTS, so that
 * each row of the target comes once and alone.
 */
export const conditionOf = (
  tokens: Tokens,
  target: Range,
  others: Range | undefined,
  where: Range,
): Condition | undefined => {
  const bindings: number[] = [];
  const table = excerpt(tokens, target, bindings);
  if (others === undefined) {
    const condition = excerpt(tokens, where, bindings);
    return table === undefined || condition === undefined
      ? undefined
      : { from: `${table} where ${condition}`, bindings, asksOthers: new Survey(tokens, ...where).reads.size > 0 };
  }
  const beside = excerpt(tokens, others, bindings);
  const condition = excerpt(tokens, where, bindings);
  if (table === undefined || beside === undefined || condition === undefined) return undefined;
  return { from: `${table} where exists (select 1 from ${beside} where ${condition})`, bindings, asksOthers: true };
};

/** The rows of one table under a condition that asks no others. */
interface OwnRows {
  readonly target: Range;
  readonly where: Range;
}

const AFTER_WHERE: ReadonlySet<string> = new Set(
  'group having window order limit offset fetch for lock union intersect except minus qualify'.split(' '),
);

/**
 * `T as a` updated beside `(select id, … from T where W) as b` with `b.id = a.id`, which is how Strapi numbers join rows
 * anew. Whatever else that query shows, the rows concerned are those of `T where W`: nobody else's decide.
 *
 * @param table the name of T, in lower case.
 */
export const ownRows = (
  tokens: Tokens,
  table: string,
  target: Range,
  [beside, besideEnd]: Range,
  where: Range,
): OwnRows | undefined => {
  const open = tokenAt(tokens, beside);
  const alias = open.mate + (isWord(tokens, open.mate + 1, 'as') ? 2 : 1);
  if (open.kind !== 'open' || alias !== besideEnd - 1 || !isIdentifier(tokenAt(tokens, alias))) return undefined;
  if (!isJoinById(tokens, [nameAt(tokens, target[1] - 1), nameAt(tokens, alias)], where)) return undefined;

  if (!isWord(tokens, beside + 1, 'select') || nameAt(tokens, beside + 2) !== 'id') return undefined;
  if (tokenAt(tokens, beside + 3).kind !== 'comma') return undefined;
  const from = findWord(tokens, beside + 4, open.mate, (word) => word === 'from');
  const start = findWord(tokens, from + 1, open.mate, (word) => word === 'where');
  // A schema may stand before the name, nothing after it.
  if (start >= open.mate || nameAt(tokens, start - 1) !== table) return undefined;
  if (start - from !== 2 && !(start - from === 4 && tokenAt(tokens, from + 2).kind === 'dot')) return undefined;
  if (findWord(tokens, start + 1, open.mate, (word) => AFTER_WHERE.has(word)) < open.mate) return undefined;
  const condition: Range = [start + 1, open.mate];
  const survey = new Survey(tokens, ...condition);
  return survey.nested || survey.doubtful || survey.unknown || survey.reads.size > 0
    ? undefined
    : { target: [from + 1, start], where: condition };
};

const nameAt = (tokens: Tokens, index: number): string | undefined => {
  const token = tokenAt(tokens, index);
  return isIdentifier(token) ? token.text.toLowerCase() : undefined;
};

/** `one.id = other.id`, either way round, and nothing more. */
const isJoinById = (
  tokens: Tokens,
  [one, other]: readonly [string | undefined, string | undefined],
  [from, to]: Range,
): boolean => {
  if (to - from !== 7 || !isOperator(tokens, from + 3, '=')) return false;
  for (const start of [from, from + 4]) {
    if (tokenAt(tokens, start + 1).kind !== 'dot' || nameAt(tokens, start + 2) !== 'id') return false;
  }
  const [left, right] = [nameAt(tokens, from), nameAt(tokens, from + 4)];
  return one !== other && ((left === one && right === other) || (left === other && right === one));
};
