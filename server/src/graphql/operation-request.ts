import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { said, Sentence } from '../cache/sentence';
import { carriesBody } from '../http/request-message';

/** Names of operations stay in memory, also those that no document has: callers choose them. Characters. */
const LONGEST_NAME = 500;

export type Members = Readonly<Record<string, unknown>>;

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

/** Options of Apollo Server that decide which requests it answers. */
export interface RequestRules {
  /** Names of headers of which a GET has to have one; `undefined` if it need not (`csrfPrevention: false`). */
  readonly preflightHeaders: readonly string[] | undefined;
  readonly persistsQueries: boolean;
}

/** Media types of responses with one result, in Apollo Server's order of preference (ApolloServer.js, 4.13). */
const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const CALLBACK_TYPE = 'application/json; callbackSpec=1.0; charset=utf-8';
const MULTIPART_TYPES: readonly string[] = ['multipart/mixed; deferSpec=20220824', 'multipart/mixed'];

const NO_OPERATION = said('no-operation')`no operation`;

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
  if (!isOptional(operationName, isText) || !isOptional(variables, isMembers) || !isOptional(extensions, isMembers))
    return NO_OPERATION;
  const { persistedQuery, ...others } = extensions ?? {};
  if (persistedQuery !== undefined && !rules.persistsQueries) return said('persisted')`a persisted query`;
  const hash = hashOf(query, persistedQuery);
  if (hash === undefined) return NO_OPERATION;
  if ((operationName ?? '').length > LONGEST_NAME) return said('long-name')`a very long operationName`;
  return {
    hash,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    others: Object.keys(others).length === 0 ? rest : { ...rest, extensions: others },
    mediaType,
  };
};

const isText = (value: unknown): value is string => typeof value === 'string';

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOptional = <Is>(value: unknown, is: (value: unknown) => value is Is): value is Is | null | undefined =>
  value === undefined || value === null || is(value);

/**
 * The name under which the rest of a URL's query stands among the members of a body: what a resolver finds in the one is
 * not in the other. A body with such a member is refused.
 */
const URL_QUERY = ':query';

/** What stands in a JSON body; or why it does not count. */
const inBody = (ctx: Context): Members | Sentence => {
  if (ctx.is('application/json') !== 'application/json') return said('body-not-json')`a body that is not JSON`;
  const { body } = ctx.request as { body?: unknown };
  if (Array.isArray(body)) return said('batch')`a batch`;
  if (!isMembers(body) || Object.hasOwn(body, URL_QUERY)) return NO_OPERATION;
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
    preflightHeaders === undefined ||
    /^application\/json\b/i.test(headers['content-type'] ?? '') ||
    preflightHeaders.some((name) => (headers[name] ?? '') !== '');
  if (!isPreflighted) return said('no-preflight')`a GET without a header that keeps other sites from sending it`;
  const others = new URLSearchParams(ctx.search);
  const asked: Record<string, unknown> = {};
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    const [text, ...more] = others.getAll(name);
    if (more.length > 0) return said('twice')`${name} more than once`;
    if (text === undefined) continue;
    asked[name] = name === 'variables' || name === 'extensions' ? membersIn(text) : text;
    if (asked[name] === undefined) return said('no-object')`${name} that are no JSON object`;
    others.delete(name);
  }
  return others.size === 0 ? asked : { ...asked, [URL_QUERY]: others.toString() };
};

const membersIn = (json: string): Members | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const HASH = /^[0-9a-f]{64}$/;

/** @param persisted what an extension says of a persisted query, of which the text may be missing. */
const hashOf = (query: unknown, persisted: unknown): string | undefined => {
  if (query === '' || !isOptional(query, isText)) return undefined;
  const computed = isText(query) ? createHash('sha256').update(query).digest('hex') : undefined;
  if (persisted === undefined) return computed;
  const { version, sha256Hash: given } = isMembers(persisted) ? persisted : {};
  if (version !== 1 || !isText(given) || !HASH.test(given)) return undefined;
  return computed === undefined || computed === given ? given : undefined;
};
