import { HOUSE, PERMISSION, ROLE, USER, kindsOf } from '../world';

/** Changes of the callers and of their permissions. */
export const callerWrites = kindsOf({
  'user: nickname': async (world) => world.set(USER, await world.any(USER), { nick: world.words() }),
  'user: name by plain SQL': ({ knex, random }) =>
    knex('up_users').where({ username: 'alice' }).update({ nick: random.words() }),
  'user: bob in another role': async (world) =>
    world.query(USER).update({
      where: { username: 'bob' },
      data: { role: (await world.any(ROLE, { type: { $in: ['guild', 'authenticated'] } })).id },
    }),
  'user: bob blocked or let in': async (world) => {
    const { blocked } = await world.any(USER, { username: 'bob' });
    return world.query(USER).update({ where: { username: 'bob' }, data: { blocked: blocked !== true } });
  },
  'role: renamed': async (world) =>
    world.query(ROLE).update({ where: { type: 'guild' }, data: { name: world.words() } }),
  // The permissions are for types that no cached body shows as a relation. Entries outlive a change of permissions,
  // as specified.
  'permission: granted or revoked': async (world) => {
    const role = await world.any(ROLE, { type: { $in: ['authenticated', 'guild', 'public'] } });
    const action = world.random.pick(['plugin::desk.entry.find', 'api::imprint.imprint.find']);
    const [granted] = await world.rows(PERMISSION, { action, role: role.id });
    return granted === undefined
      ? world.query(PERMISSION).create({ data: { action, role: role.id } })
      : world.query(PERMISSION).delete({ where: { id: granted.id } });
  },
  'token: of another kind': async (world) => {
    const [token] = await world.rows('admin::api-token', { name: { $startsWith: 'read-only' } });
    if (token === undefined) throw new Error('no token');
    const service = world.strapi.service('admin::api-token') as {
      update(id: number, data: object): Promise<unknown>;
    };
    // Strapi writes the type and each permission separately. A request in between would be answered with half of the
    // new permissions, and that answer would stay: by the specification, a change of permissions purges nothing.
    return world.strapi.db.transaction(() =>
      service.update(
        token.id,
        token.type === 'custom'
          ? { type: 'read-only', permissions: null }
          : { type: 'custom', permissions: ['api::event.event.find', 'api::hall.hall.find'] },
      ),
    );
  },
  'house: delete the second, or make it again': async (world) => {
    const [south] = await world.rows(HOUSE, { slug: 'south' });
    return south === undefined
      ? world.documents(HOUSE).create({ data: { name: 'House south', slug: 'south', motto: world.words() } })
      : world.documents(HOUSE).delete({ documentId: south.documentId });
  },
});
