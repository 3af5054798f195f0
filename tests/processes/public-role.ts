import type { AdminSession } from '../application/admin-session';

interface Role {
  readonly id: number;
  readonly type: string;
  readonly permissions: Record<
    string,
    { readonly controllers: Record<string, Record<string, { enabled: boolean }>> } | undefined
  >;
}

/** Allows or forbids the public role one action of an API, as the admin panel does. */
export const setPublic = async (admin: AdminSession, api: string, action: string, enabled: boolean): Promise<void> => {
  const roles = await admin.get<{ roles: readonly Role[] }>('/users-permissions/roles');
  const id = roles.body.roles.find(({ type }) => type === 'public')?.id;
  const { role } = (await admin.get<{ role: Role }>(`/users-permissions/roles/${id}`)).body;
  const chosen = role.permissions[`api::${api}`]?.controllers[api]?.[action];
  if (chosen === undefined) throw new Error(`the public role knows no ${api}.${action}`);
  chosen.enabled = enabled;
  const { status } = await admin.put(`/users-permissions/roles/${id}`, role);
  if (status !== 200) throw new Error(`the role could not be changed: ${status}`);
};
