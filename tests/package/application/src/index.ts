const ACTIONS = ['api::note.note.find', 'api::note.note.create'];

/** One note to read, and leave for everybody to read and to write. */
export default {
  async bootstrap({ strapi }) {
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    for (const action of ACTIONS) {
      if ((await permissions.count({ where: { action, role: role.id } })) === 0) {
        await permissions.create({ data: { action, role: role.id } });
      }
    }
    if ((await strapi.documents('api::note.note').count({})) === 0) {
      await strapi.documents('api::note.note').create({ data: { text: 'first' } });
    }
  },
};
