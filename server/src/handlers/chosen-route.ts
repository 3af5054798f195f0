import type { Context } from 'koa';

export interface RouteConfig {
  readonly auth?: unknown;
}

interface ChosenRoute {
  readonly handler?: unknown;
  readonly config?: RouteConfig;
  readonly info?: { readonly apiName?: string; readonly pluginName?: string };
}

/** The route that Strapi has chosen, even if it has refused the caller there. */
export const routeOf = ({ state }: Context): ChosenRoute | undefined => (state as { route?: ChosenRoute }).route;
