import type { Core } from '@strapi/strapi';
import { z } from 'zod';
import { describeValue } from '../config/configuration-error';
import type { RestCache } from '../plugin/rest-cache';
import { explain, type Explanation, type ExplainRequest } from './explain';
import { badRequest, parseRequest, text } from './request';

const id = z.union([z.number().int(), text(100).min(1)]);

const schema = z.strictObject({
  url: text(8000).min(1),
  as: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('anonymous') }),
    z.strictObject({ kind: z.literal('user'), id }),
    z.strictObject({ kind: z.literal('token'), id }),
  ]),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected a header name'), text(4000))
    .default({}),
});

/** `url` may be a whole address. */
export type ExplainBody = z.input<typeof schema>;

const FORM = 'The body is { url, as: { kind: "anonymous" } | { kind: "user" | "token", id }, headers? }';

/** @throws an error that is answered with status 400. */
export const explainRequest = (body: unknown): ExplainRequest => {
  const { url, as, headers } = parseRequest(schema, body, FORM);
  return { target: targetOf(url), as, headers };
};

/** Whatever host it was copied from: what counts is path and query. */
const targetOf = (url: string): string => {
  try {
    const { pathname, search } = new URL(url.trim(), 'http://localhost');
    return pathname + search;
  } catch {
    throw badRequest(`${describeValue(url)} is not a URL`);
  }
};

/** What `POST /rest-cache/explain` asks for. */
export const explainRequested = async (restCache: RestCache, body: unknown): Promise<Explanation> => {
  const request = explainRequest(body);
  const explanation = await explain(restCache, request);
  if (explanation !== undefined) return explanation;
  throw badRequest(`There is no such ${request.as.kind === 'token' ? 'API token' : 'user'}`);
};

const callersQuery = z.object({ search: text(200).default('') });

export type KnownCallers = Awaited<ReturnType<typeof knownCallers>>;

/** Callers listed of each kind. */
const MAX_LISTED = 50;

/** Users whose name contains the text, and content-API tokens. Names only: no e-mail address, no key. */
export const knownCallers = async (strapi: Core.Strapi, query: unknown) => {
  const { search } = parseRequest(callersQuery, query, 'The query is ?search=…');
  const users = (await strapi.db.query('plugin::users-permissions.user').findMany({
    select: ['id', 'username'],
    where: search === '' ? {} : { username: { $containsi: search } },
    orderBy: { username: 'asc' },
    limit: MAX_LISTED,
  })) as Array<{ id: string | number; username: string | null }>;
  const tokens = (await strapi.db
    .query('admin::api-token')
    .findMany({ orderBy: { name: 'asc' }, limit: MAX_LISTED })) as Array<{
    id: string | number;
    name: string;
    type: string | null;
    kind?: string | null;
  }>;
  return {
    users: users.map(({ id, username }) => ({ id, name: username ?? String(id) })),
    // Tokens for the admin API authenticate nobody on the content API; older Strapis have no kinds.
    tokens: tokens
      .filter(({ kind }) => kind === undefined || kind === null || kind === 'content-api')
      .map(({ id, name, type }) => ({ id, name, type: type ?? 'unknown' })),
  };
};
