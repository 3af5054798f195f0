import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Request headers that change neither who is asking nor what is answered: content negotiation Strapi does not do,
 * tracing, proxies, browser hints, and the conditional headers that a lane evaluates itself. Every other header,
 * known or not, is part of the fingerprint.
 */
const IMMATERIAL: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-language',
  'cache-control',
  'connection',
  'dnt',
  'forwarded',
  'from',
  'host',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'keep-alive',
  'max-forwards',
  'pragma',
  'priority',
  'proxy-connection',
  'purpose',
  'referer',
  'save-data',
  'te',
  'traceparent',
  'tracestate',
  'upgrade-insecure-requests',
  'user-agent',
  'via',
  'x-correlation-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

/** Headers whose values must not be kept, not even in memory: only their digest is. */
const SECRET: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Requests that ask for more than a plain answer. */
const UNANSWERABLE: ReadonlySet<string> = new Set(['content-length', 'expect', 'range', 'if-match', 'if-range', 'transfer-encoding', 'upgrade']);

/**
 * A text that two requests share only if the whole stack would answer them alike: method, target as spelled, every
 * header that may matter. `undefined` for requests that a lane leaves alone. Holds no credential.
 *
 * @param target what stands for the request target: the raw URL, or what the middlewares in front made of it.
 * @param variesOnEncoding whether something in the stack compresses.
 */
export const requestFingerprint = (
  { method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>,
  target: string,
  variesOnEncoding: boolean,
): string | undefined => {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  let fingerprint = `${method} ${target}`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (IMMATERIAL.has(name) || name.startsWith('sec-')) continue;
    if (name === 'accept-encoding' && !variesOnEncoding) continue;
    if (UNANSWERABLE.has(name)) return undefined;
    const value = rawHeaders[index + 1] ?? '';
    fingerprint += `\n${name}:${SECRET.has(name) ? digest(value) : value}`;
  }
  return fingerprint;
};

const digest = (secret: string): string => createHash('sha256').update(secret).digest('base64');
