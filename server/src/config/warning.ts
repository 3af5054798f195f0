import type { Sentence } from '../cache/sentence';

/** Where each warning is explained: a page of the documentation in this package, and a heading on that page. */
const EXPLAINED_IN = {
  'shared-entry': 'signed-in-users.md#hitpass-false-alone-is-dangerous',
  'ended-hitpass': 'signed-in-users.md#hitpass-false-alone-is-dangerous',
  'useless-use-auth': 'signed-in-users.md#cache-responses-for-signed-in-callers',
  'shared-strategy': 'signed-in-users.md#cache-responses-for-signed-in-callers',
  'credential-in-key': 'signed-in-users.md#cache-responses-for-signed-in-callers',
  'short-duration': 'configuration.md#when-a-warning-is-logged',
  'ignored-parameters': 'public-site.md#name-the-query-parameters-that-matter',
  'cache-control-off': 'cdns-and-proxies.md#browsers',
  'private-scope': 'http.md#browsers-proxies-and-cdns',
  'unpurged-copies': 'cdns-and-proxies.md#browsers',
  'nothing-named': 'start.md#say-what-to-cache',
  'nothing-to-cache': 'your-own-code.md#custom-routes',
  'unknown-route': 'your-own-code.md#custom-routes',
  'misspelt-route': 'your-own-code.md#custom-routes',
  'method-not-cached': 'configuration.md#when-a-warning-is-logged',
  'parameter-names': 'options.md#route',
  'unknown-content-type': 'configuration.md#when-strapi-does-not-start',
  'misspelt-content-type': 'configuration.md#when-strapi-does-not-start',
  'excluded-in-vain': 'public-site.md#cache-every-content-type',
  'every-found-none': 'public-site.md#cache-every-content-type',
  'memory-option': 'configuration.md#memory-size',
  'redis-option': 'redis.md#options',
  'unset-address': 'configuration.md#when-a-warning-is-logged',
  'stale-unsupported': 'no-cold-pages.md#while-the-database-is-down',
  'several-processes': 'redis.md#one-process-or-several',
  'other-cache': 'migrating.md#from-strapi-cache',
  'public-purge': 'purging.md#who-may-purge',
  'useless-edge': 'cdns-and-proxies.md#which-responses-reach-the-edge',
  'edge-behind': 'cdns-and-proxies.md#when-something-is-written',
  disabled: 'troubleshooting.md#there-is-no-x-cache-at-all',
  unobservable: 'troubleshooting.md#there-is-no-x-cache-at-all',
  'writes-unannounced': 'troubleshooting.md#there-is-no-x-cache-at-all',
  triggers: 'what-is-observed.md#triggers-views-and-functions',
  'unknown-tables': 'what-is-observed.md#triggers-views-and-functions',
  'repeated-invalidation': 'troubleshooting.md#more-is-invalidated-than-i-expect',
  'repeatable-broken': 'where-hits-are-answered.md#repeatable-functions',
  'repeatable-middlewares': 'where-hits-are-answered.md#global-middlewares',
  'unknown-middleware': 'where-hits-are-answered.md#global-middlewares',
  'misspelt-middleware': 'where-hits-are-answered.md#global-middlewares',
  'late-middleware': 'where-hits-are-answered.md#global-middlewares',
  'graphql-missing': 'graphql.md#switch-it-on',
  'graphql-not-cached': 'graphql.md#when-it-is-not-cached',
  'recv-asked': 'migrating.md#from-plugin-rest-cache-5',
  'route-left-out': 'migrating.md#from-strapi-cache',
  'url-not-told-apart': 'migrating.md#from-strapi-cache',
} as const satisfies Readonly<Record<string, `${string}.md#${string}`>>;

export type WarningCode = keyof typeof EXPLAINED_IN;

export const WARNING_CODES = Object.keys(EXPLAINED_IN) as readonly WarningCode[];

/** One sentence for the owner of the application: Strapi starts, but the cache does not do what is expected. */
export interface Warning {
  readonly code: WarningCode;
  readonly text: string;
  readonly sentence: Sentence;
}

/** Whether the warning is about something that may harm callers: responses or credentials may reach somebody else. */
export const isUnsafe = ({ code }: Warning): boolean => code === 'shared-entry' || code === 'credential-in-key';

/** @param code where it is not that of the sentence. */
export function warning(sentence: Sentence<WarningCode>): Warning;
export function warning(sentence: Sentence, code: WarningCode): Warning;
export function warning(sentence: Sentence, code = sentence.code as WarningCode): Warning {
  return { code, text: sentence.text, sentence };
}

export interface ExplainedWarning extends Warning {
  /** Path relative to the application's folder. */
  readonly explainedIn: string;
}

export const explained = (explains: Warning): ExplainedWarning => ({
  ...explains,
  explainedIn: `node_modules/strapi-plugin-response-cache/docs/${EXPLAINED_IN[explains.code]}`,
});

/** The warning as a line of the log. */
export const logLine = (logged: Warning): string => `[rest-cache] ${logged.text} See ${explained(logged).explainedIn}`;

/** Collects problems and warnings while the configuration is resolved. Problems stop the boot, warnings do not. */
export class Findings {
  readonly problems: string[] = [];
  readonly warnings: Warning[] = [];

  /** @param problem may have line breaks in the place of spaces. */
  refuse(problem: string): void {
    this.problems.push(problem.replace(/\n\s*/g, ' '));
  }

  warn(sentence: Sentence<WarningCode>): void {
    this.warnings.push(warning(sentence));
  }
}
