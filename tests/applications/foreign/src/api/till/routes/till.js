module.exports = {
  routes: ['pay', 'restock', 'fail', 'rollover'].map((name) => ({
    method: 'POST',
    path: `/till/${name}`,
    handler: `api::till.till.${name}`,
    config: { auth: false },
  })),
};
