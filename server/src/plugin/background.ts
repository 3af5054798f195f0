import path from 'node:path';
import type { Core } from '@strapi/strapi';
import { Auditor } from '../background/auditor';
import { KnownRequests } from '../background/known-requests';
import type { Asked, OwnRequests } from '../background/own-requests';
import { Revalidation } from '../background/revalidation';
import { listsInFile } from '../background/warm-list';
import { Warmer } from '../background/warmer';
import { systemClock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { Provider, SharedLists } from '../cache/provider';
import { messageOf, withoutAddresses } from '../cache/without-addresses';
import { isTarget } from '../config/background-schema';
import { describeValue } from '../config/configuration-error';
import type { ResolvedConfig, ResolvedWarm } from '../config/resolved-config';
import { auditChannel } from '../monitor/diagnostics';
import type { LaneListener } from '../lanes/serve-entry';
import type { Observability } from '../monitor/observability';

interface Parts {
  readonly strapi: Core.Strapi;
  readonly config: ResolvedConfig;
  readonly provider: Provider;
  readonly observability: Observability;
  readonly lanes: { readonly own: OwnRequests };
}

/** Everything that sends requests of the plugin's own. Parts are missing where they are off. */
export type Background = ReturnType<typeof createBackground>;

/** @param purge purges one entry, here and at the edge. */
export const createBackground = (
  { strapi, config, provider, observability: { metrics }, lanes: { own } }: Parts,
  purge: (entry: Entry) => Promise<void>,
) => {
  const { warm, audit } = config.strategy;
  const known = new KnownRequests((entry) => metrics.hitsOf(entry));
  // If the store leaves a question without an answer, warming and audits go on with the next one.
  const asked: Pick<Provider, 'lookup' | 'health' | 'knownSequence'> = {
    lookup: (key) => withDeadline((async () => provider.lookup(key))(), config.provider.getTimeout),
    health: () => provider.health(),
    knownSequence: () => provider.knownSequence(),
  };
  const parts = { known, provider: asked, own };
  const onAudited = (entry: Entry, isStale: boolean): void => {
    metrics.background.audited += 1;
    if (!isStale) return;
    const { key, labels, tags } = entry;
    metrics.background.auditedStale += 1;
    strapi.log.error(`[rest-cache] an audit found a stale response and purges it: ${key} (${tags.join(' ')})`);
    if (auditChannel.hasSubscribers) auditChannel.publish({ key, route: labels.route, tags });
    void purge(entry).catch((error: unknown) => strapi.log.error(`[rest-cache] ${messageOf(error)}`));
  };
  return {
    revalidation: new Revalidation({ own, provider, clock: systemClock }),
    known: warm === null && audit === null ? undefined : known,
    warmer:
      warm === null
        ? undefined
        : new Warmer({ ...parts, warm, lists: listsOf(strapi, provider), urls: () => requestsFor(strapi, warm) }),
    auditor: audit === null ? undefined : new Auditor({ ...parts, audit, onAudited }),
  };
};

/** A listener that does what `listener` does, and also gives the auditor the entry of each hit. */
export const auditingHits = (listener: LaneListener, auditor: Auditor): LaneListener => ({
  ...listener,
  answered: (...answered) => {
    listener.answered(...answered);
    const [outcome, , entry] = answered;
    if (outcome.kind === 'hit' && entry !== undefined && outcome.timeToLive >= 0) auditor.hit(entry);
  },
});

/** The requests for the URLs of the user, as visitors send them. Never rejects. */
const requestsFor = async (strapi: Core.Strapi, { urls }: ResolvedWarm): Promise<readonly Asked[]> => {
  try {
    const { host, protocol } = new URL(strapi.config.get<string>('server.absoluteUrl'));
    const headers = { host, 'x-forwarded-proto': protocol.replace(':', '') };
    const targets = typeof urls === 'function' ? await urls() : urls;
    const [first, ...others] = targets.filter((target) => !isTarget(target));
    if (first !== undefined)
      strapi.log.warn(
        `[rest-cache] strategy.warm.urls: ${withoutAddresses(describeValue(first))}${others.length === 0 ? '' : ` and ${others.length} more`}` +
          ' left out; expected paths such as "/api/articles?sort=title".',
      );
    return targets.filter(isTarget).map((target) => ({ target, headers }));
  } catch (error) {
    strapi.log.warn(`[rest-cache] strategy.warm.urls failed: ${messageOf(error)}`);
    return [];
  }
};

/** Shared ones, or a file beside the database, which a restart does not lose. */
const listsOf = (strapi: Core.Strapi, { lists }: Provider): SharedLists => {
  const { filename } = strapi.config.get<{ filename?: unknown }>('database.connection.connection', {});
  const { root } = strapi.dirs.app;
  const isFile = typeof filename === 'string' && filename !== '' && !filename.startsWith(':');
  const folder = isFile ? path.dirname(path.resolve(root, filename)) : path.join(root, '.tmp');
  // Its name begins with a dot, because `strapi develop` restarts when a file that it watches is written.
  return lists ?? listsInFile(path.join(folder, '.rest-cache-warm.json'));
};
