import { createHash } from 'node:crypto';
import { cacheKey, type CacheKey, queryComponent } from '../cache/key';
import type { Members, OperationRequest } from './operation-request';

/** Longer variables, in characters of their JSON, become a digest: callers choose them, and keys stay in memory. */
const MAX_VARIABLES = 1000;

/** The same for members in another order: only the order within each counts, as in the query of a key. */
const digest = (members: Members): string => createHash('sha256').update(queryComponent(members)).digest('base64url');

/**
 * The key of an operation: injective like that of a route. The variables stand where a route's query parameters do;
 * everything else of the request has a name that no header can have.
 */
export const operationKey = (
  endpoint: string,
  { hash, operationName, variables, others, mediaType }: OperationRequest,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  identity: string,
): CacheKey => {
  const isLong = JSON.stringify(variables).length > MAX_VARIABLES;
  const parts: ReadonlyArray<readonly [name: string, value: string | undefined]> = [
    [':document', hash],
    [':operation', operationName],
    [':variables', isLong ? digest(variables) : undefined],
    [':others', Object.keys(others).length > 0 ? digest(others) : undefined],
    [':type', mediaType],
    ...headers,
  ];
  return cacheKey({
    path: endpoint.replace(/[&?]/g, encodeURIComponent),
    query: isLong ? {} : variables,
    headers: parts.filter((part): part is readonly [string, string] => part[1] !== undefined),
    identity,
  });
};
