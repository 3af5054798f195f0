import type { Context } from 'koa';
import type { FieldInfo, RequestContext } from './apollo';
import type { Run } from './run';

/**
 * A plugin for the option `apolloServer.plugins` of `@strapi/plugin-graphql`.
 *
 * @param onStart called when Apollo Server starts with the plugin.
 * @param runOf returns who listens to a request; `undefined` if nobody does.
 */
export const apolloPlugin = (onStart: () => void, runOf: (ctx: Context) => Run | undefined) => ({
  serverWillStart: (): Promise<undefined> => Promise.resolve(onStart()).then(() => undefined),
  requestDidStart: ({ contextValue }: RequestContext): Promise<object | undefined> => {
    const run = contextValue.koaContext && runOf(contextValue.koaContext);
    if (run === undefined) return Promise.resolve(undefined);
    run.began();
    return Promise.resolve({
      didResolveOperation: ({ operation, document }: RequestContext): Promise<void> => {
        if (operation !== undefined) run.resolved(operation, document?.definitions ?? []);
        return Promise.resolve();
      },
      executionDidStart: ({ overallCachePolicy }: RequestContext): Promise<object> => {
        // What plugins have said of the whole answer. Fields come later.
        run.hinted(overallCachePolicy);
        return Promise.resolve({
          willResolveField: ({ info }: { readonly info: FieldInfo }) => run.resolving(info),
        });
      },
      willSendResponse: ({ response }: RequestContext): Promise<void> => {
        run.answering(response);
        return Promise.resolve();
      },
    });
  },
});

const isCacheControl = (plugin: unknown): boolean =>
  (plugin as { readonly __internal_plugin_id__?: unknown } | null)?.__internal_plugin_id__ === 'CacheControl';

/**
 * The plugins of an application, and ours among them. At the end of each field, Apollo Server calls them in this order:
 * ours reads the field's hint before Apollo Server's cache control gives one of no time to fields that have none.
 */
export const among = (plugins: readonly unknown[], ours: object): unknown[] => {
  const place = plugins.findIndex(isCacheControl);
  return place < 0 ? [...plugins, ours] : [...plugins.slice(0, place), ours, ...plugins.slice(place)];
};

/** Whether a plugin of Apollo Server may see every request, and is not one of Apollo Server's own. */
export const seesRequests = (plugin: unknown): boolean => {
  if (typeof plugin !== 'object' || plugin === null) return typeof plugin === 'function';
  return 'requestDidStart' in plugin && !('__internal_plugin_id__' in plugin);
};
