const files = ['tables', 'engine', 'streams', 'functions', 'shared', 'answers'];

/** One public route for each read. */
module.exports = {
  routes: files
    .flatMap((file) => Object.keys(require(`../reads/${file}`)))
    .map((name) => ({
      method: 'GET',
      path: `/board/${name}`,
      handler: `api::board.board.${name}`,
      config: { auth: false },
    })),
};
