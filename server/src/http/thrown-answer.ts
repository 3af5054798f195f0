import { errors } from '@strapi/utils';
import type { Context } from 'koa';

/** What a handler has thrown, where an equal error can be made of what is stored. */
export interface ThrownAnswer {
  readonly error: unknown;
  readonly status: number;
  readonly description: string;
}

/** What Strapi shows of an error, and where it comes from: Strapi's own `NotFoundError`, or Koa's `ctx.throw`. */
interface Description {
  readonly from: 'strapi' | 'koa';
  readonly status: number;
  readonly message: string;
  readonly details?: unknown;
}

/**
 * A thrown error as an answer that may be kept; `undefined` for any that would not be the same when it is thrown again,
 * such as one of a class of the application's own.
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
  const description = JSON.stringify(described);
  return isSame(error, errorAgain(ctx, description)) ? { error, status: described.status, description } : undefined;
};

/** @param description of a {@link ThrownAnswer}. */
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

/** All that it has beside its message and its trace. */
const asText = (error: Error): string => JSON.stringify(Object.entries(error).sort());
