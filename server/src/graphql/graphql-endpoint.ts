import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { LRUCache } from 'lru-cache';
import { elapsed, systemClock } from '../cache/clock';
import { because, type Reason, type ResponseCache } from '../cache/response-cache';
import { Sentence } from '../cache/sentence';
import type { ResolvedRoute, ResolvedStrategy, Settings } from '../config/resolved-config';
import type { Edge } from '../edge/edge';
import { callerIdentity, type Identity } from '../http/caller-identity';
import { exchangeOf } from '../http/exchange';
import type { Layer } from '../http/koa-router';
import { selectHeaders } from '../http/request-key';
import type { Endpoint, OperationRules } from '../lanes/endpoint';
import { createRouteLane } from '../lanes/route-lane';
import type { Lanes } from '../lanes/lanes';
import { EntryServer, type LaneListener } from '../lanes/serve-entry';
import { trialOf } from '../lanes/trial-request';
import { GRAPHQL } from './graphql-uid';
import { operationKey } from './operation-key';
import { Operation } from './operation';
import { operationRequest, type OperationRequest, type RequestRules } from './operation-request';
import { APOLLOS_OWN, Run } from './run';
import type { SchemaFields } from './schema-fields';

export interface GraphqlSettings {
  readonly strapi: Core.Strapi;
  readonly cache: ResponseCache;
  readonly strategy: ResolvedStrategy;
  readonly settings: Settings;
  readonly lanes: Lanes;
  readonly edge: Edge | undefined;
  readonly listener: LaneListener;
  readonly layer: Pick<Layer, 'path' | 'regexp'>;
  readonly rules: RequestRules;
  readonly fields: SchemaFields;
  readonly typeOf: (table: string) => string | undefined;
  readonly onSharedIdentity: (identity: Identity) => void;
}

type Lane = (ctx: Context, next: Next) => Promise<unknown>;

interface Known {
  readonly operation: Operation;
  readonly lane: Lane;
  readonly server: EntryServer;
}

/** Operations that are remembered. One that was forgotten is executed before its entries are served again. */
const MAX_OPERATIONS = 1000;

/** The lane of GraphQL answers: one for each operation, all of them with the settings of `strategy.graphql`. */
export class GraphqlEndpoint implements Endpoint {
  readonly #settings: GraphqlSettings;
  readonly #known = new LRUCache<string, Known>({ max: MAX_OPERATIONS });
  readonly #lines = new Set<string>();
  readonly #nothing: Known;
  readonly #runs = new WeakMap<Context, Run>();

  constructor(settings: GraphqlSettings) {
    this.#settings = settings;
    this.#nothing = this.#make();
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
    const asked = operationRequest(ctx, rules);
    if (asked instanceof Sentence) return this.#pass(ctx, next, this.#nothing, because('operation', asked));
    const known = this.#knownOf(asked);
    const { operation } = known;
    const run = new Run(ctx, asked, { operation, fields, typeOf, repeatable: settings.repeatable });
    this.#runs.set(ctx, run);
    if (operation.never !== undefined) return this.#pass(ctx, next, known, operation.never);
    await known.lane(ctx, next);
    // The response's media type depends on it.
    if (ctx.method === 'GET' && strategy.cacheControl.enabled) ctx.vary('Accept');
    return undefined;
  }

  /** Lets Apollo Server answer a request that is not for the cache. */
  async #pass(ctx: Context, next: Next, { server }: Known, reason: Reason): Promise<void> {
    const bypass = { ...reason, code: 'operation' as const };
    const trial = trialOf(ctx.req);
    if (trial !== undefined) {
      ctx.status = 204;
      const identity = callerIdentity(ctx.state);
      return trial.end({ kind: 'decided', decision: { bypass }, identity, throws: undefined });
    }
    const startedAt = systemClock.now();
    try {
      await next();
    } finally {
      server.report(ctx, { kind: 'hitpass', reason: bypass, cost: elapsed(systemClock, startedAt) });
    }
  }

  #knownOf({ hash, operationName }: OperationRequest): Known {
    const name = `${hash} ${operationName ?? ''}`;
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, (known = this.#make()));
    return known;
  }

  #make(): Known {
    const { strapi, cache, strategy, settings, lanes, edge, listener, ...rest } = this.#settings;
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
      ...{ strapi, route, strategy, cache, edge, lanes, listener },
      hasFunctions: true,
      operation: rules,
      ownTables: undefined,
      impliedCacheControl: APOLLOS_OWN,
      onSharedIdentity: rest.onSharedIdentity,
    });
    return { operation, lane, server: new EntryServer({ route, strategy, listener, edge }) };
  }

  #runOf(ctx: Context): Run {
    const run = this.#runs.get(ctx);
    if (run === undefined) throw new Error('rest-cache: a lane of GraphQL without an operation');
    return run;
  }
}
