const EVENT = 'api::event.event';

const programme = async (ctx, strapi) => {
  const events = await strapi.db.query(EVENT).findMany({
    where: { publishedAt: { $notNull: true }, locale: 'en' },
    populate: { hall: true, acts: { orderBy: 'name' } },
    orderBy: 'slug',
    limit: 3,
  });
  return strapi.contentAPI.sanitize.output(events, strapi.getModel(EVENT), { auth: ctx.state.auth });
};

const flag = (strapi, name) => strapi.db.query('api::flag.flag').findOne({ where: { name } });

/** Reads that make something of the caller, each in a way of its own. */
module.exports = {
  /** Shows what all users of a role have in common. */
  role: ({ state }) => ({ role: state.user.role.name, about: state.user.role.description }),
  rights: ({ state }) => ({
    may: ['api::hall.hall.find', 'api::act.act.find'].filter((action) => state.auth.ability.can(action)),
  }),
  verified: (ctx, strapi) =>
    strapi.auth.verify(ctx.state.auth, { scope: ['api::house.house.find'] }).then(
      () => ({ verified: true }),
      () => ({ verified: false }),
    ),
  programme: async (ctx, strapi) => ({ data: await programme(ctx, strapi) }),
  /** Show something of the user. */
  greeted: async (ctx, strapi) => {
    const { username } = ctx.state.user;
    return { data: await programme(ctx, strapi), for: username };
  },
  whole: ({ state }) => ({ mail: JSON.parse(JSON.stringify({ ...state.user })).email }),
  credentials: ({ state }) => ({ at: state.auth.credentials.id, role: state.auth.credentials.role.name }),
  tickets: async ({ state: { user } }, strapi) => ({
    codes: (await strapi.db.query('api::ticket.ticket').findMany({ where: { holder: user.id }, orderBy: 'code' })).map(
      ({ code }) => code,
    ),
  }),
  left: ({ state }) => ({ nick: state.nick }),
  /** Looks at the user only while a flag is set. */
  flagged: async ({ state }, strapi) => ({ for: (await flag(strapi, 'quiet'))?.enabled ? state.user.nick : 'all' }),
};
