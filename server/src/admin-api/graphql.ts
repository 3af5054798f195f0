import type { Core } from '@strapi/strapi';

/** Whether a path is the endpoint of @strapi/plugin-graphql, which answers by itself where `strategy.graphql` is off. */
export const isGraphql = ({ plugins, config }: Pick<Core.Strapi, 'plugins' | 'config'>, path: string): boolean =>
  'graphql' in plugins && path === config.get('plugin::graphql.endpoint', '/graphql');
