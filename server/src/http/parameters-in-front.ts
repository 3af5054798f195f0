import type { Context } from 'koa';
import type { ResolvedKeys } from '../config/resolved-config';
import { parsedQuery } from './counted-parameters';
import { watchedValues } from './watched-values';

/** Where Strapi keeps what it has made of a query string; not in Koa's types. */
type Request = Context['request'] & { _querycache?: Record<string, object | undefined> };

/** Names of parameters that were there and were read, each with who read it first. */
const noted = new WeakMap<Context, Map<string, string>>();

/**
 * Notes which parameters of `ctx.query` are read from here on. (What is read of the URL by hand is not noticed.)
 *
 * @returns ends it; whoever still holds the query goes on being noted.
 */
export const noteParameters = (ctx: Context, where: string): (() => void) => {
  const request = ctx.request as Request;
  const { querystring, query } = request;
  const { _querycache: cache } = request;
  if (querystring === '' || cache?.[querystring] !== query) return () => undefined;
  const names = noted.get(ctx) ?? new Map<string, string>();
  noted.set(ctx, names);
  const note = (name: string | symbol): void => {
    if (typeof name === 'string' && Object.hasOwn(query, name) && !names.has(name)) names.set(name, where);
  };
  const shown = watchedValues(
    () => query,
    false,
    note,
    () => Object.keys(query).forEach(note),
  );
  cache[querystring] = shown;
  return () => {
    if (cache[querystring] === shown) cache[querystring] = query;
  };
};

/**
 * What was read in front of the handler although it does not count for the key, as a sentence: who is given this answer
 * may not have sent it, and it is hidden from the handler alone.
 */
export const uncountedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): string | undefined => {
  const names = noted.get(ctx);
  if (selection === true || names === undefined) return undefined;
  const sent = parsedQuery(ctx, ctx.originalUrl);
  for (const [name, where] of names)
    if (!(selection !== false && selection.includes(name)) && Object.hasOwn(sent, name))
      return `reads the parameter ${name} (in ${where}), not in keys.useQueryParams`;
  return undefined;
};
