import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa, { type Context } from 'koa';

const koa = new Koa();

/** A real Koa context for a request that was never sent. */
export const koaContext = (target = '/', headers: Readonly<Record<string, string>> = {}, method = 'GET'): Context => {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  message.url = target;
  for (const [name, value] of Object.entries(headers)) message.headers[name.toLowerCase()] = value;
  return koa.createContext(message, new ServerResponse(message));
};
