import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { isScraper } from '../admin-api/metrics';
import type { FunctionOfRoute } from '../http/exchange';
import { getRunning } from '../plugin/rest-cache';

/** What Strapi's authentication leaves for a policy. */
export interface PolicyContext {
  readonly state: {
    readonly auth?: { readonly strategy?: { readonly name?: string }; readonly credentials?: unknown };
    readonly userAbility?: { can(action: string): boolean };
  };
}

/** Lets in callers who presented a credential, and nobody who is only what the Public role is. */
const hasCredentials = ({ state }: PolicyContext): boolean =>
  state.auth?.credentials !== undefined && state.auth.credentials !== null;

/** Lets in a Prometheus server that knows the secret, and admins who may read what is cached. */
const mayReadMetrics = ({ state }: PolicyContext): boolean =>
  isScraper(state.auth) || state.userAbility?.can('plugin::rest-cache.cache.read-strategy') === true;

/** Put by `register` in front of each policy of a cached route. Lets everybody in. */
const beginPolicy = (
  { request }: { readonly request: Context['request'] },
  fn: FunctionOfRoute,
  { strapi }: { strapi: Core.Strapi },
): true => {
  getRunning(strapi).lanes.functions.beginPolicy(request.ctx, fn);
  return true;
};

export default {
  'has-credentials': hasCredentials,
  'may-read-metrics': mayReadMetrics,
  'begin-policy': beginPolicy,
};
