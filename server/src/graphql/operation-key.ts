import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { cacheKey, type CacheKey, queryComponent } from '../cache/key';
import type { ResolvedKeys } from '../config/resolved-config';
import type { Identity } from '../http/caller-identity';
import { headerIn } from '../http/request-message';
import { BODY_SHAPING_HEADERS } from '../http/request-key';
import type { OperationRequest } from './operation-request';

/** Longer variables, in characters, become a digest: callers choose them, and keys stay in memory. */
const MAX_VARIABLES = 1000;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The key of an operation: injective like that of a route. The variables stand where a route's query parameters do, by
 * name, so that only the order within each counts; everything else of the request has a name that no header can have.
 */
export const operationKey = (
  endpoint: string,
  asked: OperationRequest,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  identity: string,
): CacheKey => {
  const variables = queryComponent(asked.variables);
  const isLong = variables.length > MAX_VARIABLES;
  const others = queryComponent(asked.others);
  return cacheKey({
    path: endpoint.replace(/[&?]/g, encodeURIComponent),
    query: isLong ? {} : asked.variables,
    headers: [
      [':document', asked.hash],
      ...(asked.operationName === undefined ? [] : [[':operation', asked.operationName] as const]),
      ...(isLong ? [[':variables', digest(variables)] as const] : []),
      ...(others === '' ? [] : [[':others', digest(others)] as const]),
      [':type', asked.mediaType],
      ...headers,
    ],
    identity,
  });
};

/** The key of a request under these settings. */
export const requestKeyOf = (
  ctx: Context,
  endpoint: string,
  asked: OperationRequest,
  { useHeaders, useAuth }: ResolvedKeys,
  identity: Identity,
): CacheKey => {
  const headers = [...new Set([...useHeaders, ...BODY_SHAPING_HEADERS])].flatMap((name) => {
    const value = headerIn(ctx.req.headers, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return operationKey(endpoint, asked, headers, useAuth === false ? '' : identity.name);
};
