import type { ResolvedRoute } from '../config/resolved-config';
import { GRAPHQL } from '../graphql/graphql-uid';
import { isStrapis, PAGING_PARAMETERS, STRAPI_PARAMETERS } from '../monitor/new-values';

/**
 * The option by which requests that differ in these parameters alone share a response, as it is written in the
 * configuration; `null` if Strapi's own controllers obey one of them, and for GraphQL, whose parameters are variables.
 */
export const queryAdvice = ({ contentType, keys }: ResolvedRoute, ignored: readonly string[]): string | null => {
  if (contentType === GRAPHQL || ignored.some(isStrapis)) return null;
  const { useQueryParams } = keys;
  const obeyed = contentType.startsWith('plugin::') ? [...STRAPI_PARAMETERS, ...PAGING_PARAMETERS] : STRAPI_PARAMETERS;
  const counted = typeof useQueryParams === 'boolean' ? obeyed : useQueryParams;
  const names = counted.filter((name) => !ignored.includes(name));
  return `keys: { useQueryParams: [${names.map((name) => `'${name}'`).join(', ')}] }`;
};
