import type { Core } from '@strapi/strapi';
import type { Provider } from '../cache/provider';
import { both, said, type Sentence } from '../cache/sentence';
import { restPrefixOf } from '../config/application-facts';
import { type ResolvedProvider, type ResolvedStrategy, routesIn, servesStale } from '../config/resolved-config';
import { WITHOUT_EFFECT } from '../config/provider-options';
import { unsetAddress } from '../config/unset-address';
import { warning, type Warning, type WarningCode } from '../config/warning';

const warningIf = (applies: boolean, sentence: Sentence<WarningCode>): readonly Warning[] =>
  applies ? [warning(sentence)] : [];

/** Facts about the start of this process. */
export interface Start {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether it is a worker of `node:cluster`, which PM2's cluster mode uses as well. */
  readonly isWorker: boolean;
  /** Whether `strapi develop` has started it, which runs a single application in a worker. */
  readonly isReloaded: boolean;
}

/**
 * Warns if this process looks like one of several that cache in memory: they do not learn of each other's writes. PM2
 * gives each process its number (`NODE_APP_INSTANCE`) and the number of processes (`instances`).
 */
export const severalProcessesWarnings = (
  { name, instance }: Pick<ResolvedProvider, 'name' | 'instance'>,
  { env, isWorker, isReloaded }: Start,
): readonly Warning[] => {
  const isNumbered = Number(env.NODE_APP_INSTANCE) > 0 || Number(env.instances) > 1;
  const isOneOfSeveral = isNumbered || (isWorker && env.instances !== '1');
  return warningIf(
    name === 'memory' && instance === undefined && !isReloaded && isOneOfSeveral,
    said(
      'several-processes',
    )`provider.name is "memory", and this process looks like one of several (node:cluster or PM2).
      Each has a cache of its own and does not see what the others write, so answers may be stale for maxAge. Write
      provider: { name: "redis", options: { connection: … } }, or run one process.`,
  );
};

/** Warns of another cache in front of this one. */
export const otherCacheWarnings = ({ plugins }: { readonly plugins: object }): readonly Warning[] =>
  warningIf(
    Object.hasOwn(plugins, 'strapi-cache'),
    said(
      'other-cache',
    )`strapi-cache is enabled as well. It stands in front of this plugin, and serves its responses even
      after they have been invalidated here. Remove it from config/plugins and package.json.`,
  );

/** The action that a role or token has to be granted to call the content API's purge. */
export const PURGE_ACTION = 'plugin::rest-cache.purge.contentApi';
/** @param restPrefix `api.rest.prefix`. */
export const purgePath = (restPrefix: string): string => `${restPrefix}/rest-cache/purge`;
const PERMISSION = 'plugin::users-permissions.permission';

/** Warns of a grant that has no effect, because the route requires credentials (routes/index.ts). */
export const publicPurgeWarnings = async (
  strapi: Core.Strapi,
  { enableContentApiPurge }: Pick<ResolvedStrategy, 'enableContentApiPurge'>,
): Promise<readonly Warning[]> => {
  if (!enableContentApiPurge || !strapi.db.metadata.has(PERMISSION)) return [];
  const grants = await strapi.db.query(PERMISSION).count({ where: { action: PURGE_ACTION, role: { type: 'public' } } });
  const path = purgePath(restPrefixOf(strapi));
  return warningIf(
    grants > 0,
    said('public-purge')`The role Public is granted ${PURGE_ACTION}, which has no effect: POST ${path} refuses callers
      without credentials. Under Settings → Users & Permissions → Roles, take it from Public and grant it to Authenticated,
      or to an API token.`,
  );
};

const EXAMPLE = "'rest-cache': { enabled: true, config: { strategy: { contentTypes: ['api::article.article'] } } }";

/**
 * @param entry what `config/plugins` holds under `rest-cache`; `undefined` if that is not known: Strapi passes on only what
 * is inside `config`.
 */
const whyNothingIsNamed = (entry: unknown): Sentence => {
  if (entry === undefined)
    return said('names-none')`config names no content type in config/plugins: Strapi passes on only what is
      inside config, an object`;
  const written = Object(entry) as Readonly<Record<string, unknown>>;
  const beside = ['strategy', 'provider', 'metrics'].find((name) => Object.hasOwn(written, name));
  if (beside !== undefined)
    return said('beside-config')`${beside} stands beside config in config/plugins, and Strapi passes on only what
      is inside config`;
  if (typeof written.config === 'function')
    return said('config-function')`config is a function in config/plugins, and Strapi passes on only an object`;
  if (written.config === undefined) return said('no-config')`'rest-cache' in config/plugins has no config`;
  return said('empty-list')`strategy.contentTypes names nothing`;
};

/** @param entry see {@link whyNothingIsNamed}. */
export const nothingNamedWarnings = (
  { contentTypes, graphql }: Pick<ResolvedStrategy, 'contentTypes' | 'graphql'>,
  entry?: unknown,
): readonly Warning[] =>
  warningIf(
    contentTypes.length === 0 && graphql === null,
    said('nothing-named')`nothing is cached, because ${whyNothingIsNamed(entry)}. Write ${EXAMPLE}.`,
  );

/** Warnings about a provider's options. They are found without asking the provider. */
export const providerWarnings = ({
  name,
  instance,
  options,
}: Omit<ResolvedProvider, 'getTimeout'>): readonly Warning[] => {
  if (name !== 'redis' || instance !== undefined) return [];
  const ignored = WITHOUT_EFFECT.filter((option) => options[option] !== undefined);
  const unset = unsetAddress(options);
  const byDefault = said('default-address')`Without it the default address is used, 127.0.0.1:6379.`;
  return [
    ...warningIf(
      ignored.length > 0,
      said('redis-option')`provider.options: ${ignored} have no effect with this plugin. strategy.keysPrefix keeps
        applications apart, strategy.maxAge says how long responses are kept, and Redis has its own limit (maxmemory).`,
    ),
    ...(unset === undefined ? [] : [warning(both(unset, byDefault), 'unset-address')]),
  ];
};

/** Warns of `stale` where the store keeps nothing that is older than its `maxAge`. */
export const staleWarnings = (
  strategy: Pick<ResolvedStrategy, 'contentTypes'>,
  { name, lookupExpired }: Pick<Provider, 'name' | 'lookupExpired'>,
): readonly Warning[] =>
  warningIf(
    lookupExpired === undefined && routesIn(strategy).some(servesStale),
    said('stale-unsupported')`stale has no effect: the provider "${name}" has no lookupExpired, so nothing that is older
      than its maxAge can be served.`,
  );
