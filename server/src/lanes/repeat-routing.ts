import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Layer, Matched, Router } from '../http/koa-router';

/** Paths remembered before the least recently asked for go. */
const MAX_PATHS = 1000;
const MAX_LENGTH = 200;

/** What Strapi's empty routers bring along; what somebody has put around one may do something. */
const doesNothing = (middleware: Middleware): boolean =>
  Function.prototype.toString.call(middleware) === '(_, next)=>next()';

/**
 * Strapi's router tries the pattern of every route of the application on every request, and then calls a dozen
 * middlewares that do nothing: a fifth of what a hit behind it costs. It finds the same again for the same path, as long
 * as no route is added.
 */
export const repeatRouting = ({ server }: Core.Strapi): void => {
  const router = server.router as unknown as Router | undefined;
  if (typeof router?.match !== 'function' || !Array.isArray(router.stack)) return;
  const { match } = router;
  const isPassed = (path: string, layer: Layer): boolean =>
    // What a pattern captures would stay among the parameters.
    layer.methods.length === 0 && layer.stack.every(doesNothing) && !layer.captures(path).some(Boolean);
  const known = new LRUCache<string, Matched>({ max: MAX_PATHS });
  let routes = router.stack.length;
  router.match = (path, method) => {
    if (routes !== router.stack.length) {
      known.clear();
      routes = router.stack.length;
    }
    const asked = `${method} ${path}`;
    let matched = known.get(asked);
    if (matched === undefined) {
      const found = match.call(router, path, method);
      matched = { ...found, pathAndMethod: found.pathAndMethod.filter((layer) => !isPassed(path, layer)) };
      if (asked.length <= MAX_LENGTH) known.set(asked, matched);
    }
    // Routers that are asked later add what they find to the list.
    return { ...matched, path: [...matched.path] };
  };
};
