import type { Context } from 'koa';

/** The router's entry for a route, as @koa/router keeps it. */
export interface MatchedLayer {
  readonly path: string;
  readonly regexp: RegExp;
  readonly paramNames: ReadonlyArray<{ readonly name: string | number }>;
}

/** What the router has left on the context. */
type RoutedContext = Context & {
  readonly matched?: readonly MatchedLayer[];
  readonly routerPath?: string;
  readonly params?: Readonly<Record<string, string>>;
};

/** The entry whose handlers are running: others may have matched as well, such as that for public files. */
export const matchedLayer = (ctx: Context): MatchedLayer | undefined => {
  const { matched, routerPath } = ctx as RoutedContext;
  return matched?.find(({ path }) => path === routerPath);
};

/** The parameters of the running route, decoded, under the names given (in order) or its own. */
export const matchedParams = (ctx: Context, names: readonly string[] | undefined): Record<string, string> => {
  const { params = {} } = ctx as RoutedContext;
  const matched: Record<string, string> = {};
  for (const [index, { name }] of (matchedLayer(ctx)?.paramNames ?? []).entries()) {
    const value = params[name];
    if (value !== undefined) matched[names?.[index] ?? String(name)] = value;
  }
  return matched;
};
