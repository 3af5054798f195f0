'use strict';

/** The requests of a front end built as in tutorials: each route sets what it populates in a middleware of its own. */

const populated = (path, handler, populate, allowed = handler) => ({
  method: 'GET',
  path: `/front-end${path}`,
  handler,
  config: {
    auth: { scope: [allowed] },
    middlewares: [{ name: 'api::front-end.populate', config: { populate } }],
  },
});

const LIST = 'api::article.article.find';
const card = { author: { populate: ['avatar'] }, category: true, tags: true, cover: true };

module.exports = {
  type: 'content-api',
  routes: [
    populated('/homepage', 'api::homepage.homepage.find', '*'),
    populated('/articles', LIST, card),
    populated('/articles/:id', 'api::article.article.findOne', { ...card, blocks: { populate: '*' }, seo: true }),
    populated('/categories', 'api::category.category.find', '*'),
    populated('/authors', 'api::author.author.find', ['avatar', 'links']),
    populated('/tags', 'api::tag.tag.find', '*'),
    populated('/editors', 'api::writer.editor.find', '*'),
    // The list that the bench requests everywhere, with a middleware that keeps its hits in the route lane.
    populated('/list', LIST, ['author']),
    populated('/text', 'front-end.text', ['author'], LIST),
    {
      method: 'GET',
      path: '/front-end/policed',
      handler: LIST,
      config: { auth: { scope: [LIST] }, policies: ['api::front-end.asks-by-get'] },
    },
  ],
};
