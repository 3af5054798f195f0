import type { Application } from './start-application';

type Headers = Record<string, string>;

export const bearer = (credential: string): Headers => ({ authorization: `Bearer ${credential}` });

/**
 * The id and the request headers of a seeded customer (`alice`, `bob`). The token is issued directly: logging in over
 * HTTP is limited to a few times a minute.
 */
export const logInCustomer = async (
  application: Application,
  username: string,
): Promise<{ readonly id: number; readonly headers: Headers }> => {
  const { strapi } = application;
  const { id } = (await strapi.db.query('plugin::users-permissions.user').findOne({ where: { username } })) as {
    id: number;
  };
  return { id, headers: bearer(strapi.plugin('users-permissions').service('jwt').issue({ id }) as string) };
};

export interface ApiToken {
  readonly id: number;
  readonly headers: Headers;
}

/** Creates an API token; `permissions` are the actions of a custom one. */
export const createApiToken = async (
  { strapi }: Application,
  type: 'full-access' | 'read-only' | 'custom',
  permissions: readonly string[] = [],
  lifespan: number | null = null,
): Promise<ApiToken> => {
  const token = (await strapi.service('admin::api-token').create({
    name: `${type} ${Math.random()}`,
    description: '',
    kind: 'content-api',
    type,
    lifespan,
    ...(type === 'custom' ? { permissions } : {}),
  })) as { id: number; accessKey: string };
  return { id: token.id, headers: bearer(token.accessKey) };
};

const PERMISSION = 'plugin::users-permissions.permission';

const roleId = async ({ strapi }: Application, type: string): Promise<number> => {
  const role = (await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type } })) as { id: number };
  return role.id;
};

/** Grants actions to a users-permissions role (`public`, `authenticated`). */
export const grant = async (application: Application, roleType: string, ...actions: string[]): Promise<void> => {
  const role = await roleId(application, roleType);
  for (const action of actions) await application.strapi.db.query(PERMISSION).create({ data: { action, role } });
};

/** Takes actions away from a users-permissions role. */
export const revoke = async (application: Application, roleType: string, ...actions: string[]): Promise<void> => {
  const role = await roleId(application, roleType);
  await application.strapi.db.query(PERMISSION).deleteMany({ where: { action: { $in: actions }, role } });
};
