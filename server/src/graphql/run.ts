import type { Context } from 'koa';
import { milliseconds } from '../cache/milliseconds';
import { because, type Reason } from '../cache/response-cache';
import { said } from '../cache/sentence';
import { contentTypeTag, tableOf } from '../dependencies/tags';
import { exchangeOf } from '../http/exchange';
import type { Seen } from '../http/handler-watch';
import { responseHeader } from '../http/response-headers';
import type { Judged } from '../http/endpoint';
import type { Recording } from '../observe/recording';
import type { CacheHint, FieldInfo, Node, RequestContext } from './apollo';
import type { Operation } from './operation';
import type { OperationRequest } from './operation-request';
import type { SchemaFields } from './schema-fields';

/** What Apollo Server puts on every answer for which there is no other policy. */
export const APOLLOS_OWN = 'no-store';

interface RunSettings {
  readonly operation: Operation;
  readonly fields: SchemaFields;
  /** Whether fields with policies or middlewares are declared repeatable. */
  readonly repeatable: boolean;
  /** The uid of the content type whose main table this is. */
  readonly typeOf: (table: string) => string | undefined;
}

/** One execution of an operation by Apollo Server, from the lane to the answer. */
export class Run {
  readonly asked: OperationRequest;
  readonly #ctx: Context;
  readonly #settings: RunSettings;
  #guarded: string | undefined;
  #hasCustom = false;
  #maxAge = Infinity;
  #isPrivate = false;
  #response: RequestContext['response'] | undefined;
  /** `Cache-Control` as it was in front, and as the resolvers have left it. Apollo Server replaces it. */
  readonly #inFront: string;
  #byResolvers = '';

  constructor(ctx: Context, asked: OperationRequest, settings: RunSettings) {
    this.asked = asked;
    this.#ctx = ctx;
    this.#settings = settings;
    this.#inFront = responseHeader(ctx, 'Cache-Control');
  }

  began(): void {
    // Apollo Server's integration has listed all headers to copy them. Resolvers are not given that copy.
    exchangeOf(this.#ctx).watch?.forgetReads();
  }

  resolved(operation: Node, definitions: readonly Node[]): void {
    if (!this.#settings.operation.isKnown) this.#settings.operation.learn(operation, definitions);
  }

  /** Returns a function to call when the field is resolved. */
  resolving(info: FieldInfo): () => void {
    const kind = this.#settings.fields.kindOf(info);
    if (kind === 'guarded') this.#guarded ??= `${info.parentType.name}.${info.fieldName}`;
    if (kind !== 'own') this.#hasCustom = true;
    return () => this.hinted(info.cacheControl?.cacheHint);
  }

  hinted({ maxAge, scope }: CacheHint = {}): void {
    if (maxAge !== undefined && maxAge < this.#maxAge) this.#maxAge = maxAge;
    if (scope === 'PRIVATE') this.#isPrivate = true;
  }

  answering(response: RequestContext['response']): void {
    // A plugin may replace the body later.
    this.#response = response;
    const now = responseHeader(this.#ctx, 'Cache-Control');
    if (now !== this.#inFront) this.#byResolvers = now;
  }

  judge(seen: Seen, recording: Recording | undefined): Judged {
    const others = seen.headers.headers.filter(
      ([name, value]) => name.toLowerCase() !== 'cache-control' || value !== APOLLOS_OWN,
    );
    const own = this.#byResolvers === '' ? [] : [['Cache-Control', this.#byResolvers] as const];
    const { operation, repeatable } = this.#settings;
    if (this.#guarded !== undefined && !repeatable)
      operation.never ??= because('guarded', `${this.#guarded} has policies or middlewares`, this.#guarded);
    return {
      ...seen,
      headers: { ...seen.headers, headers: [...others, ...own] },
      unstorable: operation.never ?? this.#refusal(recording),
      sharesWork: this.#hasCustom,
      maxAge: milliseconds(this.#maxAge * 1000),
      tags: [...this.#typesRead(recording)].map(contentTypeTag),
    };
  }

  #refusal(recording: Recording | undefined): Reason | undefined {
    const body = this.#response?.body;
    if (body === undefined || !this.#settings.operation.isKnown)
      return { ...because('operation', said('not-executed')`Apollo Server has executed nothing`), isPassing: true };
    if (body.kind !== 'single') return { code: 'stream', detail: '@defer or @stream' };
    const { errors = [], data } = body.singleResult ?? {};
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

  #typesRead(recording: Recording | undefined): ReadonlySet<string> {
    const types = [...(recording?.content ?? [])].map((name) => this.#settings.typeOf(tableOf(name) ?? ''));
    return new Set(types.filter((uid) => uid !== undefined));
  }
}
