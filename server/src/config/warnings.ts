import { actionOf, readActions, type ApplicationFacts, type SchemaFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import type { Findings } from './findings';
import { letsCredentialsIn } from './hitpass';
import type { ResolvedCacheControl, ResolvedContentType, ResolvedRoute, Settings } from './resolved-config';
import type { ParsedSettings } from './schema';

/** Headers whose value lets its bearer in. */
const CREDENTIALS = new Set(['authorization', 'cookie']);

/**
 * Callers who are let past the bypass for credentials, into entries that do not tell them apart: whoever comes first
 * decides what all others see.
 */
export const warnOfSharedEntries = (findings: Findings, subject: string, { hitpass, keys }: Settings): void => {
  if (!letsCredentialsIn(hitpass) || keys.useAuth) return;
  const cause =
    hitpass === false
      ? 'hitpass is false, so requests with credentials are cached'
      : 'hitpass is a function, so requests with credentials are cached whenever it returns false';
  findings.warnOfHarm(
    'shared-entry',
    `${subject}: ${cause}, but keys.useAuth is not true, so all callers share one entry and one caller's response is ` +
      'served to others until it expires. Set keys: { useAuth: true }, or hitpass: true.',
  );
};

/** `useAuth` that nobody gets to feel: whoever has credentials bypasses. */
export const warnOfUselessUseAuth = (findings: Findings, subject: string, { hitpass, keys }: Settings): void => {
  if (!keys.useAuth || letsCredentialsIn(hitpass)) return;
  findings.warn(
    'useless-use-auth',
    `${subject}: keys.useAuth is true, but hitpass is not false, so requests with credentials bypass the cache and ` +
      'useAuth has no effect. Set hitpass: false for one entry per caller.',
  );
};

/** Durations are milliseconds. */
const SECOND = 1000;

/** What other caches are given as seconds: 3600, 86400. Nobody writes milliseconds so. */
const HALF_HOUR_IN_SECONDS = 1800;

/** A whole number below a second, or one that is half hours in seconds, was probably meant in seconds. */
const isMeantInSeconds = (duration: number): boolean =>
  Number.isInteger(duration) &&
  duration > 0 &&
  (duration < SECOND || (duration % HALF_HOUR_IN_SECONDS === 0 && duration % SECOND !== 0));

/** A duration that is probably a thousandth of what was meant. */
export const warnOfShortDuration = (findings: Findings, duration: unknown, where: OptionPath): void => {
  if (typeof duration !== 'number' || !isMeantInSeconds(duration)) return;
  findings.warn(
    'short-duration',
    `${formatOptionPath(where)} is ${duration} milliseconds. If ${duration} seconds were meant, write ${duration * SECOND}.`,
  );
};

/** The same of all that a level says how long to keep. */
export const warnOfShortLifetimes = (
  findings: Findings,
  { maxAge, statuses = [] }: Pick<ParsedSettings, 'maxAge' | 'statuses'>,
  where: OptionPath,
): void => {
  warnOfShortDuration(findings, maxAge, [...where, 'maxAge']);
  statuses.forEach((own, index) => warnOfShortDuration(findings, own.maxAge, [...where, 'statuses', index, 'maxAge']));
};

/** A level whose own keys end what it inherits: {@link losesUseAuth}. */
export const warnOfEndedHitpass = (findings: Findings, subject: string, { hitpass }: Settings): void =>
  findings.warn(
    'ended-hitpass',
    `${subject}: its keys leave out useAuth, with which ${hitpass === false ? 'hitpass: false' : 'a hitpass function'} is ` +
      'inherited, so hitpass: true holds here: requests with credentials bypass the cache. Write useAuth: true into these ' +
      'keys for one entry per caller, or hitpass: true beside them if the bypass is meant.',
  );

/** Headers that do not belong into the keys of the level at `where`. */
export const warnOfCredentialsInKeys = (findings: Findings, { keys }: Settings, where: OptionPath): void => {
  for (const name of keys.useHeaders.filter((each) => CREDENTIALS.has(each)))
    findings.warnOfHarm(
      'credential-in-key',
      `${formatOptionPath([...where, 'keys', 'useHeaders'])} holds "${name}": the live credential is written into the ` +
        "store's keys, and entries follow the credential instead of the caller. Use keys: { useAuth: true } instead.",
    );
};

/** Parameters of Strapi's own controllers (@strapi/utils, content-api-constants; @strapi/core, core-api). */
const OF_ALL = ['fields', 'filters', 'populate', '_q'];
const OF_LISTS = ['sort', 'pagination'];
/** Lists of plugins' types take their pages without `pagination`. */
const OF_PLUGIN_LISTS = ['sort', 'page', 'pageSize', 'start', 'limit'];
const OF_DRAFTS = ['status', 'publicationFilter', 'hasPublishedVersion'];
const OF_LOCALES = ['locale'];

const obeyedParameters = (uid: string, schema: SchemaFacts | undefined, isList: boolean): readonly string[] => [
  ...OF_ALL,
  ...(isList ? (uid.startsWith('plugin::') ? OF_PLUGIN_LISTS : OF_LISTS) : []),
  ...(schema?.options?.draftAndPublish === true ? OF_DRAFTS : []),
  ...(schema?.pluginOptions?.i18n?.localized === true ? OF_LOCALES : []),
];

/** What a cached route's handler will not get to see although it would act on it; nothing for handlers of others. */
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
 * Core routes whose `useQueryParams` leaves out parameters that Strapi's own controllers obey: these then have no effect.
 * One sentence for all routes that leave out the same.
 */
export const warnOfIgnoredParameters = (
  findings: Findings,
  contentTypes: readonly ResolvedContentType[],
  application: ApplicationFacts,
): void => {
  const pathsByIgnored = new Map<string, string[]>();
  for (const route of contentTypes.flatMap(({ routes }) => routes)) {
    const ignored = ignoredParameters(route, application).join(', ');
    if (ignored !== '') pathsByIgnored.set(ignored, [...(pathsByIgnored.get(ignored) ?? []), `GET ${route.path}`]);
  }
  for (const [ignored, paths] of pathsByIgnored)
    findings.warn(
      'ignored-parameters',
      `${paths.join(', ')}: keys.useQueryParams leaves out parameters that Strapi's controllers obey (${ignored}), so ` +
        'they have no effect on requests that may be cached. Add those your clients send, or set useQueryParams: true.',
    );
};

/** Answers per caller are `private`, whatever the scope says. One sentence for all routes. */
export const warnOfPrivateScope = (
  findings: Findings,
  { enabled, scope }: ResolvedCacheControl,
  contentTypes: readonly ResolvedContentType[],
): void => {
  if (!enabled || scope !== 'public') return;
  const paths = contentTypes
    .flatMap(({ routes }) => routes)
    .filter(({ keys }) => keys.useAuth || keys.useHeaders.some((name) => CREDENTIALS.has(name)))
    .map(({ path }) => `GET ${path}`);
  if (paths.length === 0) return;
  findings.warn(
    'private-scope',
    `strategy.cacheControl.scope is "public", but ${paths.join(', ')} answer each caller differently, so their ` +
      'Cache-Control is "private, no-cache". CDNs keep the answers of other routes only.',
  );
};
