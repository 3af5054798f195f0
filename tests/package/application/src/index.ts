/** What each role may do. Purging is granted to everybody: visitors without credentials are refused all the same. */
const ACTIONS = {
  public: ['api::note.note.find', 'api::note.note.create', 'plugin::rest-cache.purge.contentApi'],
  authenticated: ['plugin::rest-cache.purge.contentApi'],
};

/** One note to read, and leave for everybody to read and to write. */
export default {
  async bootstrap({ strapi }) {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    for (const [type, actions] of Object.entries(ACTIONS)) {
      const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type } });
      for (const action of actions) {
        if ((await permissions.count({ where: { action, role: role.id } })) === 0) {
          await permissions.create({ data: { action, role: role.id } });
        }
      }
    }
    // `strapi develop` starts again without it, when it was deleted.
    if (strapi.contentTypes['api::note.note'] === undefined) return;
    if ((await strapi.documents('api::note.note').count({})) === 0) {
      await strapi.documents('api::note.note').create({ data: { text: 'first' } });
    }
  },
};
