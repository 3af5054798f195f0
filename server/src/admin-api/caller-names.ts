import type { Core, UID } from '@strapi/strapi';

/** A caller or role with entries of their own; the identity `''` stands for entries that all callers share. */
export interface ListedCaller {
  /** As in the last part of a key (caller-identity.ts). */
  readonly identity: string;
  /** The name of a user, role or token, the names of an admin; `null` for callers without one or deleted since. */
  readonly name: string | null;
}

interface Row {
  readonly id: string | number;
  readonly username?: string | null;
  readonly name?: string | null;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
}

interface Kind {
  readonly model: UID.ContentType;
  readonly columns: readonly string[];
}

export const USER = 'plugin::users-permissions.user';

/** The columns that hold the name of each kind of caller. Nothing else is read: no e-mail address, no access key. */
const KINDS: Readonly<Record<string, Kind>> = {
  up: { model: USER, columns: ['username'] },
  role: { model: 'plugin::users-permissions.role', columns: ['name'] },
  token: { model: 'admin::api-token', columns: ['name'] },
  admin: { model: 'admin::user', columns: ['firstname', 'lastname'] },
};

const nameOf = ({ username, name, firstname, lastname }: Row): string =>
  [username, name, firstname, lastname].filter((part) => typeof part === 'string' && part !== '').join(' ');

/** Splits an identity into kind and row id of the caller: `up:7` into `up` and `7`. Both are empty for `up:public`. */
const rowOf = (identity: string): readonly [kind: string, id: string] => {
  const [kind = '', id = ''] = identity.split(':');
  return identity === 'up:public' ? ['', ''] : [kind, id];
};

/** Whether the application has the plugin users-permissions: without it, Strapi does not know the content type. */
export const hasUsers = ({ db }: Core.Strapi): boolean => db.metadata.has(USER);

const namesById = async (strapi: Core.Strapi, { model, columns }: Kind, ids: readonly string[]) => {
  // An application may lack the plugin, and an older Strapi the model.
  if (!strapi.db.metadata.has(model)) return new Map<string, string>();
  const rows = (await strapi.db
    .query(model)
    .findMany({ select: ['id', ...columns], where: { id: { $in: ids } } })
    // PostgreSQL refuses to compare a numeric column with other text.
    .catch(() => [])) as Row[];
  return new Map(rows.map((row) => [String(row.id), nameOf(row)]));
};

/** The callers with their names, in the order given. Sends one query for each kind of caller. */
export const namedCallers = async (strapi: Core.Strapi, identities: readonly string[]): Promise<ListedCaller[]> => {
  const names = new Map<string, ReadonlyMap<string, string>>();
  for (const [kind, asked] of Object.entries(KINDS)) {
    const ids = identities.map(rowOf).flatMap(([own, id]) => (own === kind ? [id] : []));
    if (ids.length > 0) names.set(kind, await namesById(strapi, asked, ids));
  }
  return identities.map((identity) => {
    const [kind, id] = rowOf(identity);
    const name = names.get(kind)?.get(id) ?? '';
    return { identity, name: name === '' ? null : name };
  });
};

/** The primary key of a user who may log in and gets this entry, if it is for the users of a role; `null` otherwise. */
export const memberOf = async (strapi: Core.Strapi, identity: string): Promise<string | null> => {
  const [kind, id] = rowOf(identity);
  if (kind !== 'role' || !hasUsers(strapi)) return null;
  const users = strapi.db.query(USER);
  const user = (await users.findOne({ select: ['id'], where: { role: { id }, blocked: false } })) as Row | null;
  return user && String(user.id);
};
