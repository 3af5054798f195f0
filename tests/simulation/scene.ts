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

/** The parts from which a process is assembled. Each seeded fault replaces one of them. */
export interface Parts {
  /** Wraps the store for the engine. */
  readonly provider: (store: Provider) => Provider;
  readonly cache: (settings: ResponseCacheSettings) => ResponseCache;
  /** The sink through which the observer stamps. */
  readonly sink: (store: Provider) => InvalidationSink;
  readonly recording: () => Recording;
}

export const SOUND: Parts = {
  provider: (store) => store,
  cache: (settings) => new ResponseCache(settings),
  sink: (store) => store,
  recording: () => new Recording(),
};

/** A process with its engine. */
export interface Node {
  readonly process: Process;
  readonly provider: Provider;
  readonly cache: ResponseCache;
  readonly sink: InvalidationSink;
}

/** Everything that the actors of one world share. */
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
