module.exports = ({ strapi }) => ({
  show(ctx) {
    ctx.body = { doors: ctx.state.doors };
  },

  house(ctx) {
    const { house } = ctx.state;
    ctx.body = house === null ? { house } : { name: house.name, motto: house.motto, ledger: house.ledger };
  },

  flags(ctx) {
    ctx.body = { flags: ctx.state.flags };
  },

  site(ctx) {
    ctx.body = { site: ctx.state.site ?? null };
  },

  /** Shows only what authentication has loaded. */
  card(ctx) {
    const { user } = ctx.state;
    ctx.body = user === undefined ? { card: null } : { name: user.username, nick: user.nick };
  },

  async sheet(ctx) {
    const event = await strapi.db.query('api::event.event').findOne({
      where: { slug: ctx.params.slug, publishedAt: { $notNull: true }, locale: 'en' },
      populate: { hall: true, acts: { orderBy: 'name', select: ['name'] } },
    });
    if (event === null) return ctx.notFound();
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = [event.title, event.hall?.name ?? '–', ...event.acts.map(({ name }) => name)].join('\n');
  },
});
