import type { Context } from 'koa';
import type { CacheKey } from '../cache/key';
import type { MaybePromise } from '../cache/provider';
import type { Reason } from '../cache/response-cache';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import type { ResolvedRoute } from '../config/resolved-config';
import type { HitpassFunction } from '../config/user-config';
import { refusesStored } from './cache-control';
import type { Identity } from './caller-identity';
import type { CallerPages, Sharers } from './caller-reads';
import type { OperationRules } from './endpoint';
import { countedHeaders, requestKey } from './request-key';
import { carriesBody, isHttp2 } from './request-message';
import { describedRead, unkeyedByStrategy } from './unkeyed-reads';
import type { Variants } from './variants';

export type HitpassCode =
  | 'http2'
  | 'operation'
  | 'body'
  | 'credentials'
  | 'caller'
  | 'function'
  | 'function-failed'
  | 'no-identity'
  | 'unknown-caller'
  | 'strategy';

export type Hitpass = Reason<HitpassCode>;

export type Bypass = Hitpass | (Reason<'request-cache-control'> & { readonly directive: string });

/** The decision on a request to a cached route: it bypasses the cache, or is looked up under a key. */
export type Decision =
  | { readonly bypass: Bypass; readonly key?: undefined; readonly shared?: undefined; readonly lookedAt?: undefined }
  | (Sharers & { readonly bypass?: undefined; readonly key: CacheKey });

interface DecisionSettings {
  readonly honorRequestCacheControl: boolean;
  readonly variants?: Variants;
  readonly callerPages?: CallerPages;
  /** The rules of an operation, whose key covers the request's body; left out where no key does. */
  readonly operation?: OperationRules | undefined;
  readonly onHitpassError?: (error: unknown) => void;
}

/**
 * Decides whether a request to a cached route bypasses the cache, and if not, under which key it is looked up.
 *
 * Besides what is configured, a request bypasses the cache
 * - over HTTP/2, where the plugin does not watch what is read and sent;
 * - if it has a body, because no key covers a body;
 * - by default (`hitpass: true`), if its caller is identified by anything else than `Authorization` or `Cookie` (by a
 *   strategy that reads `x-api-key`, for example);
 * - if it carries a header that is not in the key and that an authentication strategy of the application reads;
 * - if callers are to be kept apart (`keys.useAuth`) and its caller has no certain identity, or it carries credentials
 *   to a route with `auth: false`: only the handler knows the caller there.
 */
export const decide = (
  ctx: Context,
  route: ResolvedRoute,
  identity: Identity,
  settings: DecisionSettings,
): MaybePromise<Decision> => {
  const { hitpass, alsoHitpass } = route;
  const reason = hitpassReason(ctx, route, identity, settings);
  const asked = hitpass === true ? alsoHitpass : hitpass;
  // Every promise saved counts: only a function of the user's is awaited.
  return reason !== undefined || typeof asked !== 'function'
    ? decideUnless(reason, ctx, route, identity, settings)
    : askedHitpass(asked, ctx, settings).then((given) => decideUnless(given, ctx, route, identity, settings));
};

const decideUnless = (
  hitpass: Hitpass | undefined,
  ctx: Context,
  route: ResolvedRoute,
  identity: Identity,
  { honorRequestCacheControl, variants, callerPages, operation }: DecisionSettings,
): Decision => {
  const bypass =
    hitpass ??
    unknownCaller(ctx, route, identity) ??
    readByStrategy(ctx, route, identity) ??
    (honorRequestCacheControl ? refusedByClient(ctx) : undefined);
  if (bypass !== undefined) return { bypass };
  const own = operation?.keyOf(ctx, identity) ?? requestKey(ctx, route.keys, identity);
  const sharers = callerPages?.decide(ctx, route, identity, own) ?? { primary: own };
  return { ...sharers, key: variants?.keyFor(sharers.primary, countedHeaders(ctx)) ?? sharers.primary };
};

const readByStrategy = (ctx: Context, route: ResolvedRoute, identity: Identity): Hitpass | undefined => {
  const name = unkeyedByStrategy(ctx, route, identity);
  return name === undefined
    ? undefined
    : {
        code: 'strategy',
        detail: `an authentication strategy reads ${describedRead(name)}, not in the key`,
        about: name,
      };
};

const refusedByClient = (ctx: Context): Bypass | undefined => {
  const directive = refusesStored(ctx.get('Cache-Control') || undefined, ctx.get('Pragma') || undefined);
  return (
    directive && {
      code: 'request-cache-control',
      directive,
      detail: `request Cache-Control: ${directive}`,
      about: `Cache-Control: ${directive}`,
    }
  );
};

/** Also where code in front has read a credential and removed it: the response may depend on it all the same. */
const carriesCredentials = (ctx: Context): boolean => {
  const headers = countedHeaders(ctx);
  return CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
};

/** The reason for a hitpass that is known without a function of the user's. */
const hitpassReason = (
  ctx: Context,
  { hitpass }: ResolvedRoute,
  identity: Identity,
  { operation }: DecisionSettings,
): Hitpass | undefined => {
  const refused = operation?.bypass(ctx);
  if (refused !== undefined) return refused;
  if (isHttp2(ctx.req)) return { code: 'http2', detail: 'HTTP/2' };
  if (operation === undefined && carriesBody(ctx.req)) return { code: 'body', detail: 'request with a body' };
  if (hitpass === true) {
    if (carriesCredentials(ctx)) return { code: 'credentials', detail: 'authorization or cookie header' };
    if (identity.kind !== 'public') return { code: 'caller', detail: 'authenticated caller' };
  }
  return undefined;
};

const askedHitpass = async (
  asked: HitpassFunction,
  ctx: Context,
  { onHitpassError }: DecisionSettings,
): Promise<Hitpass | undefined> => {
  try {
    return (await asked(ctx)) ? { code: 'function', detail: 'hitpass function' } : undefined;
  } catch (error) {
    onHitpassError?.(error);
    return { code: 'function-failed', detail: 'hitpass function failed' };
  }
};

const unknownCaller = (ctx: Context, { keys }: ResolvedRoute, identity: Identity): Hitpass | undefined => {
  if (keys.useAuth === false) return undefined;
  if (identity.kind === 'unknown') return { code: 'no-identity', detail: 'caller without an identity' };
  const isUnauthenticatedRoute = (ctx.state as { auth?: unknown }).auth === undefined;
  return isUnauthenticatedRoute && carriesCredentials(ctx)
    ? { code: 'unknown-caller', detail: 'credentials on a route without authentication' }
    : undefined;
};
