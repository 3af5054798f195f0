import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { ServerResponse } from 'node:http';
import { exchangeOf } from '../http/exchange';
import { PLACED } from '../http/lazy-body';

/** Of which Node says in `_hasBody` whether it may have one; missing from its type definitions. */
type WithBody = ServerResponse & { _hasBody?: boolean };

/** Where Koa keeps a body, and whether somebody has chosen the status; not in its types. */
type WithState = Context['response'] & {
  _body?: unknown;
  _explicitStatus?: boolean;
  _explicitNullBody?: boolean;
  [PLACED]?: unknown;
};

/** Notes a response's head as it is, to be put back after an attempt to answer that has failed. */
export const rememberHead = (response: ServerResponse): (() => void) => {
  const headers = response.getHeaders();
  // Node appends to a list of values where it stands.
  for (const name in headers) if (Array.isArray(headers[name])) headers[name] = [...headers[name]];
  const { statusCode, statusMessage } = response;
  const hasBody = (response as WithBody)._hasBody;
  return () => {
    for (const name of response.getHeaderNames()) if (!(name in headers)) response.removeHeader(name);
    for (const [name, value = ''] of Object.entries(headers))
      if (String(response.getHeader(name)) !== String(value)) response.setHeader(name, value);
    response.statusCode = statusCode;
    response.statusMessage = statusMessage;
    if (hasBody !== undefined) (response as WithBody)._hasBody = hasBody;
  };
};

/** The same for everything that is an answer on a context. */
const rememberAnswer = (ctx: Context): (() => void) => {
  const response = ctx.response as WithState;
  const { _body, _explicitStatus, _explicitNullBody, [PLACED]: placed } = response;
  const restoreHead = rememberHead(ctx.res);
  return () => {
    exchangeOf(ctx).takeBack();
    if (ctx.headerSent) return;
    Object.assign(response, { _body, _explicitStatus, _explicitNullBody, [PLACED]: placed });
    restoreHead();
  };
};

/** Told of what a lane failed by; the request is answered all the same. */
export type OnFault = (error: unknown) => void;

/** Told of before all others are taken for more of the same. */
const MAX_FAULTS = 100;

/** Each fault is told once, and then to those who look closely. */
export const faultLog = ({ log }: Core.Strapi): OnFault => {
  const told = new Set<string>();
  return (error) => {
    const fault = String(error);
    const isNew = told.size < MAX_FAULTS && !told.has(fault);
    told.add(fault);
    log[isNew ? 'warn' : 'debug'](`[rest-cache] failed at a request, which is answered without: ${fault}`);
  };
};

/** Does something about an answer that stands, whether or not that can be done. */
export const ifPossible = (step: () => void, onFault: OnFault): boolean => {
  try {
    step();
    return true;
  } catch (error) {
    onFault(error);
    return false;
  }
};

/** The same with something that is not to be done by half. */
export const orAsItWas = (ctx: Context, step: () => void, onFault: OnFault): boolean => {
  const undo = rememberAnswer(ctx);
  const isDone = ifPossible(step, onFault);
  if (!isDone) undo();
  return isDone;
};

/**
 * Lets a lane answer, or do more than the origin does. Where it fails by itself, the origin's answer is what is sent:
 * asked now, if the lane had not come to that, and once in any case. What the origin throws is the origin's.
 *
 * @param attempt is given the origin.
 */
export const orTheOrigin = async (
  ctx: Context,
  next: Next,
  attempt: (origin: Next) => Promise<void>,
  onFault: OnFault,
): Promise<void> => {
  let undo = rememberAnswer(ctx);
  let asked: Promise<unknown> | undefined;
  const ask = async (): Promise<unknown> => {
    const answer: unknown = await next();
    undo = rememberAnswer(ctx);
    return answer;
  };
  const origin = (): Promise<unknown> => (asked ??= ask());
  try {
    await attempt(origin);
  } catch (error) {
    await asked;
    onFault(error);
    undo();
    if (asked === undefined) await next();
  }
};
