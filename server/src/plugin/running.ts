import type { Core } from '@strapi/strapi';
import type { RestCache } from './rest-cache';

const running = new WeakMap<Core.Strapi, RestCache>();

/** Makes the plugin of this application known to its controllers, services and middlewares. */
export const setRunning = (strapi: Core.Strapi, restCache: RestCache): void => {
  running.set(strapi, restCache);
};

/** The plugin of this application; `undefined` before its content types are ready. */
export const findRunning = (strapi: Core.Strapi): RestCache | undefined => running.get(strapi);

/** @throws Error before the application's content types are ready. */
export const getRunning = (strapi: Core.Strapi): RestCache => {
  const restCache = running.get(strapi);
  if (restCache === undefined) throw new Error('rest-cache is not ready: Strapi has not loaded its content types yet');
  return restCache;
};
