import type { Context } from 'koa';

/** The parts of Apollo Server's and graphql-js' objects that are used here, as plugins are officially given them. */

/** A node of a document: a definition, or what it selects. */
export interface Node {
  /** Among others `Field`, `FragmentSpread` and `InlineFragment`. */
  readonly kind: string;
  /** `query`, `mutation` or `subscription`; missing for all that is no operation. */
  readonly operation?: string;
  readonly name?: { readonly value: string };
  readonly selectionSet?: { readonly selections: readonly Node[] };
}

export interface Field {
  readonly extensions?: { readonly strapi?: { readonly contentType?: unknown } };
}

/** How long an answer may be kept, in seconds, and for whom. */
export interface CacheHint {
  readonly maxAge?: number;
  readonly scope?: string;
}

export interface FieldInfo {
  readonly fieldName: string;
  readonly parentType: { readonly name: string; getFields(): Readonly<Record<string, Field>> };
  readonly cacheControl?: { readonly cacheHint?: CacheHint };
}

export interface RequestContext {
  readonly contextValue: { readonly koaContext?: Context };
  readonly operation?: Node;
  readonly document?: { readonly definitions: readonly Node[] };
  readonly overallCachePolicy?: CacheHint;
  readonly response: {
    readonly body?: {
      readonly kind: string;
      readonly singleResult?: { readonly data?: unknown; readonly errors?: readonly unknown[] };
    };
  };
}
