import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context } from 'koa';
import { z } from 'zod';
import { describeValue } from '../config/configuration-error';
import { getRunning, type RestCache } from '../plugin/rest-cache';
import { StoreAway } from './store-away';

/** Of what is wrong, so much is told: an answer is not to be longer than what it answers. */
const MAX_TOLD = 10;
const MAX_NAME_TOLD = 100;
const MAX_MESSAGE_TOLD = 300;

/** Text as a URL can hold it: bounded, and no lone surrogate, which has no encoding. */
export const encodable = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((written) => !/\p{Cs}/u.test(written), 'Expected text without lone surrogates');

/** Text that is asked of a database or ends in a log. */
export const text = (longest: number) =>
  encodable(longest).refine((written) => !/[\u0000-\u001f\u007f]/.test(written), 'Expected no control characters');

/** What a caller did wrong: to be thrown, and answered with status 400. */
export const badRequest = (message: string, details: object = {}): Error =>
  new errors.ValidationError(message, details);

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
  throw badRequest(form, {
    errors: parsed.error.issues.slice(0, MAX_TOLD).map(({ path, message }) => ({
      path: path.map((name) => String(name).slice(0, MAX_NAME_TOLD)),
      message: message.slice(0, MAX_MESSAGE_TOLD),
      name: 'ValidationError',
    })),
  });
};

/** Koa's context with what Strapi and its router add. */
export type ApiContext = Context & { readonly params: unknown; notFound(message?: string): void };

/**
 * The body of a purge.
 *
 * @throws an error that is answered with status 400 when the URL has parameters: what stands there would narrow nothing.
 */
export const bodyAlone = ({ query, request }: ApiContext): unknown => {
  const [name] = Object.keys(query);
  if (name === undefined) return request.body;
  throw badRequest(
    `A purge takes no query parameters, and ${describeValue(name)} is one; what to purge stands in the body`,
  );
};

/** Answers with the body it returns; `undefined` where it has answered by itself. */
type Action = (restCache: RestCache, ctx: ApiContext) => unknown;

/**
 * A controller of Strapi's. It answers {@link badRequest} and {@link StoreAway} itself, in Strapi's form: Strapi would make
 * a 500 of the first wherever the plugin has another copy of @strapi/utils than Strapi, for `instanceof` knows the errors
 * of one copy only, and knows nothing of the second.
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
