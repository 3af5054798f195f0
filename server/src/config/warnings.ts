import { actionOf, readActions, type ApplicationFacts, type SchemaFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import { both, said, type Sentence } from '../cache/sentence';
import { isNear } from './nearest-name';
import type { ParsedStrategy } from './schema';
import { warning, type Findings } from './warning';
import { CREDENTIAL_HEADERS, isOfOneCaller, letsCredentialsIn } from './hitpass';
import {
  type ResolvedCacheControl,
  type ResolvedContentType,
  type ResolvedEdge,
  type ResolvedRoute,
  routesIn,
  type Settings,
} from './resolved-config';

/**
 * Warns if requests with credentials are cached in entries that do not tell callers apart: all others are served the
 * first caller's response.
 */
export const warnOfSharedEntries = (findings: Findings, subject: string, { hitpass, keys }: Settings): void => {
  if (!letsCredentialsIn(hitpass) || keys.useAuth !== false) return;
  const cause =
    hitpass === false
      ? said('hitpass-false')`hitpass is false, so requests with credentials are cached`
      : said('hitpass-function')`hitpass is a function, so requests with credentials are cached whenever it
          returns false`;
  findings.warn(said('shared-entry')`${subject}: ${cause}, but keys.useAuth is not true, so all callers share one
    response and one caller's response is served to others until it expires. Set keys: { useAuth: true }, or hitpass:
    true.`);
};

/** Warns of a `useAuth` without effect: requests with credentials bypass the cache. */
export const warnOfUselessUseAuth = (findings: Findings, subject: string, { hitpass, keys }: Settings): void => {
  if (keys.useAuth === false || letsCredentialsIn(hitpass)) return;
  findings.warn(said('useless-use-auth')`${subject}: keys.useAuth is ${JSON.stringify(keys.useAuth)}, but hitpass is not
    false, so requests with credentials bypass the cache and useAuth has no effect. Set hitpass: false for one cached
    response per ${keys.useAuth === 'role' ? 'role' : 'caller'}.`);
};

/**
 * A whole number of milliseconds was probably meant in seconds if it is less than 1000. So was one that holds half hours
 * in seconds (1800), as other caches take them (3600, 86400), but no whole seconds in milliseconds (1000).
 */
const isMeantInSeconds = (duration: number): boolean =>
  Number.isInteger(duration) && duration > 0 && (duration < 1000 || (duration % 1800 === 0 && duration % 1000 !== 0));

/** Options for how long something is kept. Deadlines may be short. */
const LIFETIMES: ReadonlySet<unknown> = new Set([
  ...['maxAge', 'staleWhileRevalidate', 'whileRevalidate', 'ifError', 'whileUnreachable'],
]);

/** Warns of all lifetimes in the options at `where` that were probably meant in seconds. */
export const warnOfShortLifetimes = (findings: Findings, written: unknown, where: OptionPath): void => {
  if (typeof written === 'number' && LIFETIMES.has(where.at(-1)) && isMeantInSeconds(written))
    findings.warn(said('short-duration')`${formatOptionPath(where)} is ${written} milliseconds. If ${written} seconds
      were meant, write ${written * 1000}.`);
  if (typeof written !== 'object' || written === null) return;
  for (const [name, value] of Object.entries(written))
    warnOfShortLifetimes(findings, value, [...where, Array.isArray(written) ? Number(name) : name]);
};

/** Warns of a level whose own `keys` keep it from inheriting `hitpass`: see {@link losesUseAuth}. */
export const warnOfEndedHitpass = (findings: Findings, subject: string, { hitpass, keys }: Settings): void =>
  findings.warn(said('ended-hitpass')`${subject}: its keys leave out useAuth, which the inherited
    ${hitpass === false ? 'hitpass: false' : said('inherited-function')`hitpass function`} depends on, so hitpass is
    true here: requests with credentials bypass the cache. Write useAuth: ${keys.useAuth === 'role' ? "'role'" : 'true'}
    into these keys for one cached response per ${keys.useAuth === 'role' ? 'role' : 'caller'}, or hitpass: true beside
    them if the bypass is meant.`);

/** Warns of credentials in the `useHeaders` of the level at `where`. */
export const warnOfCredentialsInKeys = (findings: Findings, { keys }: Settings, where: OptionPath): void => {
  for (const name of keys.useHeaders.filter((each) => CREDENTIAL_HEADERS.includes(each)))
    findings.warn(said('credential-in-key')`${formatOptionPath([...where, 'keys', 'useHeaders'])} holds "${name}": the
      live credential is written into the store's keys, and cached responses follow the credential instead of the
      caller. Use keys: { useAuth: true } instead.`);
};

/** Parameters that Strapi's own controllers obey (@strapi/utils, content-api-constants; @strapi/core, core-api). */
const obeyedParameters = (uid: string, schema: SchemaFacts | undefined, isList: boolean): readonly string[] => [
  ...['fields', 'filters', 'populate', '_q'],
  ...(isList ? ['sort'] : []),
  // In lists of plugins' types, the parameters for paging stand at the top.
  ...(isList ? (uid.startsWith('plugin::') ? ['page', 'pageSize', 'start', 'limit'] : ['pagination']) : []),
  ...(schema?.options?.draftAndPublish === true ? ['status', 'publicationFilter', 'hasPublishedVersion'] : []),
  ...(schema?.pluginOptions?.i18n?.localized === true ? ['locale'] : []),
];

const OF_PAGINATION: readonly string[] = ['page', 'pageSize', 'start', 'limit', 'withCount'];

/** Says which of the ignored parameters was probably meant by a name that Strapi's controllers do not know. */
const meantParameters = (written: ResolvedRoute['keys']['useQueryParams'], ignored: readonly string[]): Sentence[] =>
  (typeof written === 'boolean' ? [] : written).flatMap((name): Sentence[] => {
    if (OF_PAGINATION.includes(name) && ignored.includes('pagination'))
      return [said('of-pagination')`"${name}" is not one of them: pagination[${name}] has the name "pagination".`];
    const near = ignored.find((each) => isNear(name, each));
    return near === undefined ? [] : [said('did-you-mean-by')`Did you mean "${near}" by "${name}"?`];
  });

/** Parameters that are hidden from a route's handler although it obeys them; none if the handler is not Strapi's. */
const ignoredParameters = (route: ResolvedRoute, application: ApplicationFacts): readonly string[] => {
  const { contentType, keys } = route;
  const { useQueryParams } = keys;
  if (useQueryParams === true) return [];
  const mounted = application.routes.find(({ path }) => path === route.path);
  const action = mounted === undefined ? undefined : actionOf(mounted);
  if (action === undefined || !readActions(contentType, application).has(action)) return [];
  const schema = application.contentTypes[contentType];
  const isList = action.endsWith('.find') && schema?.kind !== 'singleType';
  const counted = useQueryParams === false ? [] : useQueryParams;
  return obeyedParameters(contentType, schema, isList).filter((name) => !counted.includes(name));
};

/**
 * Warns of core routes whose `useQueryParams` leaves out parameters that Strapi's own controllers obey: these
 * parameters then have no effect. Routes that leave out the same parameters share one warning.
 */
export const warnOfIgnoredParameters = (
  findings: Findings,
  contentTypes: readonly ResolvedContentType[],
  application: ApplicationFacts,
): void => {
  const routesByAdvice = new Map<string, { readonly ignored: readonly string[]; readonly routes: ResolvedRoute[] }>();
  for (const route of routesIn({ contentTypes })) {
    const ignored = ignoredParameters(route, application);
    if (ignored.length === 0) continue;
    const alike = JSON.stringify([ignored, route.keys.useQueryParams]);
    const known = routesByAdvice.get(alike) ?? { ignored, routes: [] };
    known.routes.push(route);
    routesByAdvice.set(alike, known);
  }
  for (const { ignored, routes } of routesByAdvice.values()) {
    const leftOut = said('ignored-parameters')`${routes.map(({ path }) => `GET ${path}`)}: keys.useQueryParams
      leaves out parameters that Strapi's controllers obey (${ignored}), so they have no effect on requests that may be
      cached. Add those your clients send, or set useQueryParams: true.`;
    const meant = meantParameters(routes[0]?.keys.useQueryParams ?? true, ignored);
    findings.warnings.push(warning(meant.reduce(both, leftOut), 'ignored-parameters'));
  }
};

/** Warns of options for a header that is not sent, unless `enabled: false` says that it shall not be. */
export const warnOfUnsentCacheControl = (findings: Findings, written: ParsedStrategy['cacheControl']): void => {
  const { enabled, maxAge, scope, staleWhileRevalidate } = written;
  if (enabled !== undefined || (maxAge === 'config' && scope === 'private' && staleWhileRevalidate === null)) return;
  findings.warn(said('cache-control-off')`strategy.cacheControl has no effect, because cacheControl.enabled is not true.
    Write enabled: true, or leave out cacheControl.`);
};

/** Warns that responses per caller are `private`, whatever `cacheControl.scope` is. All routes share one warning. */
export const warnOfPrivateScope = (
  findings: Findings,
  { enabled, scope }: ResolvedCacheControl,
  contentTypes: readonly ResolvedContentType[],
): void => {
  if (!enabled || scope !== 'public') return;
  const paths = routesIn({ contentTypes })
    .filter(isOfOneCaller)
    .map(({ path }) => `GET ${path}`);
  if (paths.length === 0) return;
  findings.warn(said('private-scope')`strategy.cacheControl.scope is "public", but ${paths} answer each caller
    differently, so their Cache-Control is "private". CDNs keep the answers of other routes only.`);
};

/** Warns of the time in which browsers and CDNs show what they keep, whatever is written, purged or revoked meanwhile. */
export const warnOfUnpurgedCopies = (
  findings: Findings,
  { enabled, scope, maxAge, staleWhileRevalidate }: ResolvedCacheControl,
  cached: readonly Settings[],
): void => {
  const kept = cached.flatMap((settings) => [settings, ...settings.statuses].map((each) => each.maxAge ?? 0));
  if (!enabled || kept.length === 0) return;
  const advertised = maxAge === 'config' ? Math.max(...kept) : maxAge === 'none' ? 0 : maxAge;
  const copies = scope === 'public' ? said('browsers-and-cdns')`browsers and CDNs` : said('browsers')`browsers`;
  const longest = Math.floor((advertised + (staleWhileRevalidate ?? 0)) / 1000);
  if (longest === 0) return;
  findings.warn(said('unpurged-copies')`strategy.cacheControl lets ${copies} show an answer for up to ${longest} seconds
    without asking again, whatever is written, purged or revoked meanwhile. Write a cacheControl.maxAge that you can
    live with, or strategy.edge: it purges CDNs with each write or, with mode: 'revalidate', has them ask each time.`);
};

/** Warns of an edge to which no answer gets: it may keep only what every caller may have. */
export const warnOfUselessEdge = (findings: Findings, edge: ResolvedEdge | null, cached: readonly Settings[]): void => {
  const decidesItself = ({ hitpass }: Settings): boolean =>
    edge?.mode === 'purge' && typeof hitpass === 'function' && letsCredentialsIn(hitpass);
  const getsNothing = cached.every((settings) => isOfOneCaller(settings) || decidesItself(settings));
  if (edge === null || cached.length === 0 || !getsNothing) return;
  findings.warn(said('useless-edge')`strategy.edge has no effect: every cached route has keys.useAuth, a credential
    among keys.useHeaders or a hitpass function, so no answer may be kept for all callers. Leave out edge, or keep
    routes for it that all callers share.`);
};
