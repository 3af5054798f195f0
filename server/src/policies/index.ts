import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { isScraper } from '../admin-api/metrics';
import type { FunctionOfRoute } from '../lanes/attach-lanes';
import { getRunning } from '../plugin/rest-cache';

/** The part of a policy's context that Strapi's authentication has set. */
export interface PolicyContext {
  readonly state: {
    readonly auth?: { readonly strategy?: { readonly name?: string }; readonly credentials?: unknown };
    readonly userAbility?: { can(action: string): boolean };
  };
}

/** Allows callers who were authenticated by a credential. Refuses callers who have only the Public role. */
const hasCredentials = ({ state }: PolicyContext): boolean =>
  state.auth?.credentials !== undefined && state.auth.credentials !== null;

/** Allows a Prometheus server that has sent the secret, and admins who may read what is cached. */
const mayReadMetrics = ({ state }: PolicyContext): boolean =>
  isScraper(state.auth) || state.userAbility?.can('plugin::rest-cache.cache.read-strategy') === true;

/** Put in front of each policy of a cached route at boot, to note that the policy begins. Allows every request. */
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
