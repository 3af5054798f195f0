/** What the application adds to the GraphQL schema. */
const parts = ['office', 'fields', 'roots', 'callers', 'changes'];

exports.extend = (strapi) => {
  const extension = strapi.plugin('graphql').service('extension');
  for (const part of parts) extension.use(require(`./${part}`));
};
