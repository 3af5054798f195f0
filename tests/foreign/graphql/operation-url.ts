import type { Url } from '../urls';

export interface Operation {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
  readonly extensions?: object;
}

interface Asking {
  readonly by?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly expected?: Url['expected'];
}

const PATH = '/graphql';

/** The URL of an operation. By default a GET, whose answer is cached for every caller who may have it. */
export const operationUrl = (
  operation: Operation,
  { by = 'GET', headers = {}, expected = 'cached' }: Asking = {},
): Url => {
  if (by === 'POST') return { name: 'graphql', path: PATH, body: JSON.stringify(operation), headers, expected };
  const { query, operationName, variables, extensions } = operation;
  const parameters = new URLSearchParams({ query });
  if (operationName !== undefined) parameters.set('operationName', operationName);
  if (variables !== undefined) parameters.set('variables', JSON.stringify(variables));
  if (extensions !== undefined) parameters.set('extensions', JSON.stringify(extensions));
  const preflighted = { 'apollo-require-preflight': 'true', ...headers };
  return { name: 'graphql', path: `${PATH}?${parameters.toString()}`, headers: preflighted, expected };
};
