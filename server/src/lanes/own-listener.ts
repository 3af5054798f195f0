import type { RequestListener, Server } from 'node:http';

/**
 * Strapi's own listener, where the server has no other: whoever adds one wants to see every request, and whoever puts
 * one in Strapi's place may decide which of them Strapi gets.
 */
export const soleListener = (server: Server): RequestListener | undefined => {
  const [listener, ...others] = server.listeners('request') as RequestListener[];
  if (listener === undefined || others.length > 0) return undefined;
  return Function.prototype.toString.call(listener).includes('koaApp.callback()') ? listener : undefined;
};

/** Whether nobody has added or replaced a listener since. */
export const isSoleListener = (server: Server, listener: RequestListener): boolean => {
  const listeners = server.listeners('request');
  return listeners.length === 1 && listeners[0] === listener;
};
