import type { Middleware } from 'koa';

/** A route or middleware of @koa/router, whose types Strapi does not bring along. */
export interface Layer {
  readonly path: string;
  readonly methods: readonly string[];
  readonly regexp: RegExp;
  readonly paramNames: ReadonlyArray<{ readonly name: string | number }>;
  stack: Middleware[];
  captures(path: string): ReadonlyArray<string | undefined>;
}

/** What the router finds for a path and a method. */
export interface Matched {
  readonly path: readonly Layer[];
  readonly pathAndMethod: readonly Layer[];
  readonly route: boolean;
}

export interface Router {
  readonly stack: readonly Layer[];
  match(path: string, method: string): Matched;
}
