import type { Core, UID } from '@strapi/strapi';
import type { TrialCaller } from '../lanes/trial-request';
import { hasUsers, USER } from './caller-names';

/** The caller for whom a request is explained. */
export type Caller = { readonly kind: 'anonymous' } | { readonly kind: 'user' | 'token'; readonly id: string | number };

/** A caller, as Strapi's authentication would describe them on a request's context. */
export interface SimulatedCaller extends TrialCaller {
  readonly sendsCredentials: boolean;
}

interface Ability {
  can(action: string): boolean;
}

interface PermissionService {
  findPublicPermissions(): Promise<unknown[]>;
  findRolePermissions(roleId: string | number): Promise<unknown[]>;
  toContentAPIPermission(permission: unknown): unknown;
}

interface ApiToken {
  readonly id: string | number;
  readonly type: string;
  readonly expiresAt?: string | number | null;
  readonly permissions?: ReadonlyArray<{ readonly action: string }>;
}

interface User {
  readonly id: string | number;
  readonly blocked?: boolean;
  readonly confirmed?: boolean;
  readonly role?: { readonly id: string | number } | null;
}

/** The scopes that a route requires (`config.auth.scope`); Strapi sets them for routes with a controller action. */
const scopesOf = (routeAuth: unknown): readonly string[] => {
  const { scope } = Object(routeAuth) as { readonly scope?: unknown };
  return [scope].flat().filter((name) => typeof name === 'string');
};

const generateAbility = (strapi: Core.Strapi, permissions: unknown[]): Promise<Ability> =>
  strapi.contentAPI.permissions.engine.generateAbility(permissions as never) as unknown as Promise<Ability>;

/** Builds a caller from the database, without their credential; `undefined` if there is none with this id. */
export const simulateCaller = async (strapi: Core.Strapi, caller: Caller): Promise<SimulatedCaller | undefined> => {
  if (caller.kind === 'anonymous') return simulateUser(strapi, undefined);
  if (caller.kind === 'token') {
    const token = await rowWith<ApiToken>(strapi, 'admin::api-token', caller.id, 'permissions');
    return token === null ? undefined : simulateToken(strapi, token);
  }
  const user = hasUsers(strapi) ? await rowWith<User>(strapi, USER, caller.id, 'role') : null;
  return user === null ? undefined : simulateUser(strapi, user);
};

const rowWith = async <Row>(strapi: Core.Strapi, uid: UID.ContentType, id: string | number, relation: string) =>
  (await strapi.db
    .query(uid)
    .findOne({ where: { id }, populate: [relation] })
    // PostgreSQL refuses to compare a numeric column with an id that is no number: no row has such an id.
    .catch(() => null)) as Row | null;

/** Whether users log in only once their e-mail address is confirmed (users-permissions, strategies). */
const wantsConfirmation = async (strapi: Core.Strapi): Promise<boolean> => {
  const store = strapi.store({ type: 'plugin', name: 'users-permissions' });
  const settings = (await store.get({ key: 'advanced' })) as { readonly email_confirmation?: boolean } | null;
  return settings?.email_confirmation === true;
};

/** What a user's role may do, or the role Public. Without users-permissions, there is no such role. */
const permissionsOf = async (strapi: Core.Strapi, user: User | undefined): Promise<unknown[]> => {
  if (!hasUsers(strapi)) return [];
  if (user !== undefined && !user.role) return [];
  const service = strapi.plugin('users-permissions').service<PermissionService>('permission');
  const granted = await (user?.role ? service.findRolePermissions(user.role.id) : service.findPublicPermissions());
  return granted.map((permission) => service.toContentAPIPermission(permission));
};

/** @param user `undefined` for a caller without credentials. */
const simulateUser = async (strapi: Core.Strapi, user: User | undefined): Promise<SimulatedCaller> => {
  const permissions = await permissionsOf(strapi, user);
  const isRefused =
    user === undefined
      ? permissions.length === 0
      : user.blocked === true || (user.confirmed !== true && (await wantsConfirmation(strapi)));
  const ability = await generateAbility(strapi, permissions);
  return {
    auth: { strategy: { name: 'users-permissions' }, credentials: user ?? null, ability },
    user,
    sendsCredentials: user !== undefined,
    isRefused,
    mayUse: (routeAuth) => {
      const scopes = scopesOf(routeAuth);
      // Strapi lets users, but not the public, use a route that requires nothing.
      return !isRefused && (user !== undefined || scopes.length > 0) && scopes.every((scope) => ability.can(scope));
    },
  };
};

const simulateToken = async (strapi: Core.Strapi, token: ApiToken): Promise<SimulatedCaller> => {
  const { type, expiresAt, permissions = [] } = token;
  const granted = new Set(permissions.map(({ action }) => action));
  const actions = [...granted].map((action) => ({ action }));
  const isExpired = expiresAt !== null && expiresAt !== undefined && new Date(expiresAt).getTime() <= Date.now();
  return {
    auth: {
      strategy: { name: 'content-api-token' },
      credentials: { ...token, permissions: [...granted] },
      ability: type === 'custom' ? await generateAbility(strapi, actions) : null,
    },
    user: undefined,
    sendsCredentials: true,
    isRefused: isExpired,
    mayUse: (routeAuth) => {
      if (isExpired) return false;
      if (type === 'full-access') return true;
      const scopes = scopesOf(routeAuth);
      // Recognises reading actions as Strapi's own strategy does (admin, strategies/content-api-token.js).
      if (type === 'read-only') return scopes.length > 0 && scopes.every((scope) => /find(One)?$/.test(scope));
      return scopes.every((scope) => granted.has(scope));
    },
  };
};
