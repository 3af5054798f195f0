/** Where each warning is explained: a page of the documentation in this package, and a heading on that page. */
const EXPLAINED_IN = {
  'shared-entry': 'authenticated-traffic.md#hitpass-false-alone-is-dangerous',
  'ended-hitpass': 'authenticated-traffic.md#hitpass-false-alone-is-dangerous',
  'useless-use-auth': 'authenticated-traffic.md#cache-what-signed-in-callers-read',
  'shared-strategy': 'authenticated-traffic.md#cache-what-signed-in-callers-read',
  'credential-in-key': 'authenticated-traffic.md#cache-what-signed-in-callers-read',
  'short-duration': 'configuration.md#when-a-warning-is-logged',
  'ignored-parameters': 'public-site.md#name-the-query-parameters-that-matter',
  'private-scope': 'http.md#browsers-proxies-and-cdns',
  'unpurged-copies': 'cdn.md#browsers-and-cdns',
  'nothing-named': 'start.md#say-what-to-cache',
  'nothing-to-cache': 'custom-routes.md#custom-and-plugin-routes',
  'unknown-route': 'custom-routes.md#custom-and-plugin-routes',
  'method-not-cached': 'configuration.md#when-a-warning-is-logged',
  'parameter-names': 'options.md#route',
  'unknown-content-type': 'configuration.md#when-the-boot-stops',
  'every-content-type': 'public-site.md#cache-every-content-type',
  'memory-option': 'configuration.md#hold-more-or-less-in-memory',
  'redis-option': 'redis.md#options',
  'unset-address': 'configuration.md#when-a-warning-is-logged',
  'several-processes': 'deployment.md#one-process-or-several',
  'public-purge': 'purging.md#who-may-purge',
  'useless-edge': 'edge.md#what-gets-to-the-edge',
  'edge-behind': 'edge.md#when-something-is-written',
  disabled: 'troubleshooting.md#there-is-no-x-cache-at-all',
  unobservable: 'troubleshooting.md#there-is-no-x-cache-at-all',
  'writes-untold': 'troubleshooting.md#there-is-no-x-cache-at-all',
  triggers: 'freshness.md#limits',
  'unknown-tables': 'freshness.md#limits',
  'repeated-invalidation': 'troubleshooting.md#more-is-invalidated-than-i-expect',
  'repeatable-broken': 'lanes.md#say-that-they-are-repeatable',
  'repeatable-middlewares': 'lanes.md#global-middlewares',
  'late-middleware': 'lanes.md#global-middlewares',
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
}

/** Whether the warning is about something that may harm callers: responses or credentials may reach somebody else. */
export const isUnsafe = ({ code }: Warning): boolean => code === 'shared-entry' || code === 'credential-in-key';

export const warning = (code: WarningCode, text: string): Warning => ({ code, text });

export interface ExplainedWarning extends Warning {
  /** Path relative to the application's folder. */
  readonly explainedIn: string;
}

export const explained = ({ code, text }: Warning): ExplainedWarning => ({
  code,
  text,
  explainedIn: `node_modules/strapi-plugin-response-cache/docs/${EXPLAINED_IN[code]}`,
});

/** The warning as a line of the log. */
export const logLine = (logged: Warning): string => `[rest-cache] ${logged.text} See ${explained(logged).explainedIn}`;

/** Collects problems and warnings while the configuration is resolved. Problems stop the boot, warnings do not. */
export class Findings {
  readonly problems: string[] = [];
  readonly warnings: Warning[] = [];

  warn(code: WarningCode, text: string): void {
    this.warnings.push(warning(code, text));
  }
}
