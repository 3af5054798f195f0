import { createHash } from 'node:crypto';
import { cacheKey, type CacheKey, queryComponent } from '../cache/key';
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
