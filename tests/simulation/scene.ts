import { ResponseCache, type ResponseCacheSettings } from '../../server/src/cache/response-cache';
import type { InvalidationSink } from '../../server/src/observe/commit-and-stamp';
import { Recording } from '../../server/src/observe/recording';
import type { Provider } from '../../server/src/cache/provider';
import type { DatabaseModel } from './database-model';
import type { Interleaving } from './interleaving';
import type { Judge } from './judge';
import type { ManualClock } from './manual-clock';
import type { Origin } from './origin';
import type { Installation, Plan } from './plan';
import type { Process } from './process';
import type { Tally } from './tally';

/** What a process is assembled from; the seeded faults replace one of these each. */
export interface Parts {
  /** What stands between the engine and its store. */
  readonly provider: (store: Provider) => Provider;
  readonly cache: (settings: ResponseCacheSettings) => ResponseCache;
  /** What the observer stamps through. */
  readonly sink: (store: Provider) => InvalidationSink;
  readonly recording: () => Recording;
}

export const SOUND: Parts = {
  provider: (store) => store,
  cache: (settings) => new ResponseCache(settings),
  sink: (store) => store,
  recording: () => new Recording(false),
};

/** A process with its engine. */
export interface Node {
  readonly process: Process;
  readonly provider: Provider;
  readonly cache: ResponseCache;
  readonly sink: InvalidationSink;
}

/** Where everybody acts. */
export interface Scene {
  readonly installation: Installation;
  readonly plan: Plan;
  readonly parts: Parts;
  readonly interleaving: Interleaving;
  readonly clock: ManualClock;
  readonly database: DatabaseModel;
  readonly origin: Origin;
  readonly judge: Judge;
  readonly tally: Tally;
}
