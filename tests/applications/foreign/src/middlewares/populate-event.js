/** Sets what an event's response contains, as Strapi's documentation recommends. */
module.exports = () => async (ctx, next) => {
  ctx.query.populate = {
    hall: { populate: ['house'] },
    acts: { sort: 'name' },
    slots: true,
    sections: { populate: '*' },
  };
  await next();
};
