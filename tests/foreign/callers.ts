import { bearer, createApiToken } from '../application/callers';
import type { Application } from '../application/start-application';

/** A caller: a name for the report, and the headers of the requests. */
export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

const user = async ({ strapi }: Application, username: string): Promise<Caller> => {
  const { id } = (await strapi.db.query('plugin::users-permissions.user').findOne({ where: { username } })) as {
    id: number;
  };
  const token = strapi.plugin('users-permissions').service('jwt').issue({ id }) as string;
  return { name: username, headers: bearer(token) };
};

/** The public, two users (the second one's role changes), and two API tokens. */
export const callersOf = async (application: Application): Promise<readonly Caller[]> => [
  { name: 'anonymous', headers: {} },
  await user(application, 'alice'),
  await user(application, 'bob'),
  { name: 'read-only token', headers: (await createApiToken(application, 'read-only')).headers },
  { name: 'full token', headers: (await createApiToken(application, 'full-access')).headers },
];
