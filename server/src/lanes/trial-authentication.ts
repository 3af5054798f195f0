import { errors } from '@strapi/utils';
import type { Context } from 'koa';
import { trialOf, type TrialCaller } from '../http/trial';
import type { AuthService } from '../observe/authentication';
import { routeOf } from './attach-lanes';

/** Has the callers of trials let in without a credential, as Strapi's own strategies would leave them. */
export const letInForTrials = (service: AuthService): void => {
  const { authenticate, verify } = service;
  const callers = new WeakMap<object, TrialCaller>();
  service.authenticate = async (asked, next) => {
    const ctx = asked as Context;
    const trial = trialOf(ctx.req);
    if (trial?.caller === undefined) return authenticate.call(service, ctx, next);
    const routeAuth = routeOf(ctx)?.config?.auth;
    if (routeAuth === false) return next();
    const { auth, user } = trial.caller;
    if (!trial.caller.mayUse(routeAuth)) {
      trial.end({ kind: 'forbidden' });
      ctx.status = 403;
      return undefined;
    }
    callers.set(auth, trial.caller);
    Object.assign(ctx.state, { auth, isAuthenticated: true }, user === undefined ? {} : { user });
    return next();
  };
  // Asked again by whoever sanitises a query.
  service.verify = async (auth, config) => {
    const caller = callers.get(auth as object);
    if (caller === undefined) return verify.call(service, auth, config);
    if (config !== false && !caller.mayUse(config)) throw new errors.ForbiddenError();
    return undefined;
  };
};
