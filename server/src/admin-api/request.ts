import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context } from 'koa';
import { z } from 'zod';
import { said, type Sentence } from '../cache/sentence';
import { describeValue } from '../config/configuration-error';
import { getRunning, type RestCache } from '../plugin/rest-cache';
import { StoreAway } from './store-away';

/** Limits for the errors reported to a caller, so that the response does not become longer than the request. */
const MAX_ISSUES = 10;
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 300;

/** Text that a URL can hold: of limited length, and without lone surrogates, which have no encoding. */
export const encodable = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((written) => !/\p{Cs}/u.test(written), 'Expected text without lone surrogates');

/** Text that goes into a database query or into a log: without control characters as well. */
export const text = (longest: number) =>
  encodable(longest).refine((written) => !/[\u0000-\u001f\u007f]/.test(written), 'Expected no control characters');

/** An error about what the caller sent, to be thrown: the controller answers it with status 400. */
export const badRequest = (sentence: Sentence): Error => new errors.ValidationError(sentence.text, { sentence });

/**
 * Reads what a caller sent.
 *
 * @param form one sentence that says what was expected.
 * @throws an error that is answered with status 400 and a list of what is wrong.
 */
export const parseRequest = <Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  form: string,
): z.output<Schema> => {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw new errors.ValidationError(form, {
    errors: parsed.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
      path: path.map((name) => String(name).slice(0, MAX_NAME_LENGTH)),
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      name: 'ValidationError',
    })),
  });
};

/** Whether a body, which may be anything, has a field of this name. */
export const has = (body: unknown, name: string): boolean => typeof body === 'object' && body !== null && name in body;

/** Koa's context with what Strapi and its router add. */
export type ApiContext = Context & { readonly params: unknown; notFound(message?: string): void };

/**
 * The body of a purge.
 *
 * @throws an error that is answered with status 400 when the URL has query parameters: they would not narrow the purge.
 */
export const bodyAlone = ({ query, request }: ApiContext): unknown => {
  const [name] = Object.keys(query);
  if (name === undefined) return request.body;
  throw badRequest(
    said(
      'purge-query',
    )`A purge takes no query parameters, but the URL has ${describeValue(name)}. Put what to purge into
      the body`,
  );
};

/** Returns the body of the response; `undefined` if it has answered through `ctx`. */
type Action = (restCache: RestCache, ctx: ApiContext) => unknown;

/**
 * Makes a Strapi controller of these actions. It answers {@link badRequest} and {@link StoreAway} itself, in Strapi's
 * format. Strapi does not know `StoreAway`, and would answer the error of `badRequest` with status 500 if the plugin
 * has another copy of @strapi/utils than Strapi, because it recognises its errors by `instanceof`.
 */
export const controller =
  <Name extends string>(actions: Record<Name, Action>) =>
  ({ strapi }: { strapi: Core.Strapi }): Record<Name, (ctx: Context) => Promise<void>> => {
    const answering =
      (action: Action) =>
      async (ctx: Context): Promise<void> => {
        try {
          const body = await action(getRunning(strapi), ctx as ApiContext);
          if (body !== undefined) ctx.body = body;
        } catch (error) {
          if (!(error instanceof errors.ValidationError || error instanceof StoreAway)) throw error;
          const { name, message, details = {} } = error as Error & { readonly details?: unknown };
          ctx.status = error instanceof StoreAway ? 503 : 400;
          ctx.body = { data: null, error: { status: ctx.status, name, message, details } };
        }
      };
    const answers = Object.entries<Action>(actions).map(([name, action]) => [name, answering(action)]);
    return Object.fromEntries(answers) as Record<Name, (ctx: Context) => Promise<void>>;
  };
