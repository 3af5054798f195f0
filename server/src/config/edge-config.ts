import type { EdgePurge } from '../cache/edge-purge';

export interface VarnishTargetConfig {
  name: 'varnish';
  /** Where a `PURGE` reaches it: `http://127.0.0.1:6081/`. */
  url: string;
  /**
   * `'xkey'`: needs vmod_xkey. `'ban'`: a Varnish without it; bans are checked against each object when it is asked for.
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
   * Marks what is purged as outdated instead of taking it away; what Fastly then still answers is stale.
   * @default false
   */
  soft?: boolean;
  /**
   * Of Fastly's API.
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
   * Of Cloudflare's API.
   * @default 'https://api.cloudflare.com'
   */
  url?: string;
}

/** Anything that takes a POST with JSON: `{ sequence, keys, documents }`, signed in `x-rest-cache-signature`. */
export interface WebhookTargetConfig {
  name: 'webhook';
  url: string;
  /** What the body is signed with: HMAC-SHA256. */
  secret: string;
}

/** A function of your own, which is called again until it does not throw. */
export interface FunctionTargetConfig {
  name: 'function';
  purge: (purge: EdgePurge, signal: AbortSignal) => void | Promise<void>;
  /**
   * Keys in one call at most.
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
   * `'purge'`: the edge keeps answers, and is told which keys to purge with each write. `'revalidate'`: it keeps the bytes,
   * and asks every time whether they still hold; needs `enableEtag`.
   * @default 'purge'
   */
  mode?: 'purge' | 'revalidate';
  /**
   * The response header that carries an answer's keys: `'Surrogate-Key'`, `'Cache-Tag'`, `'xkey'`, `'Cache-Groups'`.
   * @default none: `mode: 'purge'` needs it
   */
  header?: string;
  /**
   * Of that header's value. Past it, keys of rows become keys of their tables.
   * @default 2048
   */
  maxHeaderBytes?: number;
  /**
   * How long the edge may keep an answer: `'config'`, as long as the entry is kept, or milliseconds.
   * @default 'config'
   */
  maxAge?: 'config' | number;
  /**
   * The header that tells it so. In `Cache-Control` it is `s-maxage`.
   * @default 'Cache-Control'
   */
  lifetimeHeader?: 'Cache-Control' | 'CDN-Cache-Control' | 'Surrogate-Control';
  /**
   * Milliseconds a write waits for its purges at most.
   * @default 1000
   */
  timeout?: number;
  /**
   * Who is to be told of purges.
   * @default []: `mode: 'purge'` needs one
   */
  targets?: readonly EdgeTargetConfig[];
}
