import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context } from 'koa';

/** What a caller did wrong: to be thrown, and answered with status 400. */
export const badRequest = (message: string, details: object = {}): Error =>
  new errors.ValidationError(message, details);

type Action = (ctx: Context) => void | Promise<void>;
type Controller<Name extends string> = (context: { strapi: Core.Strapi }) => Record<Name, Action>;

/**
 * A controller that answers {@link badRequest} itself, in Strapi's form. Strapi would make a 500 of it wherever the
 * plugin has another copy of @strapi/utils than Strapi: `instanceof` knows the errors of one copy only.
 */
export const answeringBadRequests =
  <Name extends string>(controller: Controller<Name>): Controller<Name> =>
  (context) => {
    const actions = Object.entries<Action>(controller(context)).map(([name, action]) => [name, answering(action)]);
    return Object.fromEntries(actions) as Record<Name, Action>;
  };

const answering =
  (action: Action): Action =>
  async (ctx) => {
    try {
      await action(ctx);
    } catch (error) {
      if (!(error instanceof errors.ValidationError)) throw error;
      const { name, message, details } = error as Error & { readonly details: unknown };
      ctx.status = 400;
      ctx.body = { data: null, error: { status: ctx.status, name, message, details } };
    }
  };
