import type { Core } from '@strapi/strapi';
import { sharingOf, type Sharing } from '../server/src/admin-api/content-types';
import { said } from '../server/src/cache/sentence';
import { gatherApplicationFacts, type ApplicationFacts } from '../server/src/config/application-facts';
import { ConfigurationError } from '../server/src/config/configuration-error';
import { likelyName } from '../server/src/config/nearest-name';
import { type ResolvedConfig, routesIn } from '../server/src/config/resolved-config';
import { resolveConfig } from '../server/src/config/resolve';
import { BUILT_IN_PROVIDERS } from '../server/src/config/schema';
import type { RestCacheConfig } from '../server/src/config/user-config';
import { refuseUnsetAddress } from '../server/src/config/unset-address';
import { explained, isUnsafe, warning, type ExplainedWarning, type Warning } from '../server/src/config/warning';
import { choose } from '../server/src/lanes/choose';
import { MiddlewareStack } from '../server/src/stack/middleware-stack';
import { routeLanes } from '../server/src/lanes/lane-of-route';
import type { LaneChoice, LaneMode } from '../server/src/stack/stack-survey';
import { loadFactory } from '../server/src/plugin/provider-factory';
import { nothingNamedWarnings, otherCacheWarnings, providerWarnings } from '../server/src/plugin/boot-warnings';
import { reportGrants } from './grants';
import { reportHandlers, type HandlerReport } from './handlers';
import type { LoadedApplication, WrittenPlugin } from './load-application';
import { COMMUNITY, ORIGINS, type Move, type Origin, type OriginName } from './moves';
import { reportOptions, type OptionReport } from './option-report';
import { readGrants } from './read-grants';
import { problemsOfStrapiCache, translateStrapiCache } from './translate-strapi-cache';

/** Everything that `check` reports. `--json` prints it unchanged. */
export interface Report {
  readonly application: { readonly directory: string; readonly strapi: string; readonly environment: string };
  /** The plugin that the configuration was written for; `null`: this one. */
  readonly from: OriginName | null;
  /** Packages of that plugin that the application depends on. */
  readonly packages: readonly string[];
  /** Why the configuration cannot be used. The report then has no routes. */
  readonly problems: readonly string[];
  readonly options: readonly OptionReport[];
  /** What differs whatever the options are. */
  readonly beside: readonly Move[];
  /** What to write under `rest-cache` if another key was read, without possible credentials; otherwise `null`. */
  readonly instead: unknown;
  readonly warnings: readonly ExplainedWarning[];
  /** Warnings about something that may harm callers. */
  readonly unsafe: readonly ExplainedWarning[];
  readonly lane: (Pick<LaneChoice, 'mode' | 'reason'> & { readonly advice: string | undefined }) | null;
  readonly routes: readonly RouteReport[];
  readonly handlers: readonly HandlerReport[];
  /** The grants that roles and tokens keep and need; `null` if the database could not be asked. */
  readonly grants: readonly string[] | null;
  readonly grantsUnknown?: string;
}

export interface RouteReport {
  readonly path: string;
  readonly contentType: string;
  /** Milliseconds. */
  readonly maxAge: number;
  /** Who may be served whose response. */
  readonly sharing: Sharing;
  readonly lane: LaneMode;
  readonly blockedBy: string | null;
  readonly advice: string | null;
}

/**
 * @param from the user's `--from`; if `undefined`, the keys in config/plugins and the dependencies decide.
 * @param scratch see {@link readGrants}.
 */
export const reportOn = async (
  loaded: LoadedApplication,
  from: OriginName | undefined,
  scratch: string,
): Promise<Report> => {
  const { strapi, plugins } = loaded;
  const origin = originOf(strapi, plugins, from);
  const written = plugins[origin?.key ?? 'rest-cache'];
  // Of a function, Strapi passes nothing on.
  const config = typeof written?.config === 'function' ? {} : (written?.config ?? {});
  const facts = gatherApplicationFacts(strapi);
  const isForeign = origin?.key === 'strapi-cache';
  const untranslatable = isForeign ? problemsOfStrapiCache(config) : [];
  const translation = isForeign && untranslatable.length === 0 ? translateStrapiCache(config, facts) : undefined;
  const known = {
    application: {
      directory: strapi.dirs.app.root,
      strapi: strapi.config.get<string>('info.strapi'),
      environment: strapi.config.get<string>('environment'),
    },
    from: origin?.name ?? null,
    packages: packagesOf(strapi, origin),
    options: reportOptions(config, origin ?? COMMUNITY),
    beside: origin?.beside ?? [],
    instead: translation === undefined ? null : withoutCredentials(translation.config),
  };
  const broken = (problems: readonly string[]): Report => ({
    ...known,
    problems,
    // Options reported as the same may be the very ones that are broken, so they are left out.
    options: known.options.filter(({ outcome }) => outcome !== 'same'),
    ...{ warnings: [], unsafe: [], lane: null, routes: [], handlers: [], grants: null },
  });
  if (written === undefined) return broken([missing(plugins, origin)]);
  if (untranslatable.length > 0) return broken(untranslatable);
  try {
    const resolved = resolveConfig(translation?.config ?? config, facts);
    // The plugin "redis" may have a connection to use in place of an address.
    if (resolved.provider.name === 'redis' && plugins.redis === undefined)
      refuseUnsetAddress(resolved.provider.options, known.application.environment);
    const { name, instance } = resolved.provider;
    if (instance === undefined && !BUILT_IN_PROVIDERS.includes(name))
      loadFactory(name, [strapi.dirs.dist.root, strapi.dirs.app.root]);
    const warnings = [
      ...disabled(written),
      ...(translation?.differences ?? []),
      ...(isForeign ? [] : otherCaches(loaded)),
      ...lateMiddlewares(strapi),
      ...resolved.warnings,
      ...nothingNamedWarnings(resolved.strategy, translation ?? written),
    ];
    return { ...known, problems: [], ...(await reportResolved(loaded, facts, { ...resolved, warnings }, scratch)) };
  } catch (error) {
    if (error instanceof ConfigurationError) return broken(error.problems);
    throw error;
  }
};

const disabled = ({ enabled }: WrittenPlugin): Warning[] =>
  enabled === false
    ? [
        warning(said('disabled')`config/plugins says enabled: false: Strapi does not load the plugin, so nothing is
          cached. The rest of this says what it would do.`),
      ]
    : [];

/** A plugin that config/plugins names was not loaded here; one that it does not name was, as the boot does. */
const otherCaches = ({ strapi, plugins }: LoadedApplication): readonly Warning[] => {
  const written = plugins['strapi-cache'];
  return otherCacheWarnings(written === undefined || written.enabled === false ? strapi : { plugins });
};

/** `register` and `bootstrap` are not run, but their source text shows whether they add a global middleware. */
const lateMiddlewares = (strapi: Core.Strapi): Warning[] => {
  const { app = {} } = strapi as unknown as { readonly app?: Readonly<Record<string, unknown>> };
  return ['register', 'bootstrap']
    .filter((name) => /\bserver\s*\.\s*(?:app\s*\.\s*)?use\s*\(/.test(String(app[name])))
    .map((name) =>
      warning(said('late-middleware')`src/index: ${name}() adds a middleware (strapi.server.use), so hits are answered
        on their route, unless strategy.repeatableMiddlewares names it.`),
    );
};

const missing = (plugins: LoadedApplication['plugins'], from: Origin | undefined): string => {
  const other = ORIGINS.find(({ key }) => plugins[key] !== undefined)?.key;
  if (from !== undefined && other !== undefined)
    return `config/plugins has no "${from.key}", which --from ${from.name} reads; leave --from out to read its "${other}".`;
  const likely = likelyName('rest-cache', Object.keys(plugins));
  const meant = likely === undefined ? '.' : `; there is "${likely}", did you mean "rest-cache"?`;
  return `config/plugins has neither "rest-cache" nor "strapi-cache", so nothing is cached${meant}`;
};

const originOf = (
  strapi: Core.Strapi,
  plugins: LoadedApplication['plugins'],
  from: OriginName | undefined,
): Origin | undefined => {
  const named = from ?? (plugins['rest-cache'] === undefined && plugins['strapi-cache'] ? 'strapi-cache' : undefined);
  if (named !== undefined) return ORIGINS.find(({ name }) => name === named);
  return ORIGINS.find((origin) => origin.key === 'rest-cache' && packagesOf(strapi, origin).length > 0);
};

const packagesOf = (strapi: Core.Strapi, origin: Origin | undefined): string[] => {
  const dependencies = Object.keys(strapi.config.get<object>('info.dependencies', {}));
  return origin === undefined
    ? []
    : [origin.package, ...origin.providers].filter((name) => dependencies.includes(name));
};

/** Replaces the values of Redis' options, which may be credentials, by `…`. */
const withoutCredentials = ({ provider = {}, strategy = {} }: RestCacheConfig): RestCacheConfig => {
  const written: Readonly<Record<string, unknown>> = { ...provider.options };
  const options =
    provider.name === 'memory' ? written : Object.fromEntries(Object.keys(written).map((option) => [option, '…']));
  return { provider: { ...provider, options }, strategy };
};

const reportResolved = async (
  { strapi, requireFromStrapi }: LoadedApplication,
  application: ApplicationFacts,
  { strategy, provider, warnings }: ResolvedConfig,
  scratch: string,
): Promise<Pick<Report, 'warnings' | 'unsafe' | 'lane' | 'routes' | 'handlers' | 'grants' | 'grantsUnknown'>> => {
  const { routes } = application;
  const stack = new MiddlewareStack(strapi);
  const { lane: choice } = choose(stack, strategy);
  const lanes = routeLanes(routesIn(strategy), routes, choice, () => true);
  const { mode, reason, advice } = choice;
  return {
    warnings: [...warnings.filter((warning) => !isUnsafe(warning)), ...providerWarnings(provider)].map(explained),
    unsafe: warnings.filter(isUnsafe).map(explained),
    lane: { mode, reason, advice: advice?.text },
    routes: lanes.map(({ route, lane, blockedBy, advice: what }) => ({
      path: route.path,
      contentType: route.contentType,
      maxAge: route.maxAge,
      sharing: sharingOf(route),
      lane,
      blockedBy: blockedBy?.text ?? null,
      advice: what?.text ?? null,
    })),
    handlers: reportHandlers(strapi, strategy, routes, stack.configured),
    ...(await readGrants({ strapi, requireFromStrapi }, scratch).then(
      (holders) => ({ grants: reportGrants(holders, strategy, application) }),
      (error: unknown) => ({ grants: null, grantsUnknown: error instanceof Error ? error.message : String(error) }),
    )),
  };
};
