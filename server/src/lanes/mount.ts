import type { Sentence } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import type { EncodedBodies } from '../stack/encoded-bodies';
import type { MiddlewareStack } from '../stack/middleware-stack';
import type { Choice } from './choose';
import { FrontLane } from './front-lane';
import { RememberedHits } from './remembered-hits';
import { watchingRepeatable } from './repeatable-functions';
import { requestLog } from './request-log';
import type { ServedCache } from './request-observer';
import type { RequestFingerprints } from './request-fingerprint';
import type { OnFault } from './undo-answer';

interface Mounting {
  readonly strapi: Core.Strapi;
  readonly stack: MiddlewareStack;
  readonly restCache: ServedCache;
  readonly bodies: EncodedBodies;
  /** Makes the fingerprints of requests. */
  readonly fingerprints: (variesOnEncoding: boolean) => RequestFingerprints;
  /** Called once, with the first global middleware that does what a repeatable one must not do. */
  readonly onBroken: (name: string, did: Sentence) => void;
  readonly onFault: OnFault;
}

/**
 * Puts everything in its place that a choice asks for, the front lane last: nothing can fail once it is open.
 *
 * @returns the front lane, if it was chosen.
 */
export const mount = (choice: Choice, mounting: Mounting): FrontLane | undefined => {
  const { stack, onBroken, onFault } = mounting;
  const cachedPaths = choice.areTargetsKnown ? choice.targets : undefined;
  const watched = watchingRepeatable({ cachedPaths, onBroken, onFault });
  // Whether the front lane is open only because the middlewares in its way are known or declared repeatable.
  const isOpened = choice.origin !== undefined && choice.hasForeignMiddleware;
  stack.watchOwnMiddlewares((middleware, name) =>
    isOpened && choice.repeatable.has(name) ? watched(middleware, name) : middleware,
  );
  return openFront(choice, mounting);
};

/** Replaces Strapi's own request listener with that of the front lane. */
const openFront = ({ origin }: Choice, mounting: Mounting): FrontLane | undefined => {
  if (origin === undefined) return undefined;
  const { strapi, stack, restCache, bodies, fingerprints, onFault } = mounting;
  const { config, provider, listener: laneListener } = restCache;
  const isConfigured = (name: string): boolean => stack.configurationOf(name) !== undefined;
  const front = new FrontLane({
    lane: new RememberedHits(provider, systemClock, config.provider.getTimeout),
    fingerprints: fingerprints(isConfigured('strapi::compression')),
    bodies,
    clock: systemClock,
    listener: laneListener,
    log: isConfigured('strapi::logger') ? requestLog(strapi) : undefined,
    responseTime: isConfigured('strapi::responseTime'),
    onFault,
  });
  const { httpServer } = strapi.server;
  // Other code may add or replace a listener later.
  const isAlone = (): boolean => {
    const listeners = httpServer.listeners('request');
    return listeners.length === 1 && listeners[0] === listener;
  };
  const listener = front.listener(origin, isAlone);
  httpServer.removeListener('request', origin);
  httpServer.on('request', listener);
  return front;
};
