import type { Row } from '../../differential/content';
import { SHARING_ROLES } from '../callers';
import { PERMISSION, ROLE, USER, kindsOf, type World } from '../world';

/** What the answers show only to roles that may find it, and whole routes. */
const SHOWN = [
  'api::hall.hall.find',
  'api::act.act.find',
  'api::house.house.find',
  'api::notice.notice.find',
  'api::event.event.find',
  'plugin::desk.entry.find',
];

const anyRole = (world: World): Promise<Row> => world.any(ROLE, { type: { $in: SHARING_ROLES } });

const anyUser = async (world: World): Promise<Row> => world.any(USER, { role: { type: { $in: SHARING_ROLES } } });

/** A permission that one of the roles has, for what the answers show. */
const anyGrant = async (world: World): Promise<Row> => {
  const where = { action: { $in: SHOWN }, role: { type: { $in: SHARING_ROLES } } };
  const grants = await world.rows(PERMISSION, where);
  if (grants.length > 6) return world.random.pick(grants);
  return world.query(PERMISSION).create({
    data: { action: world.random.pick(SHOWN), role: (await anyRole(world)).id },
  });
};

/** The actions of a role, as the service for roles takes them. */
const asked = (actions: readonly string[]): object => {
  const types: Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }> = {};
  for (const action of actions) {
    const [type = '', controller = '', name = ''] = action.split('.');
    ((types[type] ??= { controllers: {} }).controllers[controller] ??= {})[name] = { enabled: true };
  }
  return types;
};

interface RoleService {
  updateRole(id: number, data: object): Promise<unknown>;
  createRole(data: object): Promise<unknown>;
  deleteRole(id: number, publicRole: number): Promise<unknown>;
}

const service = ({ strapi }: World): RoleService => strapi.plugin('users-permissions').service('role');

/** Saves a role as the admin panel does: with the permissions that it has, and other ones of these actions. */
export const saveRole = async (
  world: World,
  { id, name, description }: Row,
  without: readonly string[],
  given: readonly string[] = [],
): Promise<unknown> => {
  const grants = await world.rows(PERMISSION, { role: id });
  const rest = grants.map(({ action }) => action as string).filter((action) => !without.includes(action));
  return service(world).updateRole(id, { name, description, permissions: asked([...rest, ...given]) });
};

/** A row that was deleted, with its links, to be inserted again. */
type Removed = ReadonlyArray<readonly [table: string, row: Record<string, unknown>]>;

const removed = new WeakMap<World, Removed>();

/** Changes of what users of a role share: the role, its permissions, and who has it. */
export const roleWrites = kindsOf({
  'grant: made or taken': async (world) => {
    const role = await anyRole(world);
    const action = world.random.pick(SHOWN);
    const [granted] = await world.rows(PERMISSION, { action, role: role.id });
    return granted === undefined
      ? world.query(PERMISSION).create({ data: { action, role: role.id } })
      : world.query(PERMISSION).delete({ where: { id: granted.id } });
  },
  'grant: for something else': async (world) =>
    world.set(PERMISSION, await anyGrant(world), { action: world.random.pick(SHOWN) }),
  'grant: for something else, by plain SQL': async (world) =>
    world
      .knex('up_permissions')
      .where({ id: (await anyGrant(world)).id })
      .update({ action: world.random.pick(SHOWN) }),
  'grant: deleted by plain SQL': async (world) =>
    world
      .knex('up_permissions')
      .where({ id: (await anyGrant(world)).id })
      .delete(),
  'grant: to another role, by plain SQL': async (world) =>
    world
      .knex('up_permissions_role_lnk')
      .where({ permission_id: (await anyGrant(world)).id })
      .update({ role_id: (await anyRole(world)).id }),
  'grant: taken from its role, then given to one': async (world) => {
    const { id } = await anyGrant(world);
    await world.knex('up_permissions_role_lnk').where({ permission_id: id }).delete();
    return world
      .knex('up_permissions_role_lnk')
      .insert({ permission_id: id, role_id: (await anyRole(world)).id, permission_ord: 1 });
  },
  'role: saved with other permissions': async (world) => {
    return saveRole(world, await anyRole(world), SHOWN, world.random.sample(SHOWN, 4));
  },
  'role: renamed, one of those that share': async (world) =>
    world.set(ROLE, await anyRole(world), { name: world.words() }),
  'role: described': async (world) => world.set(ROLE, await anyRole(world), { description: world.words() }),
  'role: made, and deleted': async (world) => {
    const type = `role-${world.random.below(1e9)}`;
    await service(world).createRole({ name: type, type, description: '', permissions: asked(SHOWN) });
    const role = await world.any(ROLE, { type });
    await world.set(USER, await anyUser(world), { role: role.id });
    return service(world).deleteRole(role.id, (await anyRole(world)).id);
  },
  'user: in another role': async (world) => world.set(USER, await anyUser(world), { role: (await anyRole(world)).id }),
  'user: in another role, by plain SQL': async (world) =>
    world
      .knex('up_users_role_lnk')
      .where({ user_id: (await anyUser(world)).id })
      .update({ role_id: (await anyRole(world)).id }),
  'user: blocked, or all let in': async (world) => {
    const blocked = await world.rows(USER, { blocked: true });
    if (blocked.length > 2) return world.query(USER).updateMany({ where: {}, data: { blocked: false } });
    return world.set(USER, await anyUser(world), { blocked: true });
  },
  'user: nickname of one of those that share': async (world) =>
    world.set(USER, await anyUser(world), { nick: world.words() }),
  // The JWT is valid for whoever has the id.
  'user: deleted, or another made with the same id': async (world) => {
    const { knex } = world;
    const gone = removed.get(world);
    if (gone !== undefined) {
      removed.delete(world);
      return world.strapi.db.transaction(async ({ trx }) => {
        for (const [table, row] of gone) await knex(table).insert(row).transacting(trx);
      });
    }
    // Other kinds of writes go by these two names.
    const where = { username: { $notIn: ['alice', 'bob'] }, role: { type: { $in: SHARING_ROLES } } };
    const { id } = await world.any(USER, where);
    const [user] = (await knex('up_users').where({ id })) as Array<Record<string, unknown>>;
    const links = (await knex('up_users_role_lnk').where({ user_id: id })) as Array<Record<string, unknown>>;
    const name = world.words();
    removed.set(world, [
      ['up_users', { ...user, username: name, nick: name, email: `${id}@example.org` }],
      ...links.map((row) => ['up_users_role_lnk', row] as const),
    ]);
    return world.query(USER).delete({ where: { id } });
  },
});
