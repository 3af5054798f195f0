import * as crypto from 'node:crypto';
import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import { cacheKey } from '../cache/key';
import { routedPath } from '../http/request-key';
import { SECRET_HEADERS, TRACING_HEADERS } from '../http/request-message';

/**
 * Request headers that change neither the caller nor the response: content negotiation that Strapi does not do,
 * tracing, proxies, browser hints, and the conditional headers that a lane evaluates itself. Every other header, known
 * or not, is part of the fingerprint.
 */
const IMMATERIAL: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-language', 'te'],
  ...[...TRACING_HEADERS, 'baggage'],
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-real-ip'],
  ...['connection', 'host', 'keep-alive', 'max-forwards', 'proxy-connection'],
  ...['dnt', 'from', 'priority', 'purpose', 'referer', 'save-data', 'upgrade-insecure-requests', 'user-agent'],
  ...['cache-control', 'if-modified-since', 'if-none-match', 'if-unmodified-since', 'pragma'],
]);

/** Headers of requests that ask for more than the plain response, or have a body. */
const UNANSWERABLE: ReadonlySet<string> = new Set([
  ...['expect', 'range', 'if-match', 'if-range', 'upgrade'],
  ...['content-length', 'transfer-encoding'],
]);

/** Headers that say how a body is sent, and nothing that the body itself does not. */
const OF_BODIES: ReadonlySet<string> = new Set(['content-length', 'content-type', 'transfer-encoding']);

/** Whether the front lane leaves a request with headers of these names (in lower case) to the stack. */
export const isLeftAlone = (names: readonly string[]): boolean => names.some((name) => UNANSWERABLE.has(name));

/** How a header counts in the fingerprint. */
type Role = 'immaterial' | 'material' | 'secret' | 'unanswerable';

/** Maximum number of header names, as they are sent, that are remembered. Clients use few; any more are made up. */
const MAX_NAMES = 1000;

interface FingerprintSettings {
  /** Names, in lower case, of request headers that always count, in an entry's key for example. Names may be added. */
  readonly keyedHeaders: ReadonlySet<string>;
  /** Whether a middleware behind the lane compresses responses, so that these depend on `Accept-Encoding`. */
  readonly variesOnEncoding: boolean;
}

/** Turns requests into texts, which are the same only if the whole stack would answer both alike. */
export class RequestFingerprints {
  readonly #settings: FingerprintSettings;
  /** Role and lower-case name of a header, by its name as it is sent: clients send the same few again and again. */
  readonly #roles = new Map<string, readonly [role: Role, name: string]>();
  /** The number of keyed headers when the roles were found. */
  #keyed = 0;

  constructor(settings: FingerprintSettings) {
    this.#settings = settings;
  }

  /**
   * The fingerprint of a request: its method, its target, and every header that may matter; `undefined` for requests that
   * the front lane leaves to the stack. Contains credentials only as digests.
   *
   * @param target the raw URL, or what the middlewares in front have made of it.
   */
  of({ method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>, target: string): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    this.#forgetOutdatedRoles();
    let fingerprint = `${method} ${target}`;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [role, name] = this.#headerNamed(rawHeaders[index] ?? '');
      if (role === 'immaterial') continue;
      if (role === 'unanswerable') return undefined;
      const value = rawHeaders[index + 1] ?? '';
      fingerprint += `\n${name}:${role === 'secret' ? digest(value) : value}`;
    }
    return fingerprint;
  }

  /**
   * The fingerprint of a request that also includes what the middlewares in front have made of it: some turn a cookie into
   * an `Authorization`, or take a tenant's name out of the URL.
   */
  behindMiddlewares(ctx: Context): string | undefined {
    const { method, originalUrl, query, req } = ctx;
    const path = routedPath(ctx);
    const rawHeaders: string[] = [];
    for (const name in req.headers) rawHeaders.push(name, String(req.headers[name]));
    return this.of({ method, rawHeaders }, `${originalUrl} ${cacheKey({ path, query, headers: [], identity: '' })}`);
  }

  /** The fingerprint of a request for an endpoint: its body, which no role keeps from being answered, counts as well. */
  ofOperation(ctx: Context): string | undefined {
    const { method, originalUrl, request, req } = ctx;
    const rawHeaders: string[] = [];
    for (const name in req.headers) if (!OF_BODIES.has(name)) rawHeaders.push(name, String(req.headers[name]));
    const body = JSON.stringify((request as { body?: unknown }).body ?? null);
    return this.of({ method: 'GET', rawHeaders }, `${method} ${originalUrl} ${digest(body)}`);
  }

  /** Forgets the roles if another header has become a keyed one. */
  #forgetOutdatedRoles(): void {
    const { size } = this.#settings.keyedHeaders;
    if (size !== this.#keyed) this.#roles.clear();
    this.#keyed = size;
  }

  #headerNamed(sent: string): readonly [role: Role, name: string] {
    const known = this.#roles.get(sent);
    if (known !== undefined) return known;
    const name = sent.toLowerCase();
    const found = [this.#roleOf(name), name] as const;
    if (this.#roles.size < MAX_NAMES) this.#roles.set(sent, found);
    return found;
  }

  #roleOf(name: string): Role {
    const { keyedHeaders, variesOnEncoding } = this.#settings;
    if (UNANSWERABLE.has(name)) return 'unanswerable';
    // Credentials must not be kept, not even in memory: the fingerprint contains only their digests.
    if (SECRET_HEADERS.includes(name)) return 'secret';
    if (keyedHeaders.has(name)) return 'material';
    if (name === 'accept-encoding') return variesOnEncoding ? 'material' : 'immaterial';
    return IMMATERIAL.has(name) || name.startsWith('sec-') ? 'immaterial' : 'material';
  }
}

/** `crypto.hash`, which Node has from 20.12 on, takes a third of the time of `createHash`. */
const digest: (secret: string) => string =
  typeof (crypto as Partial<typeof crypto>).hash === 'function'
    ? (secret) => crypto.hash('sha256', secret, 'base64url')
    : (secret) => crypto.createHash('sha256').update(secret).digest('base64url');
