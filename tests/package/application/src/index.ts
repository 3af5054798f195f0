/** The actions of each role. Purging is granted to both, but visitors without credentials are refused nevertheless. */
const ACTIONS = {
  public: ['api::note.note.find', 'api::note.note.create', 'plugin::rest-cache.purge.contentApi'],
  authenticated: ['plugin::rest-cache.purge.contentApi'],
};

/** Creates one note, and lets everybody read and write notes. */
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
    // `strapi develop` restarts without the content type after it was deleted.
    if (strapi.contentTypes['api::note.note'] === undefined) return;
    if ((await strapi.documents('api::note.note').count({})) === 0) {
      await strapi.documents('api::note.note').create({ data: { text: 'first' } });
    }
  },
};
