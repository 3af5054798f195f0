import { said } from '../cache/sentence';
import type { ApplicationFacts } from './application-facts';
import { NEVER_STALE } from './background-schema';
import { ConfigurationError, formatOptionPath, type OptionPath } from './configuration-error';
import { resolveContentTypeRoutes } from './content-type-routes';
import { Findings } from './warning';
import { namedContentTypes, type NamedContentType } from './named-content-types';
import { relatedContentTypes, shownContentTypes } from './related-content-types';
import {
  cachedSettings,
  type ResolvedConfig,
  type ResolvedContentType,
  type ResolvedEdge,
  type ResolvedProvider,
  type ResolvedRoute,
  type Settings,
} from './resolved-config';
import { parsePathPattern } from './route-matching';
import { letsCredentialsIn } from './hitpass';
import {
  BUILT_IN_PROVIDERS,
  DEFAULT_PROVIDER_NAME,
  parseConfig,
  type ParsedConfig,
  type ParsedContentType,
  type ParsedStrategy,
} from './schema';
import { resolveSettings, writesUseAuth } from './settings';
import {
  warnOfCredentialsInKeys,
  warnOfIgnoredParameters,
  warnOfPrivateScope,
  warnOfSharedEntries,
  warnOfShortLifetimes,
  warnOfUnpurgedCopies,
  warnOfUnsentCacheControl,
  warnOfUselessEdge,
  warnOfUselessUseAuth,
} from './warnings';

const resolveProvider = (written: ParsedConfig['provider']): ResolvedProvider => {
  const { instance, getTimeout, options } = written;
  // A function's name says nothing: JavaScript names an anonymous one after the property that holds it.
  const given = typeof instance === 'function' ? 'custom' : instance?.name;
  const builtIn = BUILT_IN_PROVIDERS.find((each) => each === written.name?.toLowerCase());
  const name = builtIn ?? written.name ?? given ?? DEFAULT_PROVIDER_NAME;
  const { max, ...others } = options;
  const isRenamed = instance === undefined && name === DEFAULT_PROVIDER_NAME && max !== undefined;
  return { name, instance, getTimeout, options: isRenamed ? { ...others, maxSize: max } : options };
};

const resolveContentType = (
  written: ParsedContentType,
  where: OptionPath,
  above: Settings,
  application: ApplicationFacts,
  findings: Findings,
): ResolvedContentType => {
  const uid = written.contentType;
  const settings = resolveSettings(findings, `"${uid}"`, where, above, written);
  warnOfSharedEntries(findings, `"${uid}"`, settings);
  const routes = resolveContentTypeRoutes(written, settings, application, where, findings);
  if (writesUseAuth(written) && !routes.some(keepsCallersApart)) warnOfUselessUseAuth(findings, `"${uid}"`, settings);
  if (routes.length === 0)
    findings.warn(said('nothing-to-cache')`${formatOptionPath(where)}: "${uid}" has no route that could be cached; list
      its routes under "routes".`);
  return {
    uid,
    ...settings,
    routes,
    shownContentTypes: shownContentTypes(uid, application),
    relatedContentTypes: relatedContentTypes(uid, application),
  };
};

const keepsCallersApart = ({ keys, hitpass }: Settings): boolean =>
  keys.useAuth !== false && letsCredentialsIn(hitpass);

/**
 * All content types, each with the routes that take their settings from it. A route of two named types is a problem:
 * routes of two types may be mounted at one path, and a default route may be listed under another type. The types that
 * `'*'` has found leave such a route to the first that has it.
 */
const eachRouteOnce = (
  named: readonly ResolvedContentType[],
  found: readonly ResolvedContentType[],
  findings: Findings,
): readonly ResolvedContentType[] => {
  const owners = new Map<string, ResolvedRoute>();
  const ownerOf = (route: ResolvedRoute): ResolvedRoute => {
    const { shape } = parsePathPattern(route.path);
    const owner = owners.get(shape) ?? route;
    owners.set(shape, owner);
    return owner;
  };
  for (const route of named.flatMap(({ routes }) => routes)) {
    const owner = ownerOf(route);
    if (owner !== route)
      findings.refuse(`GET ${route.path} is cached under both "${owner.contentType}" and "${route.contentType}"; keep it
        under one of them (injectDefaultRoutes: false leaves out a content type's own routes).`);
  }
  const others = found
    .map((contentType) => ({ ...contentType, routes: contentType.routes.filter((route) => ownerOf(route) === route) }))
    .filter(({ routes }) => routes.length > 0);
  return [...named, ...others];
};

/**
 * Reports options that do not fit the mode: without a header or targets, the
 * edge would keep responses that nobody purges; without `enableEtag`, it could not revalidate them.
 */
const resolveEdge = (
  { edge: written, cacheControl, enableEtag }: ParsedStrategy,
  findings: Findings,
): ResolvedEdge | null => {
  if (written === undefined) return null;
  const { targets, ...edge } = written;
  if (cacheControl.enabled === false)
    findings.refuse(`strategy.cacheControl.enabled is false, but strategy.edge needs Cache-Control: it says what the
      edge may keep; leave out enabled, or edge.`);
  if (edge.mode === 'revalidate') {
    if (!enableEtag)
      findings.refuse(`strategy.edge.mode is "revalidate", but strategy.enableEtag is not true, so the edge cannot ask
        whether a response still holds; write enableEtag: true.`);
    if (targets.length > 0)
      findings.refuse(`strategy.edge.targets have nothing to purge with mode: "revalidate"; leave them out, or write
        mode: "purge".`);
    return { ...edge, header: '' };
  }
  if (edge.header === '')
    findings.refuse(`strategy.edge.header is missing; expected the response header that the edge reads keys from: "xkey"
      for Varnish, "Surrogate-Key" for Fastly, "Cache-Tag" for Cloudflare.`);
  if (targets.length === 0)
    findings.refuse(`strategy.edge.targets is empty, so the edge would keep answers that nobody purges; list a target,
      or write mode: "revalidate".`);
  return edge;
};

/** The settings of GraphQL answers. A GraphQL request has no query parameters, and no statuses but 200 are kept. */
const resolveGraphql = (
  written: ParsedStrategy['graphql'],
  above: Settings,
  { isGraphqlInstalled = false }: ApplicationFacts,
  findings: Findings,
): Settings | null => {
  if (written === undefined) return null;
  const own = { ...written, keys: written.keys && { useQueryParams: true, ignoreHeaders: [], ...written.keys } };
  const settings = resolveSettings(findings, 'strategy.graphql', ['strategy', 'graphql'], above, own);
  warnOfSharedEntries(findings, 'strategy.graphql', settings);
  if (writesUseAuth(own)) warnOfUselessUseAuth(findings, 'strategy.graphql', settings);
  if (!isGraphqlInstalled)
    findings.warn(said('graphql-missing')`strategy.graphql has no effect, because @strapi/plugin-graphql is not
      installed or not enabled.`);
  // What resolvers read of the caller is not watched.
  const keys = { ...settings.keys, useQueryParams: true, useAuth: settings.keys.useAuth !== false };
  const sharesWork = settings.sharesWork === 'always' ? settings.sharesWork : true;
  return { ...settings, keys, statuses: [], sharesWork, stale: NEVER_STALE };
};

/**
 * Validates a user's configuration and resolves it to the routes of this application. The result lists as warnings what
 * is allowed but will not do what the user expects.
 *
 * @throws {@link ConfigurationError} that lists everything wrong with the configuration.
 */
export const resolveConfig = (user: unknown, application: ApplicationFacts): ResolvedConfig => {
  const { provider, strategy, metrics } = parseConfig(user);
  const { cacheControl, edge, graphql, warm = null, audit = null, contentTypes: written, ...own } = strategy;
  const findings = new Findings();
  if (provider.max !== undefined)
    findings.warn(said('memory-option')`provider.max has no effect; write provider.options.maxSize.`);

  warnOfShortLifetimes(findings, strategy, ['strategy']);
  warnOfCredentialsInKeys(findings, own, ['strategy']);

  const { byUid, byEvery } = namedContentTypes(written, application, findings);
  const resolve = (named: NamedContentType): ResolvedContentType =>
    resolveContentType(named.written, named.where, own, application, findings);
  const named = byUid.map(resolve);
  const contentTypes = eachRouteOnce(named, byEvery.map(resolve), findings);
  const ofGraphql = resolveGraphql(graphql, own, application, findings);
  const cached = cachedSettings({ contentTypes, graphql: ofGraphql });
  // If some level lets requests with credentials reach the cache, the strategy's `useAuth` may be meant for that level.
  if (![own, ...contentTypes, ...cached].some(({ hitpass }) => letsCredentialsIn(hitpass)))
    warnOfUselessUseAuth(findings, 'strategy', own);
  warnOfIgnoredParameters(findings, contentTypes, application);
  const resolvedEdge = resolveEdge(strategy, findings);
  if (findings.problems.length > 0) throw new ConfigurationError(findings.problems);

  // With an edge, `Cache-Control` is always sent: responses that the edge must not keep have to say so.
  const resolvedCacheControl = { ...cacheControl, enabled: edge !== undefined || cacheControl.enabled === true };
  warnOfPrivateScope(findings, resolvedCacheControl, contentTypes);
  if (edge === undefined) {
    warnOfUnsentCacheControl(findings, cacheControl);
    warnOfUnpurgedCopies(findings, resolvedCacheControl, cached);
  }
  warnOfUselessEdge(findings, resolvedEdge, cached);
  return {
    provider: resolveProvider(provider),
    strategy: {
      ...own,
      cacheControl: resolvedCacheControl,
      edge: resolvedEdge,
      warm,
      audit,
      graphql: ofGraphql,
      contentTypes,
    },
    metrics,
    edgeTargets: edge?.targets ?? [],
    warnings: findings.warnings,
  };
};
