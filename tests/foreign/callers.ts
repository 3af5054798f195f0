import { bearer, createApiToken } from '../application/callers';
import type { Application } from '../application/start-application';
import { PERMISSION, ROLE, USER } from './world';

/** A caller: a name for the report, and the headers of the requests. */
export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Id {
  readonly id: number;
}

const user = async ({ strapi }: Application, username: string): Promise<Caller> => {
  const { id } = (await strapi.db.query(USER).findOne({ where: { username } })) as Id;
  const token = strapi.plugin('users-permissions').service('jwt').issue({ id }) as string;
  return { name: username, headers: bearer(token) };
};

export const newUser = async (application: Application, username: string, role: number): Promise<Caller> => {
  const account = { username, email: `${username}@example.com`, nick: `nick of ${username}`, provider: 'local' };
  const state = { confirmed: true, blocked: false, role };
  await application.strapi.db.query(USER).create({ data: { ...account, ...state } });
  return user(application, username);
};

const ANONYMOUS: Caller = { name: 'anonymous', headers: {} };

export const fullToken = async (application: Application): Promise<Caller> => ({
  name: 'full token',
  headers: (await createApiToken(application, 'full-access')).headers,
});

/** The public, two users (the second one's role changes), and two API tokens. */
export const callersOf = async (application: Application, full: Caller): Promise<readonly Caller[]> => [
  ANONYMOUS,
  await user(application, 'alice'),
  await user(application, 'bob'),
  { name: 'read-only token', headers: (await createApiToken(application, 'read-only')).headers },
  full,
];

/** The types of the roles whose users share answers. */
export const SHARING_ROLES = ['authenticated', 'guild', 'patron', 'press'] as const;

const USERS_OF_A_ROLE = 5;

/** The public, and 20 users in four roles, one role after the other. Those whom the seed has not made are made. */
export const usersInRoles = async (application: Application): Promise<readonly Caller[]> => {
  const { strapi } = application;
  const roleOf = async (type: string): Promise<Id> => {
    const role = (await strapi.db.query(ROLE).findOne({ where: { type } })) as Id | null;
    if (role !== null) return role;
    const made = (await strapi.db.query(ROLE).create({ data: { name: type, type, description: '' } })) as Id;
    const ofGuild = await strapi.db.query(PERMISSION).findMany({ where: { role: { type: 'guild' } } });
    for (const { action } of ofGuild as Array<{ readonly action: string }>)
      if (type !== 'press' || !action.startsWith('api::hall'))
        await strapi.db.query(PERMISSION).create({ data: { action, role: made.id } });
    return made;
  };
  const callers = [ANONYMOUS];
  for (const type of SHARING_ROLES) {
    const role = await roleOf(type);
    const users = (await strapi.db.query(USER).findMany({ where: { role: role.id } })) as Array<{ username: string }>;
    const names = users.map(({ username }) => username);
    for (const name of names) callers.push(await user(application, name));
    while (names.length < USERS_OF_A_ROLE) {
      const username = `${type}-${names.length}`;
      callers.push(await newUser(application, username, role.id));
      names.push(username);
    }
  }
  return callers;
};
