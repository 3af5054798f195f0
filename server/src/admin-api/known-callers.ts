import type { Core } from '@strapi/strapi';

/** Callers to choose from when a request is to be explained. */
export interface KnownCallers {
  readonly users: ReadonlyArray<{ readonly id: string | number; readonly name: string }>;
  readonly tokens: ReadonlyArray<{ readonly id: string | number; readonly name: string; readonly type: string }>;
}

const MAX_LISTED = 50;

/** Users whose name contains the text, and content-API tokens. Names only: no e-mail address, no key. */
export const knownCallers = async (strapi: Core.Strapi, search: string): Promise<KnownCallers> => {
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
