/** The uid under which entries of GraphQL are listed, in the place of a content type: they may show any. */
export const GRAPHQL = 'plugin::graphql';
