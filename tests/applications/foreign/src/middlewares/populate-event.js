/** Decides what an event's answer holds, as the documentation of Strapi recommends. */
module.exports = () => async (ctx, next) => {
  ctx.query.populate = {
    hall: { populate: ['house'] },
    acts: { sort: 'name' },
    slots: true,
    sections: { populate: '*' },
  };
  await next();
};
