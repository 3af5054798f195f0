import type { IncomingMessage } from 'node:http';
import type { AuthState, Identity } from './caller-identity';
import type { Reason } from '../cache/response-cache';
import type { Decision } from './decision';

/** On whose behalf a request is tried. */
export interface TrialCaller {
  /** As Strapi's authentication would leave it. */
  readonly auth: AuthState & { readonly ability: unknown };
  /** `ctx.state.user`; `undefined` for callers who are no users. */
  readonly user: unknown;
  /** Whether Strapi would let them use a route with this `config.auth`. */
  mayUse(routeAuth: unknown): boolean;
}

/** Whoever answers a request before the cache is asked. */
export interface AnsweredBefore {
  readonly kind: 'answered';
  /** A global middleware in words; `undefined` on the route. */
  readonly by: string | undefined;
  readonly status: number;
  /** The error's, in Strapi's form. */
  readonly name: string | undefined;
  readonly message: string | undefined;
}

/** How a trial ends. */
export type Outcome =
  | {
      readonly kind: 'decided';
      readonly decision: Decision;
      readonly identity: Identity;
      /** What the handler is sure to throw, as far as that can be known without calling it. */
      readonly throws: Reason | undefined;
    }
  /** `path`: the route that the router chooses, if any. */
  | { readonly kind: 'not-cached'; readonly path: string | undefined }
  | { readonly kind: 'forbidden' }
  | AnsweredBefore;

/**
 * A request that nobody has sent, to see what the inner lane would do with it. It takes the way of all others, and ends
 * at the lane at the latest: it is not answered, stored, counted or logged.
 */
export class Trial {
  /** Who has got the request last; `undefined` on the route. */
  reached: string | undefined;
  /** As the middlewares in front of the router have left it. */
  askedPath = '';
  /** The cached route that it has come to. */
  path: string | undefined;
  isOver = false;
  readonly #tell: (outcome: Outcome) => void;

  constructor(
    /** `undefined`: as its headers tell. */
    readonly caller: TrialCaller | undefined,
    tell: (outcome: Outcome) => void,
  ) {
    this.#tell = tell;
  }

  /** The first time counts. */
  end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#tell(outcome);
  }
}

const trials = new WeakMap<IncomingMessage, Trial>();

export const markTrial = (message: IncomingMessage, trial: Trial): void => void trials.set(message, trial);

/** `undefined` for what somebody has really sent. */
export const trialOf = (message: IncomingMessage): Trial | undefined => trials.get(message);
