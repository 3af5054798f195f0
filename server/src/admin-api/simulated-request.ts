import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';

/** The part of a router's entry that tells which pattern it is for. */
interface Layer {
  readonly path: string;
  readonly methods: readonly string[];
}

/** Koa-router's, whose types Strapi does not bring along. */
interface Router {
  match(path: string, method: string): Record<'path' | 'pathAndMethod', Layer[]>;
}

export interface SimulatedRequest {
  readonly ctx: Context;
  /** Patterns of the routes that match, in the order in which they are tried. */
  readonly patterns: readonly string[];
}

/**
 * A GET request as it would stand before its route, made of Strapi's own Koa application and router so that query and
 * parameters are read as for a real one. Nothing is executed and no connection is open.
 *
 * @param target path and query, as in a request line.
 */
export const simulateRequest = (
  strapi: Core.Strapi,
  target: string,
  headers: Readonly<Record<string, string>>,
): SimulatedRequest => {
  const message = new IncomingMessage(new Socket());
  message.method = 'GET';
  message.url = target;
  for (const [name, value] of Object.entries(headers)) message.headers[name.toLowerCase()] = value;
  const { app } = strapi.server;
  const router = strapi.server.router as unknown as Router;
  const ctx = app.createContext(message, new ServerResponse(message)) as unknown as Context;
  const { path, pathAndMethod } = router.match(ctx.path, 'GET');
  Object.assign(ctx, { matched: path });
  return { ctx, patterns: pathAndMethod.filter(({ methods }) => methods.length > 0).map((layer) => layer.path) };
};

/** Chooses the route the request is for, as the router does when it calls it. */
export const chooseRoute = (ctx: Context, pattern: string): void => {
  Object.assign(ctx, { routerPath: pattern });
};
