import type { Context } from 'koa';

/** The parts of Apollo Server's and graphql-js' objects that are used here, as plugins are officially given them. */

export interface SelectionSet {
  readonly selections: readonly Selection[];
}

export interface Selection {
  /** `Field`, `FragmentSpread` or `InlineFragment`. */
  readonly kind: string;
  readonly name?: { readonly value: string };
  readonly selectionSet?: SelectionSet;
}

export interface Definition extends Selection {
  /** `query`, `mutation` or `subscription`; missing for fragments and types. */
  readonly operation?: string;
}

export interface Field {
  readonly extensions?: { readonly strapi?: { readonly contentType?: unknown } };
}

export interface FieldInfo {
  readonly fieldName: string;
  readonly parentType: { readonly name: string; getFields(): Readonly<Record<string, Field>> };
  readonly cacheControl?: { readonly cacheHint?: { readonly maxAge?: number; readonly scope?: string } };
}

export interface RequestContext {
  readonly contextValue: { readonly koaContext?: Context };
  readonly operation?: Definition;
  readonly document?: { readonly definitions: readonly Definition[] };
  readonly errors?: readonly unknown[];
  readonly response: {
    readonly body?: {
      readonly kind: string;
      readonly singleResult?: {
        readonly data?: unknown;
        readonly errors?: ReadonlyArray<{ readonly extensions?: { readonly code?: unknown } }>;
      };
    };
  };
}

/** One request, while Apollo Server answers it. */
export interface RequestListener {
  began(): void;
  resolved(operation: Definition, definitions: readonly Definition[]): void;
  /** Returns a function to call when the field is resolved. */
  resolving(info: FieldInfo): () => void;
  answering(response: RequestContext['response']): void;
}

/**
 * A plugin for the option `apolloServer.plugins` of `@strapi/plugin-graphql`.
 *
 * @param onStart called when Apollo Server starts with the plugin.
 * @param listenerOf returns who listens to a request; `undefined` if nobody does.
 */
export const apolloPlugin = (onStart: () => void, listenerOf: (ctx: Context) => RequestListener | undefined) => ({
  serverWillStart: (): Promise<undefined> => Promise.resolve(onStart()).then(() => undefined),
  requestDidStart: ({ contextValue }: RequestContext): Promise<object | undefined> => {
    const listener = contextValue.koaContext && listenerOf(contextValue.koaContext);
    if (listener === undefined) return Promise.resolve(undefined);
    listener.began();
    return Promise.resolve({
      didResolveOperation: ({ operation, document }: RequestContext): Promise<void> => {
        if (operation !== undefined) listener.resolved(operation, document?.definitions ?? []);
        return Promise.resolve();
      },
      executionDidStart: () =>
        Promise.resolve({ willResolveField: ({ info }: { readonly info: FieldInfo }) => listener.resolving(info) }),
      willSendResponse: ({ response }: RequestContext): Promise<void> => {
        listener.answering(response);
        return Promise.resolve();
      },
    });
  },
});

/** Whether a plugin of Apollo Server may see every request, and is not one of Apollo Server's own. */
export const seesRequests = (plugin: unknown): boolean => {
  if (typeof plugin !== 'object' || plugin === null) return typeof plugin === 'function';
  return 'requestDidStart' in plugin && !('__internal_plugin_id__' in plugin);
};
