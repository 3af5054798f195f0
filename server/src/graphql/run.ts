import type { GraphQLRequestContext, GraphQLRequestExecutionListener, GraphQLRequestListener } from '@apollo/server';
import type { GraphQLResolveInfo, OperationDefinitionNode } from 'graphql';
import type { Context } from 'koa';
import { milliseconds } from '../cache/milliseconds';
import { because, type Reason } from '../cache/response-cache';
import { said } from '../cache/sentence';
import { contentTypeTag, tableOf } from '../dependencies/tags';
import type { Judged } from '../http/endpoint';
import { exchangeOf } from '../http/exchange';
import type { Seen } from '../http/handler-watch';
import { responseHeader } from '../http/response-headers';
import type { Recording } from '../observe/recording';
import type { Operation } from './operation';
import type { OperationRequest } from './operation-request';

/** What Apollo Server puts on every answer for which there is no other policy. */
export const APOLLOS_OWN = 'no-store';

/** What `@strapi/plugin-graphql` hands to resolvers. Code that executes an operation by itself may hand them less. */
export interface GraphqlContext {
  readonly koaContext?: Context;
}

type RequestContext = GraphQLRequestContext<GraphqlContext>;

/** How long an answer may be kept, in seconds, and for whom. */
type CacheHint = Partial<Pick<RequestContext['overallCachePolicy'], 'maxAge' | 'scope'>>;

/** The uid of the content type whose main table this is. */
export type TypeOf = (table: string) => string | undefined;

type Info = GraphQLResolveInfo & { readonly cacheControl?: { readonly cacheHint?: CacheHint } };

/** One execution of an operation, from the lane to the answer. Apollo Server tells it what happens. */
export class Run implements GraphQLRequestListener<GraphqlContext>, GraphQLRequestExecutionListener<GraphqlContext> {
  readonly asked: OperationRequest;
  readonly #ctx: Context;
  readonly #operation: Operation;
  readonly #typeOf: TypeOf;
  #hasBegun = false;
  /** The operation that was asked for. Resolvers may execute others. */
  #executed: OperationDefinitionNode | undefined;
  #maxAge = Infinity;
  #isPrivate = false;
  #response: RequestContext['response'] | undefined;
  /** `Cache-Control` as the resolvers have left it. Apollo Server replaces it. */
  #byResolvers = '';

  constructor(ctx: Context, asked: OperationRequest, operation: Operation, typeOf: TypeOf) {
    this.asked = asked;
    this.#ctx = ctx;
    this.#operation = operation;
    this.#typeOf = typeOf;
  }

  begin(): this {
    // Apollo Server's integration has listed all headers to copy them. Resolvers are not given that copy. What they read
    // before they execute another operation counts.
    if (!this.#hasBegun) exchangeOf(this.#ctx).watch?.forgetReads();
    this.#hasBegun = true;
    return this;
  }

  didResolveOperation({ operation, document, schema }: RequestContext): Promise<void> {
    this.#executed ??= operation;
    if (operation !== undefined && !this.#operation.isKnown)
      this.#operation.learn(operation, document?.definitions ?? [], schema);
    return Promise.resolve();
  }

  executionDidStart({ overallCachePolicy }: RequestContext): Promise<this> {
    // What plugins have said of the whole answer. Fields come later.
    this.#limit(overallCachePolicy);
    return Promise.resolve(this);
  }

  /** Returns a function to call when the field is resolved. */
  willResolveField({ info }: { readonly info: Info }): () => void {
    if (info.operation !== this.#executed) this.#operation.include(info);
    return () => this.#limit(info.cacheControl?.cacheHint);
  }

  willSendResponse({ response }: RequestContext): Promise<void> {
    // A plugin may replace the body later.
    this.#response = response;
    if (exchangeOf(this.#ctx).watch?.hasSet('cache-control') === true)
      this.#byResolvers = responseHeader(this.#ctx, 'Cache-Control');
    return Promise.resolve();
  }

  #limit({ maxAge, scope }: CacheHint = {}): void {
    if (maxAge !== undefined && maxAge < this.#maxAge) this.#maxAge = maxAge;
    if (scope === 'PRIVATE') this.#isPrivate = true;
  }

  judge(seen: Seen, recording: Recording | undefined): Judged {
    const others = seen.headers.headers.filter(
      ([name, value]) => name.toLowerCase() !== 'cache-control' || value !== APOLLOS_OWN,
    );
    const own = this.#byResolvers === '' ? [] : [['Cache-Control', this.#byResolvers] as const];
    const types = [...(recording?.content ?? [])].flatMap((name) => this.#typeOf(tableOf(name) ?? '') ?? []);
    return {
      headers: { ...seen.headers, headers: [...others, ...own] },
      unstorable: this.#operation.never ?? this.#refusal(recording),
      sharesWork: this.#operation.hasCustom,
      maxAge: milliseconds(this.#maxAge * 1000),
      tags: [...new Set(types)].map(contentTypeTag),
    };
  }

  #refusal(recording: Recording | undefined): Reason | undefined {
    const body = this.#response?.body;
    if (body === undefined || !this.#operation.isKnown)
      return { ...because('operation', said('not-executed')`Apollo Server has executed nothing`), isPassing: true };
    if (body.kind !== 'single') return { code: 'stream', detail: '@defer or @stream' };
    const { errors = [], data } = body.singleResult;
    if (errors.length > 0) return { code: 'errors', detail: 'errors' };
    if (data === undefined || data === null) return { code: 'errors', detail: 'data: null' };
    if (recording?.hasWritten === true) return { code: 'wrote', detail: 'it has written to the database' };
    if (recording?.hasReadForAnswer !== true) return { code: 'no-reads', detail: 'nothing was read from the database' };
    if (this.#isPrivate) return { code: 'cache-control', detail: '@cacheControl(scope: PRIVATE)' };
    if (this.#maxAge <= 0) return { code: 'cache-control', detail: '@cacheControl(maxAge: 0)' };
    return responseHeader(this.#ctx, 'Content-Type') === this.asked.mediaType
      ? undefined
      : { code: 'header', detail: 'a Content-Type that was not asked for', about: 'Content-Type' };
  }
}
