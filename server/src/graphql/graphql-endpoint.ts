import type { Context, Next } from 'koa';
import { LRUCache } from 'lru-cache';
import { because, type Reason } from '../cache/response-cache';
import { Sentence } from '../cache/sentence';
import type { ResolvedRoute, Settings } from '../config/resolved-config';
import { exchangeOf } from '../http/exchange';
import type { Layer } from '../http/koa-router';
import { selectHeaders } from '../http/request-key';
import type { Endpoint, OperationRules } from '../http/endpoint';
import { createRouteLane, type RouteLaneSettings } from '../lanes/route-lane';
import { GRAPHQL } from './graphql-uid';
import { operationKey } from './operation-key';
import { Operation } from './operation';
import { operationRequest, type OperationRequest, type RequestRules } from './operation-request';
import { APOLLOS_OWN, Run } from './run';
import type { SchemaFields } from './schema-fields';

type OfLanes = 'strapi' | 'cache' | 'strategy' | 'lanes' | 'edge' | 'listener' | 'onSharedIdentity';

export interface GraphqlSettings extends Pick<RouteLaneSettings, OfLanes> {
  readonly settings: Settings;
  readonly layer: Pick<Layer, 'path' | 'regexp'>;
  readonly rules: RequestRules;
  readonly fields: SchemaFields;
  readonly typeOf: (table: string) => string | undefined;
}

interface Known {
  readonly operation: Operation;
  readonly lane: ReturnType<typeof createRouteLane>;
}

/** Operations that are remembered. One that was forgotten is executed before its entries are served again. */
const MAX_OPERATIONS = 1000;

/** The lane of GraphQL answers: one for each operation, all of them with the settings of `strategy.graphql`. */
export class GraphqlEndpoint implements Endpoint {
  readonly #settings: GraphqlSettings;
  readonly #known = new LRUCache<string, Known>({ max: MAX_OPERATIONS });
  readonly #lines = new Set<string>();
  readonly #runs = new WeakMap<Context, Run>();
  /** Why requests ask for no operation that could be cached. */
  readonly #refused = new WeakMap<Context, Reason>();

  constructor(settings: GraphqlSettings) {
    this.#settings = settings;
  }

  get path(): string {
    return this.#settings.layer.path;
  }

  get preflightHeaders(): readonly string[] {
    return this.#settings.rules.preflightHeaders;
  }

  takes({ path }: Context): boolean {
    return this.#settings.layer.regexp.test(path);
  }

  routeOf(path: string): ResolvedRoute {
    // No front lane: it knows a request by its URL alone.
    const own = { repeatable: false, isOpen: false, paramNames: [] };
    return { ...this.#settings.settings, contentType: GRAPHQL, method: 'GET', path, ...own };
  }

  /** Who listens to what Apollo Server does for a request. */
  runOf(ctx: Context): Run | undefined {
    return this.#runs.get(ctx);
  }

  async answer(ctx: Context, next: Next): Promise<unknown> {
    const { rules, settings, fields, typeOf, strategy } = this.#settings;
    // A path that was changed in front of the router: its reads are not recorded as those of an answer are.
    if (exchangeOf(ctx).recording?.namesTablesOnly === true) return next();
    // A resolver that authenticates the caller again would wait for its own answer.
    if (this.#runs.has(ctx) || this.#refused.has(ctx)) return next();
    const asked = operationRequest(ctx, rules);
    const { operation, lane } = this.#knownOf(asked);
    if (asked instanceof Sentence) this.#refused.set(ctx, because('operation', asked));
    else this.#runs.set(ctx, new Run(ctx, asked, { operation, fields, typeOf, repeatable: settings.repeatable }));
    await lane(ctx, next);
    // The response's media type depends on it.
    if (ctx.method === 'GET' && strategy.cacheControl.enabled) ctx.vary('Accept');
    return undefined;
  }

  #knownOf(asked: OperationRequest | Sentence): Known {
    const name = asked instanceof Sentence ? '' : `${asked.hash} ${asked.operationName ?? ''}`;
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, (known = this.#make()));
    return known;
  }

  #make(): Known {
    const { strapi, cache, strategy, settings, lanes, edge, listener, onSharedIdentity } = this.#settings;
    const { useHeaders, useAuth } = settings.keys;
    const operation = new Operation(this.path, this.#lines);
    // An operation has its name once it has been executed.
    const route: ResolvedRoute = {
      ...this.routeOf(''),
      get path() {
        return operation.line;
      },
    };
    const rules: OperationRules = {
      bypass: (ctx) => {
        const why = this.#refused.get(ctx) ?? operation.never;
        return why && { ...why, code: 'operation' };
      },
      keyOf: (ctx, identity) =>
        operationKey(
          this.path,
          this.#runOf(ctx).asked,
          selectHeaders(ctx.request.headers, useHeaders),
          useAuth === false ? '' : identity.name,
        ),
      mayServe: () => operation.isKnown && operation.never === undefined,
      judge: (ctx, seen, recording) => this.#runOf(ctx).judge(seen, recording),
    };
    const lane = createRouteLane({
      ...{ strapi, route, strategy, cache, edge, lanes, listener, onSharedIdentity },
      hasFunctions: true,
      operation: rules,
      ownTables: undefined,
      impliedCacheControl: APOLLOS_OWN,
    });
    return { operation, lane };
  }

  #runOf(ctx: Context): Run {
    const run = this.#runs.get(ctx);
    if (run === undefined) throw new Error('rest-cache: a lane of GraphQL without an operation');
    return run;
  }
}
