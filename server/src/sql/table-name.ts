import { tokenAt, type Tokens } from './tokens';

/**
 * The name of the table that the tokens from `from` to `last` spell, in lower case: with its schema, unless that is the
 * one every name without one means.
 */
export const tableName = (tokens: Tokens, from: number, last: number): string => {
  const name = tokenAt(tokens, last).text.toLowerCase();
  if (last === from || tokens.names === undefined) return name;
  const schema: string[] = [];
  for (let i = from; i < last; i += 2) schema.push(tokenAt(tokens, i).text.toLowerCase());
  return schema.join('.') === tokens.names.home ? name : `${schema.join('.')}.${name}`;
};
