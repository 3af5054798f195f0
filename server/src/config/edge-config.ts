import type { EdgePurge } from '../cache/edge-purge';

export interface VarnishTargetConfig {
  name: 'varnish';
  /** Where Varnish accepts `PURGE` requests: `http://127.0.0.1:6081/`. */
  url: string;
  /**
   * `'xkey'`: needs vmod_xkey. `'ban'`: for a Varnish without that module, which compares each requested object with
   * the bans.
   * @default 'xkey'
   */
  method?: 'xkey' | 'ban';
}

export interface FastlyTargetConfig {
  name: 'fastly';
  serviceId: string;
  /** An API token that may purge by key. */
  token: string;
  /**
   * Marks purged responses as outdated instead of removing them. Fastly may then still serve them stale.
   * @default false
   */
  soft?: boolean;
  /**
   * The address of Fastly's API.
   * @default 'https://api.fastly.com'
   */
  url?: string;
}

export interface CloudflareTargetConfig {
  name: 'cloudflare';
  zoneId: string;
  /** An API token with the permission "Cache Purge". */
  token: string;
  /**
   * The address of Cloudflare's API.
   * @default 'https://api.cloudflare.com'
   */
  url?: string;
}

/** Any URL that accepts a POST with JSON: `{ sequence, keys, documents }`, signed in `x-rest-cache-signature`. */
export interface WebhookTargetConfig {
  name: 'webhook';
  url: string;
  /** The secret that the body is signed with (HMAC-SHA256). */
  secret: string;
}

/** A function of your own. If it throws, it is called again. */
export interface FunctionTargetConfig {
  name: 'function';
  purge: (purge: EdgePurge, signal: AbortSignal) => void | Promise<void>;
  /**
   * The maximum number of keys in one call.
   * @default 1000
   */
  batch?: number;
}

export type EdgeTargetConfig =
  | VarnishTargetConfig
  | FastlyTargetConfig
  | CloudflareTargetConfig
  | WebhookTargetConfig
  | FunctionTargetConfig;

/** Caches in front of the application: CDNs and proxies. */
export interface EdgeConfig {
  /**
   * `'purge'`: each write purges the keys of the changed rows. `'revalidate'`: the edge asks before each use; needs
   * `enableEtag`.
   * @default 'purge'
   */
  mode?: 'purge' | 'revalidate';
  /**
   * The response header that carries the keys: `'Surrogate-Key'`, `'Cache-Tag'`, `'xkey'`, `'Cache-Groups'`.
   * @default none: `mode: 'purge'` needs it
   */
  header?: string;
  /**
   * Bytes that this header may have. Beyond it, keys of tables replace those of rows.
   * @default 2048
   */
  maxHeaderBytes?: number;
  /**
   * How long the edge may keep a response: `'config'`, as long as the plugin; or milliseconds, 0 or more.
   * @default 'config'
   */
  maxAge?: 'config' | number;
  /**
   * The header that carries this time.
   * @default 'Cache-Control'
   */
  lifetimeHeader?: 'Cache-Control' | 'CDN-Cache-Control' | 'Surrogate-Control';
  /**
   * Milliseconds that a write waits for its purges at most.
   * @default 1000
   */
  timeout?: number;
  /**
   * How long the edge may keep a response while a target has not accepted all purges: milliseconds.
   * @default 60000
   */
  whileUnreachable?: number;
  /**
   * The caches that purges are sent to.
   * @default []: `mode: 'purge'` needs one
   */
  targets?: readonly EdgeTargetConfig[];
}
