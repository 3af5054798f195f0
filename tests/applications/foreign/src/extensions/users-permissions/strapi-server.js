/** Adds a nickname to users, and a route that shows it. */
module.exports = (plugin) => {
  plugin.contentTypes.user.schema.attributes.nick = { type: 'string' };
  const { user } = plugin.controllers;
  plugin.controllers.user = (context) => {
    const own = typeof user === 'function' ? user(context) : user;
    return {
      ...own,
      badge(ctx) {
        ctx.body = { badge: ctx.state.user?.nick ?? null };
      },
    };
  };
  plugin.routes['content-api'].routes.push({
    method: 'GET',
    path: '/users/me/badge',
    handler: 'user.badge',
    config: { prefix: '' },
  });
  return plugin;
};
