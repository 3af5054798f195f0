import type { Core } from '@strapi/strapi';
import { LRUCache } from 'lru-cache';
import type { Layer, Matched, Router } from '../http/koa-router';
import { doesNothing } from '../stack/middleware-stack';

/** Maximum number of paths. Beyond it, the least recently used are dropped. */
const MAX_PATHS = 1000;
const MAX_LENGTH = 200;

/**
 * Remembers what Strapi's router finds for a path, as long as no route is added. Without this, the router tries the
 * pattern of every route of the application on every request, and then calls a dozen middlewares that do nothing, which
 * is a fifth of the time of a hit behind it.
 */
export const repeatRouting = ({ server }: Core.Strapi): void => {
  const router = server.router as unknown as Router | undefined;
  if (typeof router?.match !== 'function' || !Array.isArray(router.stack)) return;
  const { match } = router;
  const isPassed = (path: string, layer: Layer): boolean =>
    // A layer whose pattern captures something is kept, because its captures stay among the parameters.
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
    // The list is copied, because routers that are asked later add to it what they find.
    return { ...matched, path: [...matched.path] };
  };
};
