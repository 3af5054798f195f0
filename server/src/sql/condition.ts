import { switchesIn } from './conjuncts';
import type { Condition } from './statement';
import { Survey } from './survey';
import {
  endOfName,
  findKeyword,
  isIdentifier,
  isKeyword,
  type Range,
  tableName,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

/**
 * The text of a range of tokens, with `?` for each placeholder, whose bindings are appended to `bindings`. `undefined`
 * if a binding is not known, or the text names a variable.
 */
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

/** The parts of an UPDATE or DELETE that say which rows it concerns. */
interface Concerned {
  /** The name of the table, in lower case, and the tokens that name it, with its alias. */
  readonly table: string;
  readonly target: Range;
  /** The sources that the statement joins to the table. The condition of the join is in `where`. */
  readonly beside: Range | undefined;
  readonly where: Range;
}

/** The condition that selects the rows; `undefined` if it depends on what is joined, or cannot be repeated. */
export const conditionOf = (tokens: Tokens, concerned: Concerned): Condition | undefined => {
  const own = concerned.beside === undefined ? concerned : ownRows(tokens, concerned.beside, concerned);
  if (own === undefined) return undefined;
  const bindings: number[] = [];
  const table = excerpt(tokens, own.target, bindings);
  const condition = excerpt(tokens, own.where, bindings);
  if (table === undefined || condition === undefined) return undefined;
  const asksOthers = new Survey(tokens, ...own.where).reads.size > 0;
  return { from: `${table} where ${condition}`, bindings, switches: switchesIn(tokens, own.where), asksOthers };
};

const FROM = setOf('from');
const WHERE = setOf('where');
const AFTER_WHERE = setOf('group having window order limit offset fetch for lock union intersect except minus qualify');

/**
 * Understands how Strapi renumbers join rows: it updates `T as a`, joined with `(select id, … from T where W) as b` by
 * `b.id = a.id`. Whatever else that query shows, the rows concerned are those of `T where W`. No other rows decide
 * which these are.
 */
const ownRows = (
  tokens: Tokens,
  [beside, besideEnd]: Range,
  { table, target, where }: Concerned,
): Pick<Concerned, 'target' | 'where'> | undefined => {
  const open = tokenAt(tokens, beside);
  const alias = open.mate + (isKeyword(tokens, open.mate + 1, 'as') ? 2 : 1);
  if (open.kind !== 'open' || alias !== besideEnd - 1 || !isIdentifier(tokenAt(tokens, alias))) return undefined;
  const [one, other] = [nameAt(tokens, target[1] - 1), nameAt(tokens, alias)];
  const [start, end] = where;
  const join = tokens.list.slice(start, end).map(({ text }) => text.toLowerCase());
  const joined = join.length === 7 ? join.join(' ') : '';
  if (one === other || ![`${one} . id = ${other} . id`, `${other} . id = ${one} . id`].includes(joined))
    return undefined;

  if (!isKeyword(tokens, beside + 1, 'select') || nameAt(tokens, beside + 2) !== 'id') return undefined;
  if (tokenAt(tokens, beside + 3).kind !== 'comma') return undefined;
  const from = findKeyword(tokens, beside + 4, open.mate, FROM);
  const own = findKeyword(tokens, from + 1, open.mate, WHERE);
  if (own >= open.mate || endOfName(tokens, from + 1) !== own - 1 || tableName(tokens, from + 1, own - 1) !== table)
    return undefined;
  if (findKeyword(tokens, own + 1, open.mate, AFTER_WHERE) < open.mate) return undefined;
  const condition: Range = [own + 1, open.mate];
  const survey = new Survey(tokens, ...condition);
  return survey.nested || survey.uncertain || survey.isUnknown || survey.functions.size + survey.reads.size > 0
    ? undefined
    : { target: [from + 1, own], where: condition };
};

const nameAt = (tokens: Tokens, index: number): string | undefined => {
  const token = tokenAt(tokens, index);
  return isIdentifier(token) ? token.text.toLowerCase() : undefined;
};
