import type { Core } from '@strapi/strapi';

/** A caller whose entries are their own, or `''` for everybody's. */
export interface ListedCaller {
  /** The last part of a key (caller-identity.ts). */
  readonly identity: string;
  /** A user's or a token's name, an admin's first and last; `null` for callers without one, and for those deleted since. */
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
  readonly model: 'plugin::users-permissions.user' | 'admin::api-token' | 'admin::user';
  readonly columns: readonly string[];
}

/** Names only, as with the callers of Explain: no e-mail address, no key. */
const KINDS: Readonly<Record<string, Kind>> = {
  up: { model: 'plugin::users-permissions.user', columns: ['username'] },
  token: { model: 'admin::api-token', columns: ['name'] },
  admin: { model: 'admin::user', columns: ['firstname', 'lastname'] },
};

const nameOf = ({ username, name, firstname, lastname }: Row): string =>
  [username, name, firstname, lastname].filter((part) => typeof part === 'string' && part !== '').join(' ');

/** `up:7` → `up` and `7`; callers without a row have none. */
const rowOf = (identity: string): readonly [kind: string, id: string] => {
  const [kind = '', id = ''] = identity.split(':');
  return identity === 'up:public' ? ['', ''] : [kind, id];
};

const namesById = async (strapi: Core.Strapi, { model, columns }: Kind, ids: readonly string[]) => {
  const rows = (await strapi.db
    .query(model)
    .findMany({ select: ['id', ...columns], where: { id: { $in: ids } } })
    // PostgreSQL refuses to compare a column of numbers with other text, and an older Strapi may lack the model.
    .catch(() => [])) as Row[];
  return new Map(rows.map((row) => [String(row.id), nameOf(row)]));
};

/** The callers with their names, in the order given. One query for each kind of them. */
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
