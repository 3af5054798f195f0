import { isScraper } from '../admin-api/metrics';

/** What Strapi's authentication leaves for a policy. */
export interface PolicyContext {
  readonly state: {
    readonly auth?: { readonly strategy?: { readonly name?: string }; readonly credentials?: unknown };
    readonly userAbility?: { can(action: string): boolean };
  };
}

/** Lets in a Prometheus server that knows the secret, and admins who may read what is cached. */
export default ({ state }: PolicyContext): boolean =>
  isScraper(state.auth) || state.userAbility?.can('plugin::rest-cache.cache.read-strategy') === true;
