import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { ServerResponse } from 'node:http';
import { exchangeOf } from '../http/exchange';
import { PLACED } from '../http/lazy-body';

/** Node's `_hasBody`, which its type definitions leave out: whether the response may have a body. */
type WithBody = ServerResponse & { _hasBody?: boolean };

/** Where Koa keeps the body, and whether a status or an empty body was set explicitly. Missing from Koa's types. */
type WithState = Context['response'] & {
  _body?: unknown;
  _explicitStatus?: boolean;
  _explicitNullBody?: boolean;
  [PLACED]?: unknown;
};

/** Notes a response's head as it is. Returns a function that restores it, for an attempt to answer that has failed. */
export const rememberHead = (response: ServerResponse): (() => void) => {
  // Each by its name, because the object that `getHeaders` makes is slow. Lists are copied, because Node appends values
  // to a list in place.
  const headers = response.getHeaderNames().map((name) => {
    const value = response.getHeader(name) ?? '';
    return [name, Array.isArray(value) ? [...value] : value] as const;
  });
  const { statusCode, statusMessage } = response;
  const hasBody = (response as WithBody)._hasBody;
  return () => {
    const names = new Set(headers.map(([name]) => name));
    for (const name of response.getHeaderNames()) if (!names.has(name)) response.removeHeader(name);
    for (const [name, value] of headers)
      if (String(response.getHeader(name)) !== String(value)) response.setHeader(name, value);
    response.statusCode = statusCode;
    response.statusMessage = statusMessage;
    if (hasBody !== undefined) (response as WithBody)._hasBody = hasBody;
  };
};

/** Notes what makes up an answer. Returns a function that restores it, and discards what a lane has left. */
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

/** Called with the error by which a lane has failed. The request is answered all the same. */
export type OnFault = (error: unknown) => void;

/** Maximum number of different faults that are logged as warnings. Any further ones are logged for debugging only. */
const MAX_FAULTS = 100;

/** Logs each fault once as a warning, and from then on at the level `debug`. */
export const faultLog = ({ log }: Core.Strapi): OnFault => {
  const logged = new Set<string>();
  return (error) => {
    const fault = String(error);
    const isNew = logged.size < MAX_FAULTS && !logged.has(fault);
    if (isNew) logged.add(fault);
    log[isNew ? 'warn' : 'debug'](`[rest-cache] the cache failed on a request, which Strapi answers: ${fault}`);
  };
};

/** Runs a step that the answer does not depend on. An error is reported, not thrown; the result is then `undefined`. */
export const ifPossible = <T>(step: () => T, onFault: OnFault): T | undefined => {
  try {
    return step();
  } catch (error) {
    onFault(error);
    return undefined;
  }
};

/** Like {@link ifPossible}, for a step that changes the answer: if the step fails, everything is restored as it was. */
export const orAsItWas = (ctx: Context, step: () => void, onFault: OnFault): void => {
  const undo = rememberAnswer(ctx);
  try {
    step();
  } catch (error) {
    onFault(error);
    undo();
  }
};

/**
 * Lets a lane answer, or add to the origin's answer. If the lane itself fails, the origin's answer is sent. The origin
 * is called once at most: by the lane, or after the lane has failed. What the origin throws is thrown here.
 *
 * @param attempt the lane's work. It is given the origin.
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
