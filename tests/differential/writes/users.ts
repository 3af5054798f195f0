import { ROLE, USER, writesTo, type Kind, type World } from '../world';

const userService = (
  world: World,
): {
  add(data: object): Promise<unknown>;
  edit(id: number, data: object): Promise<unknown>;
  remove(where: object): Promise<unknown>;
} => world.strapi.plugin('users-permissions').service('user');

const newUser = async (world: World): Promise<object> => {
  const name = `user${world.random.below(1e9)}`;
  const role = await world.any(ROLE, { type: 'authenticated' });
  return {
    username: name,
    email: `${name}@example.com`,
    password: 'Passw0rd1',
    provider: 'local',
    confirmed: true,
    blocked: false,
    role: role.id,
  };
};

/** A user other than alice, who is the caller of the private URLs. */
const stranger = { username: { $ne: 'alice' } };

/** Deleting a role resets the whole cache, as specified. */
export const ROLE_DELETION = 'role: delete';

export const userWrites: readonly Kind[] = [
  ...writesTo([USER], {
    'user: create': async (world) => userService(world).add({ ...(await newUser(world)) }),
    'user: edit': async (world) =>
      userService(world).edit((await world.any(USER, stranger)).id, {
        email: `mail${world.random.below(1e9)}@example.com`,
      }),
    'user: edit the caller': async (world) =>
      userService(world).edit((await world.any(USER, { username: 'alice' })).id, {
        email: `alice${world.random.below(1e9)}@example.com`,
      }),
    'user: delete': async (world) => {
      const [first] = await world.rows(USER, { username: { $startsWith: 'user' } });
      return first === undefined
        ? userService(world).add({ ...(await newUser(world)) })
        : userService(world).remove({ id: first.id });
    },
    'user: move to another role': async (world) => {
      const { id } = await world.any(USER, stranger);
      const role = await world.any(ROLE, { type: { $ne: 'public' } });
      return userService(world).edit(id, { role: role.id });
    },
  }),
  ...writesTo([ROLE], {
    'role: create or edit': async (world) => {
      const roles = await world.rows(ROLE, { type: { $startsWith: 'type' } });
      const data = { description: world.random.words() };
      const [first] = roles;
      return first === undefined
        ? world
            .query(ROLE)
            .create({ data: { name: world.random.words(), type: `type${world.random.below(1e9)}`, ...data } })
        : world.query(ROLE).update({ where: { id: world.random.pick(roles).id }, data });
    },
    [ROLE_DELETION]: async (world) => {
      const [first] = await world.rows(ROLE, { type: { $startsWith: 'type' } });
      return first === undefined ? undefined : world.query(ROLE).delete({ where: { id: first.id } });
    },
    // The permission is for a type that no cached body shows. Entries outlive a change of permissions, as specified.
    'role: permission granted and revoked': async (world) => {
      const role = await world.any(ROLE, { type: 'public' });
      const permissions = world.query('plugin::users-permissions.permission');
      const [granted] = await permissions.findMany({ where: { action: 'api::order.order.create', role: role.id } });
      return granted === undefined
        ? permissions.create({ data: { action: 'api::order.order.create', role: role.id } })
        : permissions.delete({ where: { id: granted.id } });
    },
  }),
];
