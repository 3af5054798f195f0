import type { Context, Next } from 'koa';
import { LRUCache } from 'lru-cache';
import { because } from '../cache/response-cache';
import { Sentence } from '../cache/sentence';
import type { ResolvedRoute, Settings } from '../config/resolved-config';
import type { Endpoint, OperationRules } from '../http/endpoint';
import { exchangeOf } from '../http/exchange';
import type { Layer } from '../http/koa-router';
import { countedHeaders, selectHeaders } from '../http/request-key';
import { GRAPHQL } from './graphql-uid';
import { Operation, type OperationSettings } from './operation';
import { operationKey } from './operation-key';
import { operationRequest, type OperationRequest, type RequestRules } from './operation-request';
import { Run, type TypeOf } from './run';

export interface GraphqlSettings extends OperationSettings {
  readonly settings: Settings;
  readonly layer: Pick<Layer, 'path' | 'regexp'>;
  readonly rules: RequestRules;
  readonly typeOf: TypeOf;
  /** Whether other caches may be given answers to GET. */
  readonly sendsCacheControl: boolean;
  /** Makes the lane of one operation. */
  readonly laneOf: (route: ResolvedRoute, rules: OperationRules) => Lane;
}

type Lane = (ctx: Context, next: Next) => Promise<unknown>;

interface Known {
  readonly operation: Operation;
  readonly lane: Lane;
}

/** Operations that are remembered. One that was forgotten is executed before its entries are served again. */
const MAX_OPERATIONS = 1000;

/** The lane of GraphQL answers: one for each operation, all of them with the settings of `strategy.graphql`. */
export class GraphqlEndpoint implements Endpoint {
  readonly #settings: GraphqlSettings;
  readonly #known = new LRUCache<string, Known>({ max: MAX_OPERATIONS });
  readonly #names = new Set<string>();
  /** Of each request its execution, or why it asks for no operation that could be cached. */
  readonly #asked = new WeakMap<Context, Run | Sentence>();

  constructor(settings: GraphqlSettings) {
    this.#settings = settings;
  }

  get path(): string {
    return this.#settings.layer.path;
  }

  takes({ path }: Context): boolean {
    return this.#settings.layer.regexp.test(path);
  }

  routeOf(path: string): ResolvedRoute {
    // No front lane: it knows a request by its URL alone.
    const own = { repeatable: false, isOpen: false, paramNames: [] };
    return { ...this.#settings.settings, contentType: GRAPHQL, method: 'GET', path, ...own };
  }

  /** The execution that listens to what Apollo Server does for a request. */
  runOf(ctx: Context): Run | undefined {
    const asked = this.#asked.get(ctx);
    return asked instanceof Run ? asked : undefined;
  }

  #runFor(ctx: Context): Run {
    const run = this.runOf(ctx);
    if (run === undefined) throw new Error('rest-cache: a lane of GraphQL without an operation');
    return run;
  }

  async answer(ctx: Context, next: Next): Promise<unknown> {
    // A path that was changed in front of the router: its reads are not recorded as those of an answer are.
    if (exchangeOf(ctx).recording?.namesTablesOnly === true) return next();
    // A resolver that authenticates the caller again would wait for its own answer.
    if (this.#asked.has(ctx)) return next();
    const asked = operationRequest(ctx, this.#settings.rules);
    const { operation, lane } = this.#knownOf(asked);
    this.#asked.set(ctx, asked instanceof Sentence ? asked : new Run(ctx, asked, operation, this.#settings.typeOf));
    await lane(ctx, next);
    // The response's media type depends on it.
    if (ctx.method === 'GET' && this.#settings.sendsCacheControl) ctx.vary('Accept');
    return undefined;
  }

  #knownOf(asked: OperationRequest | Sentence): Known {
    const name = asked instanceof Sentence ? '' : `${asked.hash} ${asked.operationName ?? ''}`;
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, (known = this.#make()));
    return known;
  }

  #make(): Known {
    const { settings, laneOf } = this.#settings;
    const { useHeaders, useAuth } = settings.keys;
    const operation = new Operation(this.#settings, this.#names);
    // An operation has its name once it has been executed.
    const route: ResolvedRoute = {
      ...this.routeOf(''),
      get path() {
        return operation.line;
      },
    };
    const lane = laneOf(route, {
      bypass: (ctx) => {
        const asked = this.#asked.get(ctx);
        const why = asked instanceof Sentence ? because('operation', asked) : operation.never;
        return why && { ...why, code: 'operation' };
      },
      keyOf: (ctx, identity) =>
        operationKey(
          this.path,
          this.#runFor(ctx).asked,
          selectHeaders(countedHeaders(ctx), useHeaders),
          useAuth === false ? '' : identity.name,
        ),
      mayServe: () => operation.isKnown && operation.never === undefined,
      judge: (ctx, seen, recording) => this.#runFor(ctx).judge(seen, recording),
    });
    return { operation, lane };
  }
}
