import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import type { ResolvedKeys } from '../config/resolved-config';

type Query = Readonly<Record<string, unknown>>;

/** Parses a URL's query as this application does. */
export const parsedQuery = (ctx: Context, url: string): Query => {
  const request = Object.create(ctx.app.request) as Context['request'];
  request.req = { url } as Context['req'];
  return request.query;
};

/**
 * The parameters that tell requests apart: those selected, and those that the application's own middlewares have set.
 * What a middleware made of the query (a `populate` of its own, say) reaches the handler, so it has to count. What the
 * client sent, and is not selected, does neither.
 */
export const countedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Query => {
  const { query } = ctx;
  if (selection === true) return query;
  const isSelected = (name: string): boolean => selection !== false && selection.includes(name);
  const names = Object.keys(query);
  if (names.every(isSelected)) return query;
  const sent = parsedQuery(ctx, ctx.originalUrl);
  const isAsSent = (name: string): boolean => Object.hasOwn(sent, name) && isDeepStrictEqual(query[name], sent[name]);
  return Object.fromEntries(
    names.filter((name) => isSelected(name) || !isAsSent(name)).map((name) => [name, query[name]]),
  );
};
