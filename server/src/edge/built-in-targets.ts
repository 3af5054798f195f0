import { createHmac } from 'node:crypto';
import type { EdgePurge, EdgeTarget } from '../cache/edge-purge';
import type { EdgeTargetConfig } from '../config/edge-config';

/** The HTTP request that sends one purge. */
interface PurgeRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const overHttp = (name: string, batch: number, request: (purge: EdgePurge) => PurgeRequest): EdgeTarget => ({
  name,
  batch,
  purge: async (purge, signal) => {
    const { url, method = 'POST', headers, body } = request(purge);
    const answer = await fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' }).catch(
      (error: Error) => {
        // The error of `fetch` says only that it failed; its cause says why.
        throw error.cause instanceof Error ? error.cause : error;
      },
    );
    // The body is read to its end, because otherwise the connection would not be reused.
    const text = await answer.text();
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    if (refuses(text)) throw new Error('it answered that it failed');
  },
});

/** Whether the body reports a failure: Cloudflare reports it there as well. */
const refuses = (text: string): boolean => /^\s*\{[^]*"success"\s*:\s*false/.test(text);

const JSON_TYPE = { 'content-type': 'application/json' };

/** The URL without slashes at its end. */
const base = (url: string): string => url.replace(/\/+$/, '');

/** Maximum number of keys in one call of a `function` target without a `batch` of its own. */
const FUNCTION_BATCH = 1000;

/** The target that a configuration names. */
export const targetOf = (config: EdgeTargetConfig): EdgeTarget => {
  switch (config.name) {
    case 'varnish': {
      // docs/cdns-and-proxies.md has the VCL. A ban puts the keys into a regular expression: they are letters, digits, `-` and `_`.
      const { url, method = 'xkey' } = config;
      const [header, separator] = method === 'ban' ? ['xkey-ban', '|'] : ['xkey-purge', ' '];
      // Keys of 8 characters: some 3 KB of the 8 KB that a header may have.
      return overHttp('varnish', 300, ({ keys }) => ({
        url,
        method: 'PURGE',
        headers: { [header]: keys.join(separator) },
      }));
    }
    case 'fastly': {
      // https://www.fastly.com/documentation/reference/api/purging/ (purge multiple surrogate keys: 256 at most).
      const { serviceId, token, soft, url = 'https://api.fastly.com' } = config;
      return overHttp('fastly', 256, ({ keys }) => ({
        url: `${base(url)}/service/${serviceId}/purge`,
        headers: { ...JSON_TYPE, 'fastly-key': token, ...(soft === true ? { 'fastly-soft-purge': '1' } : {}) },
        body: JSON.stringify({ surrogate_keys: keys }),
      }));
    }
    case 'cloudflare': {
      // https://developers.cloudflare.com/api/resources/cache/methods/purge/ (by tag; 30 in one call on every plan).
      const { zoneId, token, url = 'https://api.cloudflare.com' } = config;
      return overHttp('cloudflare', 30, ({ keys }) => ({
        url: `${base(url)}/client/v4/zones/${zoneId}/purge_cache`,
        headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
        body: JSON.stringify({ tags: keys }),
      }));
    }
    case 'webhook': {
      const { url, secret } = config;
      return overHttp('webhook', 1000, (purge) => {
        const body = JSON.stringify(purge);
        const signature = createHmac('sha256', secret).update(body).digest('hex');
        return { url, headers: { ...JSON_TYPE, 'x-rest-cache-signature': `sha256=${signature}` }, body };
      });
    }
    case 'function': {
      const { name, batch = FUNCTION_BATCH } = config;
      return { name, batch, purge: async (purge, signal) => config.purge(purge, signal) };
    }
  }
};
