import * as crypto from 'node:crypto';
import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import { cacheKey } from '../cache/key';
import { routedPath } from '../http/request-key';
import { CREDENTIAL_HEADERS, TRACING_HEADERS } from '../http/request-message';

/**
 * Request headers that change neither who is asking nor what is answered: content negotiation Strapi does not do,
 * tracing, proxies, browser hints, and the conditional headers that a lane evaluates itself. Every other header,
 * known or not, is part of the spelling.
 */
const IMMATERIAL: ReadonlySet<string> = new Set([
  ...TRACING_HEADERS,
  'accept',
  'accept-charset',
  'accept-language',
  'baggage',
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
  'upgrade-insecure-requests',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
]);

/** Requests that ask for more than a plain answer. */
const UNANSWERABLE: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'range',
  'if-match',
  'if-range',
  'transfer-encoding',
  'upgrade',
]);

/** Whether outer lanes leave a request with headers of these names (in lower case) to the stack. */
export const isLeftAlone = (names: readonly string[]): boolean => names.some((name) => UNANSWERABLE.has(name));

/** What a header means to the spelling. */
type Role = 'immaterial' | 'material' | 'secret' | 'unanswerable';

/** Names as clients spell them are few; beyond this many, somebody makes them up. */
const MAX_SPELLINGS = 1000;

interface SpellingSettings {
  /** Request headers that are part of any entry's key, in lower case: they matter, whatever they are. Some may be added. */
  readonly keyedHeaders: ReadonlySet<string>;
  /** Whether something in the stack compresses. */
  readonly variesOnEncoding: boolean;
}

/** Makes of a request a text that two requests share only if the whole stack would answer them alike. */
export class RequestSpellings {
  readonly #settings: SpellingSettings;
  /** Role and lower-case name by the very spelling: clients send the same few again and again. */
  readonly #roles = new Map<string, readonly [role: Role, name: string]>();
  /** How many headers were keyed when these were found. */
  #keyed = 0;

  constructor(settings: SpellingSettings) {
    this.#settings = settings;
  }

  /**
   * Method, target as spelled, and every header that may matter; `undefined` for requests that a lane leaves alone.
   * Holds no credential.
   *
   * @param target what stands for the request target: the raw URL, or what the middlewares in front made of it.
   */
  of({ method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>, target: string): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    this.#heedKeyed();
    let spelling = `${method} ${target}`;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [role, name] = this.#headerNamed(rawHeaders[index] ?? '');
      if (role === 'immaterial') continue;
      if (role === 'unanswerable') return undefined;
      const value = rawHeaders[index + 1] ?? '';
      spelling += `\n${name}:${role === 'secret' ? digest(value) : value}`;
    }
    return spelling;
  }

  /**
   * The same of a request as the middlewares in front have left it, as well: some turn a cookie into an `Authorization`,
   * or take a tenant's name out of the URL.
   */
  behindMiddlewares(ctx: Context): string | undefined {
    const { method, originalUrl, query, req } = ctx;
    const path = routedPath(ctx);
    const rawHeaders: string[] = [];
    for (const name in req.headers) rawHeaders.push(name, String(req.headers[name]));
    return this.of({ method, rawHeaders }, `${originalUrl} ${cacheKey({ path, query, headers: [], identity: '' })}`);
  }

  /** Another header may have turned out to be material. */
  #heedKeyed(): void {
    const { size } = this.#settings.keyedHeaders;
    if (size !== this.#keyed) this.#roles.clear();
    this.#keyed = size;
  }

  #headerNamed(spelled: string): readonly [role: Role, name: string] {
    const known = this.#roles.get(spelled);
    if (known !== undefined) return known;
    const name = spelled.toLowerCase();
    const found = [this.#roleOf(name), name] as const;
    if (this.#roles.size < MAX_SPELLINGS) this.#roles.set(spelled, found);
    return found;
  }

  #roleOf(name: string): Role {
    const { keyedHeaders, variesOnEncoding } = this.#settings;
    if (UNANSWERABLE.has(name)) return 'unanswerable';
    // Their values must not be kept, not even in memory: only their digest is.
    if (CREDENTIAL_HEADERS.includes(name)) return 'secret';
    if (keyedHeaders.has(name)) return 'material';
    if (name === 'accept-encoding') return variesOnEncoding ? 'material' : 'immaterial';
    return IMMATERIAL.has(name) || name.startsWith('sec-') ? 'immaterial' : 'material';
  }
}

/** In one call where Node has it (20.12): a third of the time. */
const digest: (secret: string) => string =
  typeof (crypto as Partial<typeof crypto>).hash === 'function'
    ? (secret) => crypto.hash('sha256', secret, 'base64url')
    : (secret) => crypto.createHash('sha256').update(secret).digest('base64url');
