import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { keptBeyond } from '../background/revalidation';
import { systemClock } from '../cache/clock';
import type { CacheKey } from '../cache/key';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Computation, Reason } from '../cache/response-cache';
import type { ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import type { Identity } from '../http/caller-identity';
import type { Decision } from '../http/decision';
import { exchangeOf } from '../http/exchange';
import { HandlerWatch, type Seen } from '../http/handler-watch';
import { lifetimeOf } from '../http/handlers-freshness';
import { LazyBody } from '../http/lazy-body';
import { hidingParameters, uncountedParameters } from '../http/query-parameters';
import { countedHeaders, matchedParams } from '../http/request-key';
import { shownTrace } from '../http/shown-traces';
import { lifeBySignedUrls } from '../http/signed-urls';
import { isKept, unstorableReason } from '../http/storability';
import { captureResponse, hasBody, leftByHandler, statusOfAnswer } from '../http/stored-response';
import { thrownAnswer, thrownReason } from '../http/thrown-answer';
import { unkeyedReason } from '../http/unkeyed-reads';
import { variedBy } from '../http/variants';
import { currentRecording, type Recording } from '../observe/recording';
import { routeOf } from '../handlers/chosen-route';
import { isStrapisOwnAction } from '../handlers/strapis-handlers';
import { sourcesOf, type SourceSettings } from './answer-sources';
import type { Judged, OperationRules } from '../http/endpoint';
import type { Lanes } from './lanes';

export interface ComputationSettings extends SourceSettings {
  readonly strapi: Core.Strapi;
  readonly route: ResolvedRoute;
  readonly strategy: ResolvedStrategy;
  readonly lanes: Lanes;
  /** For the lane of an operation; left out for that of a route. */
  readonly operation?: OperationRules;
  /** Called with a caller who shares an entry with all others that the same authentication strategy authenticates. */
  readonly onSharedIdentity: (identity: Identity) => void;
}

export type Keys = Extract<Decision, Record<'key', CacheKey>>;

const TOO_MANY_FIELDS: Reason = {
  code: 'vary',
  detail: 'Vary: too many different fields in all answers',
  about: 'Vary',
};
const UNSERIALISABLE: Reason = { code: 'unserialisable', detail: 'a body that is not serialisable' };

/**
 * Calls the handler. An error that it throws is put on the exchange if it may be stored, and is thrown later.
 *
 * @param onFailure called with any other error's reason before it is thrown.
 * @throws what the handler throws, unless it may be stored
 */
export const askHandler = async (
  ctx: Context,
  next: Next,
  route: ResolvedRoute,
  onFailure: (reason: Reason) => void,
): Promise<void> => {
  try {
    await hidingParameters(ctx, route, next);
  } catch (error) {
    const thrown = route.statuses.length === 0 ? undefined : thrownAnswer(ctx, error);
    if (thrown !== undefined && isKept(thrown.status, route.statuses)) {
      exchangeOf(ctx).thrown = thrown;
      return;
    }
    onFailure(thrownReason(error));
    throw error;
  }
};

/** Watches the handler of a route while it answers, and makes of its answer what may be stored, or a reason why not. */
export class AnswerComputation {
  readonly #settings: ComputationSettings;

  constructor(settings: ComputationSettings) {
    this.#settings = settings;
  }

  /**
   * @param onFailure see {@link askHandler}.
   * @throws what the handler throws, unless it may be stored
   */
  async compute(
    ctx: Context,
    next: Next,
    keys: Keys,
    identity: Identity,
    onFailure: (reason: Reason) => void,
  ): Promise<Computation> {
    const { strapi, route, operation } = this.#settings;
    // The headers as they were when the key was made of them.
    const sent = { ...countedHeaders(ctx) };
    const recording = currentRecording();
    if (recording !== undefined) {
      recording.makesAnswer = true;
      recording.isByStrapi = isStrapisOwnAction(strapi, routeOf(ctx)?.handler);
    }
    const watch = new HandlerWatch(ctx);
    if (operation !== undefined) exchangeOf(ctx).watch = watch;
    let seen: Seen;
    try {
      await askHandler(ctx, next, route, onFailure);
    } finally {
      seen = watch.end();
    }
    const judged = operation?.judge(ctx, seen, recording);
    return this.#judge(ctx, { keys, identity, sent, recording, seen, judged });
  }

  #judge(ctx: Context, answered: Answered): Computation {
    const { keys, identity, sent, recording, seen, judged } = answered;
    const { route, strategy, lanes, onSharedIdentity } = this.#settings;
    const { variants, callerPages } = lanes;
    const { headers: produced } = judged ?? seen;
    const varied = variedBy(produced, route.keys.useHeaders);
    if ('unstorable' in varied) return varied;
    const fields = [...variants.fieldsOf(keys.primary), ...varied];
    const unstorable = this.#unstorable(ctx, answered, fields);
    if (unstorable !== undefined) return { unstorable };
    const { body } = ctx;
    const left = leftByHandler(ctx);
    if (left === undefined) return { unstorable: UNSERIALISABLE };
    const isShared = keys.shared !== undefined && callerPages.mayShare(ctx, route, keys.primary, seen.reads);
    const owner = isShared ? keys.shared.role : identity;
    const joins = route.sharesWork === 'always' ? route.sharesWork : (judged?.sharesWork ?? route.sharesWork);
    const sources = sourcesOf(ctx, recording, owner, this.#settings, joins, lanes.readsElsewhere);
    if ('unstorable' in sources) return sources;
    if (sources.readElsewhere === true) lanes.routesThatShare.add(route.path);
    const traced = shownTrace(ctx, left.body, produced, route);
    if (traced !== undefined) return { unstorable: traced };
    const now = systemClock.now();
    const usable = Math.min(lifeBySignedUrls(left.body, now) ?? Infinity, judged?.maxAge ?? Infinity);
    const maxAge = milliseconds(Math.min(maxAgeOf(ctx, route), usable));
    const hasTags = (recording?.content.size ?? 0) > 0;
    const lifetime = lifetimeOf(produced, { maxAge, now, hasTags });
    if ('unstorable' in lifetime) return lifetime;
    const primary = isShared ? keys.primary : (keys.shared?.own ?? keys.primary);
    const key = variants.learn(primary, fields, sent);
    if (key === undefined) return { unstorable: TOO_MANY_FIELDS };
    const { useAuth, useHeaders } = route.keys;
    if (identity.kind === 'strategy' && useAuth !== false && useHeaders.length === 0) onSharedIdentity(identity);
    const response = captureResponse(ctx, seen.headers, left, strategy.enableEtag);
    if (hasBody(response)) exchangeOf(ctx).lazyBody = new LazyBody(ctx, response, () => body);
    return {
      key,
      response,
      labels: {
        contentType: route.contentType,
        route: route.path,
        params: matchedParams(ctx, route.paramNames),
        identity: useAuth === false ? '' : owner.name,
      },
      ...sources,
      ...(judged && { tags: [...sources.tags, ...judged.tags] }),
      maxAge: lifetime.maxAge,
      keptFor: keptBeyond(produced, route.stale, lifetime.maxAge, usable),
    };
  }

  /**
   * The reason why an answer must not be stored, from what is known without what it was made of.
   *
   * @param fields the request headers by which the answer varies.
   */
  #unstorable(ctx: Context, { identity, seen, judged }: Answered, fields: readonly string[]): Reason | undefined {
    const { route } = this.#settings;
    return (
      judged?.unstorable ??
      unstorableReason(ctx, (judged ?? seen).headers, route.statuses) ??
      seen.unstorable ??
      unkeyedReason(ctx, seen.reads, fields, route, identity) ??
      uncountedParameters(ctx, route)
    );
  }
}

/** A request whose handler has answered. */
interface Answered {
  readonly keys: Keys;
  readonly identity: Identity;
  /** The request's headers, as they were when the key was made of them. */
  readonly sent: Context['req']['headers'];
  readonly recording: Recording | undefined;
  readonly seen: Seen;
  /** What an endpoint makes of it; `undefined` for a route. */
  readonly judged: Judged | undefined;
}

const maxAgeOf = (ctx: Context, route: ResolvedRoute): Milliseconds =>
  route.statuses.find(({ status }) => status === statusOfAnswer(ctx))?.maxAge ?? route.maxAge;
