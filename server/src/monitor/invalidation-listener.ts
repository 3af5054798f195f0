import type { Sequence } from '../cache/sequence';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import type { Provider } from '../cache/provider';
import type { Activity } from './activity';
import { invalidateChannel } from './diagnostics';
import type { Metrics } from './metrics';

/** The provider as the SQL observer knows it, with listeners for what was stamped. */
export const listenToInvalidations = (provider: Provider, activity: Activity, metrics: Metrics): InvalidationSink => ({
  announce: (tags) => provider.announce(tags),
  invalidate: (tags, announcement) => {
    const noted = (sequence: Sequence): Sequence => {
      metrics.invalidations += 1;
      try {
        activity.wrote(tags, sequence);
        if (invalidateChannel.hasSubscribers) invalidateChannel.publish({ cause: 'write', tags });
      } catch {
        // Nobody's write fails for want of a note in the log of activity.
      }
      return sequence;
    };
    const stamped = provider.invalidate(tags, announcement);
    return stamped instanceof Promise ? stamped.then(noted) : noted(stamped);
  },
});
