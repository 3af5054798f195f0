import type { Core } from '@strapi/strapi';
import { z } from 'zod';
import { hasUsers, namedCallers, USER } from './caller-names';
import { parseRequest, text } from './request';

const callersQuery = z.object({
  search: text(200).default(''),
  user: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
});

interface User {
  readonly id: string | number;
  readonly username: string | null;
}

const usersNamed = async (strapi: Core.Strapi, search: string): Promise<User[]> =>
  (await strapi.db.query(USER).findMany({
    select: ['id', 'username'],
    where: search === '' ? {} : { username: { $containsi: search } },
    orderBy: { username: 'asc' },
    limit: MAX_USERS,
  })) as User[];

export type KnownCallers = Awaited<ReturnType<typeof knownCallers>>;

/** Maximum number of users listed. */
const MAX_USERS = 50;

/** Maximum number of tokens looked at. They are made by hand, and those for the admin API are among them. */
const MAX_TOKENS = 1000;

/**
 * Users and content-API tokens whose name contains the text `search`. The user with the id `user` is listed first.
 * Returns names only: no e-mail address, no access key.
 */
export const knownCallers = async (strapi: Core.Strapi, query: unknown) => {
  const { search, user } = parseRequest(callersQuery, query, 'The query is ?search=…&user=<id>');
  const asked = user === undefined ? [] : await namedCallers(strapi, [`up:${user}`]);
  const users = hasUsers(strapi) ? await usersNamed(strapi, search) : [];
  const tokens = (await strapi.db.query('admin::api-token').findMany({
    where: search === '' ? {} : { name: { $containsi: search } },
    orderBy: { name: 'asc' },
    limit: MAX_TOKENS,
  })) as Array<{ id: string | number; name: string; type: string | null; kind?: string | null }>;
  return {
    users: [
      ...asked.flatMap(({ name }) => (name === null ? [] : [{ id: Number(user), name }])),
      ...users
        .filter(({ id }) => String(id) !== user)
        .map(({ id, username }) => ({ id, name: username ?? String(id) })),
    ],
    // Tokens for the admin API are not valid on the content API. Tokens of older Strapis have no kind.
    tokens: tokens
      .filter(({ kind }) => kind === undefined || kind === null || kind === 'content-api')
      .map(({ id, name, type }) => ({ id, name, type: type ?? 'unknown' })),
  };
};
