import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';

type Methods = Readonly<Record<string, unknown>>;

/**
 * Whether what answers is Strapi's own code for a content type's routes: a controller and a service made by Strapi's
 * factories of which the application has replaced nothing, whatever it has added.
 */
export const isStrapisOwnAction = (strapi: Core.Strapi, { state }: Context): boolean => {
  const { handler } = (state as { route?: { handler?: unknown } }).route ?? {};
  if (typeof handler !== 'string' || !handler.startsWith('api::')) return false;
  const end = handler.lastIndexOf('.');
  const [uid, action] = [handler.slice(0, end), handler.slice(end + 1)];
  const { controllers, services } = strapi as unknown as Record<'controllers' | 'services', Methods>;
  return isAsMade(controllers[uid], action, 'sanitizeOutput') && isAsMade(services[uid], action, 'getFetchParams');
};

/** @param known a method that those of Strapi's factories inherit. */
const isAsMade = (made: unknown, action: string, known: string): boolean => {
  if (typeof made !== 'object' || made === null) return false;
  const base = Object.getPrototypeOf(made) as Methods | null;
  if (base === null || typeof base[known] !== 'function' || Object.hasOwn(base, known)) return false;
  const isReplaced = (name: string): boolean => name in base && (made as Methods)[name] !== base[name];
  return action in base && !Object.keys(made).some(isReplaced);
};
