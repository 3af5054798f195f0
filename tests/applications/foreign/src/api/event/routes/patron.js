const reads = require('../patrons');

/** One route for signed-in users for each read. */
module.exports = {
  routes: Object.keys(reads).map((name) => ({
    method: 'GET',
    path: `/patrons/${name}`,
    handler: `api::event.patron.${name}`,
    config: name === 'left' ? { middlewares: ['global::with-nick'] } : {},
  })),
};
