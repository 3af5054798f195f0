import type { Condition } from './statement';
import { Survey } from './survey';
import { tokenAt, type Tokens } from './tokens';

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
