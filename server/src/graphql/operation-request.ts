import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { said, Sentence } from '../cache/sentence';
import { carriesBody } from '../http/request-message';

/** Names of operations stay in memory, also those that no document has: callers choose them. Characters. */
const LONGEST_NAME = 500;

/** The operation that a request asks for, as far as the request says it. */
export interface OperationRequest {
  /** SHA-256 of the document's text, in hex: the number by which persisted queries are known. */
  readonly hash: string;
  readonly operationName: string | undefined;
  readonly variables: Members;
  /** What else the request holds: `extensions`, other members of a body, other parameters of a URL. */
  readonly others: Members;
  /** The media type of the response. */
  readonly mediaType: string;
}

export type Members = Readonly<Record<string, unknown>>;

/** Options of Apollo Server that decide which requests it answers. */
export interface RequestRules {
  /** Names of headers of which a GET has to have one; empty if it need not (`csrfPrevention: false`). */
  readonly preflightHeaders: readonly string[];
  readonly persistsQueries: boolean;
}

/** Media types of responses with one result, in Apollo Server's order of preference (ApolloServer.js, 4.13). */
const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const CALLBACK_TYPE = 'application/json; callbackSpec=1.0; charset=utf-8';
const MULTIPART_TYPES: readonly string[] = ['multipart/mixed; deferSpec=20220824', 'multipart/mixed'];

/**
 * Reads the operation of a POST with a JSON body or of a GET, as Apollo Server does. Any other request, and any that
 * Apollo Server would refuse before it looks at the operation, is not for the cache: why is returned.
 */
export const operationRequest = (ctx: Context, rules: RequestRules): OperationRequest | Sentence => {
  const mediaType = ctx.accepts([JSON_TYPE, RESPONSE_TYPE, CALLBACK_TYPE]);
  if (mediaType !== JSON_TYPE && mediaType !== RESPONSE_TYPE) return said('no-json')`no JSON is accepted`;
  const asked = ctx.method === 'POST' ? inBody(ctx) : inUrl(ctx, rules);
  if (asked instanceof Sentence) return asked;
  const { query, operationName, variables, extensions, ...rest } = asked;
  const { persistedQuery, ...others } = (extensions ?? {}) as Members;
  if (persistedQuery !== undefined && !rules.persistsQueries) return said('persisted')`a persisted query`;
  const hash = hashOf(query, persistedQuery);
  const isNamed = isOptional(operationName, (value) => typeof value === 'string');
  const areMembers = [variables, extensions].every((value) => isOptional(value, isMembers));
  if (hash === undefined || !isNamed || !areMembers) return said('no-operation')`no operation`;
  if (String(operationName).length > LONGEST_NAME) return said('long-name')`a very long operationName`;
  return {
    hash,
    operationName: (operationName as string | null) ?? undefined,
    variables: (variables ?? {}) as Members,
    others: Object.keys(others).length === 0 ? rest : { ...rest, extensions: others },
    mediaType,
  };
};

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || is(value);

/**
 * The name under which the rest of a URL's query stands among the members of a body: what a resolver finds in the one is
 * not in the other. A body with such a member is refused.
 */
const URL_QUERY = ':query';

const OF_OPERATIONS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions']);

/** What stands in a JSON body; or why it does not count. */
const inBody = (ctx: Context): Members | Sentence => {
  if (ctx.is('application/json') !== 'application/json') return said('body-not-json')`a body that is not JSON`;
  const { body } = ctx.request as { body?: unknown };
  if (Array.isArray(body)) return said('batch')`a batch`;
  if (!isMembers(body) || Object.hasOwn(body, URL_QUERY)) return said('no-operation')`no operation`;
  return ctx.querystring === '' ? body : { ...body, [URL_QUERY]: ctx.querystring };
};

/** What stands in the URL of a GET; or why it does not count. */
const inUrl = (ctx: Context, { preflightHeaders }: RequestRules): Members | Sentence => {
  const { headers } = ctx.req;
  if (ctx.method !== 'GET') return said('method')`method ${ctx.method}`;
  if (carriesBody(ctx.req)) return said('get-with-body')`a GET with a body`;
  if (ctx.accepts([JSON_TYPE, RESPONSE_TYPE, ...MULTIPART_TYPES, 'text/html']) === 'text/html')
    return said('html')`HTML is asked for`;
  const isPreflighted =
    preflightHeaders.length === 0 ||
    /^application\/json\b/i.test(headers['content-type'] ?? '') ||
    preflightHeaders.some((name) => (headers[name] ?? '') !== '');
  if (!isPreflighted) return said('no-preflight')`a GET without a header that keeps other sites from sending it`;
  const parameters = new URLSearchParams(ctx.search);
  const asked: Record<string, unknown> = {};
  const others = new URLSearchParams();
  for (const [name, value] of parameters) {
    if (Object.hasOwn(asked, name) || others.has(name)) return said('twice')`${name.slice(0, 50)} more than once`;
    if (OF_OPERATIONS.has(name)) asked[name] = value;
    else others.append(name, value);
  }
  try {
    for (const name of ['variables', 'extensions'])
      if (Object.hasOwn(asked, name)) {
        asked[name] = JSON.parse(String(asked[name])) as unknown;
        if (!isMembers(asked[name])) return said('no-object')`${name} that are no object`;
      }
  } catch {
    return said('variables-not-json')`variables or extensions that are not JSON`;
  }
  others.sort();
  return others.size === 0 ? asked : { ...asked, [URL_QUERY]: others.toString() };
};

const HASH = /^[0-9a-f]{64}$/;

const hashOf = (query: unknown, persisted: unknown): string | undefined => {
  const text = query === undefined || query === null ? undefined : query;
  if (text !== undefined && (typeof text !== 'string' || text === '')) return undefined;
  const computed = text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
  if (persisted === undefined) return computed;
  if (!isMembers(persisted) || persisted.version !== 1) return undefined;
  const { sha256Hash: given } = persisted;
  if (typeof given !== 'string' || !HASH.test(given)) return undefined;
  return computed === undefined || computed === given ? given : undefined;
};
