import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from 'koa';
import type { GraphqlContext, Run } from './run';

/**
 * A plugin for the option `apolloServer.plugins` of `@strapi/plugin-graphql`.
 *
 * @param onStart called when Apollo Server starts with the plugin.
 * @param runOf returns who listens to a request; `undefined` if nobody does.
 */
export const apolloPlugin = (
  onStart: () => void,
  runOf: (ctx: Context) => Run | undefined,
): ApolloServerPlugin<GraphqlContext> => ({
  serverWillStart: () => Promise.resolve(onStart()),
  requestDidStart: ({ contextValue: { koaContext } }) => Promise.resolve(koaContext && runOf(koaContext)?.begin()),
});

const isCacheControl = (plugin: unknown): boolean =>
  (plugin as { readonly __internal_plugin_id__?: unknown } | null)?.__internal_plugin_id__ === 'CacheControl';

/**
 * The plugins of an application, and ours among them. At the end of each field, Apollo Server calls them in this order:
 * ours reads the field's hint before Apollo Server's cache control gives one of no time to fields that have none.
 */
export const among = (plugins: readonly unknown[], ours: object): unknown[] => {
  const place = plugins.findIndex(isCacheControl);
  return plugins.toSpliced(place < 0 ? plugins.length : place, 0, ours);
};

/** Whether a plugin of Apollo Server may see every request, and is not one of Apollo Server's own. */
export const seesRequests = (plugin: unknown): boolean => {
  if (typeof plugin !== 'object' || plugin === null) return typeof plugin === 'function';
  return 'requestDidStart' in plugin && !('__internal_plugin_id__' in plugin);
};
