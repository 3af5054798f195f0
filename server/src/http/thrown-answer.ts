import { errors } from '@strapi/utils';
import type { Context } from 'koa';
import type { Reason } from '../cache/response-cache';
import { asJson } from './lazy-body';

/** Whether a status tells of the moment, not of what was asked for: the server's failures and too many requests. */
export const isPassingStatus = (status: number): boolean => status >= 500 || status === 429;

/** An error that a handler has thrown, if an equal error can be made from its stored description. */
export interface ThrownAnswer {
  readonly error: unknown;
  readonly status: number;
  readonly description: string;
}

/** What Strapi sends of an error, and what made the error: Strapi's own `NotFoundError`, or Koa's `ctx.throw`. */
interface Description {
  readonly from: 'strapi' | 'koa';
  readonly status: number;
  readonly message: string;
  readonly details?: unknown;
}

/**
 * A thrown error as a response that may be stored; `undefined` for an error that would not be the same when it is made
 * again, such as one of a class of the application's own.
 */
export const thrownAnswer = (ctx: Context, error: unknown): ThrownAnswer | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { status, details } = error as { readonly status?: unknown; readonly details?: unknown };
  const { message } = error;
  const described: Description | undefined =
    error instanceof errors.NotFoundError
      ? { from: 'strapi', status: 404, message, details }
      : typeof status === 'number'
        ? { from: 'koa', status, message, details }
        : undefined;
  if (described === undefined) return undefined;
  const description = asJson(described);
  if (description === undefined) return undefined;
  return isSame(error, errorAgain(ctx, description)) ? { error, status: described.status, description } : undefined;
};

/** Makes the error again from the description of a {@link ThrownAnswer}. */
export const errorAgain = (ctx: Context, description: string): unknown => {
  const { from, status, message, details } = JSON.parse(description) as Description;
  if (from === 'strapi') return new errors.NotFoundError(message, details as object);
  try {
    return ctx.throw(status, message, details === undefined ? {} : { details });
  } catch (error) {
    return error;
  }
};

const isSame = (error: Error, again: unknown): boolean =>
  again instanceof Error &&
  again.constructor === error.constructor &&
  again.name === error.name &&
  again.message === error.message &&
  asText(again) === asText(error);

/** The error's properties other than its message and its stack trace. */
const asText = (error: Error): string | undefined => asJson(Object.entries(error).sort());

/**
 * Why an answer that was thrown is not stored. Gives the name and status of the error, not its message, which may
 * contain what a visitor wrote.
 */
export const thrownReason = (error: unknown): Reason => {
  const { name, status } = (error ?? {}) as { readonly name?: unknown; readonly status?: unknown };
  const what = typeof name === 'string' && name !== '' ? name : 'Error';
  const about = `${what}${typeof status === 'number' ? ` (${status})` : ''}`;
  return {
    code: 'thrown',
    detail: `throws ${about}`,
    about,
    isPassing: isPassingStatus(statusOfError(error, status)) || undefined,
  };
};

/** The status that Strapi gives an error, as far as it matters whether the answer is of the moment. */
const statusOfError = (error: unknown, status: unknown): number => {
  if (typeof status === 'number') return status;
  if (error instanceof errors.RateLimitError || error instanceof errors.NotImplementedError) return 503;
  return error instanceof errors.ApplicationError ? 400 : 500;
};
