import { createHash, timingSafeEqual } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { systemClock } from '../cache/clock';
import { gatherApplicationFacts } from '../config/application-facts';
import { everyOwn } from '../config/named-content-types';
import { routesIn, servesStale } from '../config/resolved-config';
import { addTallies, byRoute, requestCounts, type Tally } from '../monitor/metrics';
import { eachPeriod, type RecordedPeriod } from '../monitor/metrics-recorder';
import { prometheusRegistry } from '../monitor/prometheus';
import { getRunning, type RestCache } from '../plugin/rest-cache';
import { namedContentType } from './content-types';
import { reportWarnings } from './warnings';

export type MetricsReport = Awaited<ReturnType<typeof reportMetrics>>;
export type ReportedPeriod = ReturnType<typeof reportedPeriod>;

/** The panel's live figures. Made from counters alone: never enumerates the store. */
export const reportMetrics = async (restCache: RestCache) => {
  const { strapi, config, provider, observability } = restCache;
  const { recorder } = observability;
  const recorded = await recorder.read();
  const sums = eachPeriod((period) => addTallies(recorded[period].intervals));
  const { state, since, reason = null, sentence = null } = provider.health();
  return {
    now: systemClock.now(),
    periods: eachPeriod((period) => reportedPeriod(recorded[period], sums[period])),
    /** `null` if the store cannot be asked; `entries` may count dead ones that have not been swept yet. */
    usage: await usageOf(restCache),
    provider: { name: config.provider.name, state, since, reason, sentence },
    contentTypes: restCache.shownUids.map((uid) => ({
      ...namedContentType(strapi, uid),
      routes: config.strategy.contentTypes.find((type) => type.uid === uid)?.routes.map(({ path }) => path) ?? [],
    })),
    /** If nothing is configured: the application's own content types that could be cached. */
    suggestedContentTypes:
      restCache.shownUids.length === 0 && restCache.unobservable === undefined
        ? everyOwn(gatherApplicationFacts(strapi))
        : [],
    warnings: await reportWarnings(restCache),
    background: backgroundOf(restCache, sums.day),
  };
};

/** What was done in the background in the last day; `null` where that is off. */
const backgroundOf = ({ config, background }: RestCache, day: Tally) => {
  const { warm, audit } = config.strategy;
  const { stale = 0, revalidated = 0, warmed = 0, audited = 0, auditedStale = 0 } = day;
  return {
    stale: routesIn(config.strategy).some(servesStale) ? { hits: stale, revalidated } : null,
    /** `latest`: how many responses of the latest purge are to be warmed, and how many of them are warm again. */
    warm: warm === null ? null : { warmed, latest: background.warmer?.state ?? { purged: 0, warm: 0 } },
    audit: audit === null ? null : { audited, stale: auditedStale, unsteady: background.auditor?.unsteady ?? [] },
  };
};

const reportedPeriod = ({ intervals, ...period }: RecordedPeriod, sum: Tally) => ({
  ...period,
  totals: { ...requestCounts(byRoute(sum).values()), evict: sum.evict ?? 0 },
  /** Oldest first; the last one is under way. */
  intervals: intervals.map((interval) => {
    const { hit, miss, hitpass } = requestCounts(byRoute(interval).values());
    return { hit, miss, hitpass };
  }),
});

const usageOf = async ({ provider }: RestCache) => {
  try {
    const { entries, bytes, maxBytes } = await provider.usage();
    return { entries, bytes, maxBytes: maxBytes ?? null };
  } catch {
    return null;
  }
};

/** The metrics in the format that a Prometheus server reads. */
export const scrapeMetrics = async (restCache: RestCache, ctx: Context): Promise<string> => {
  const { observability, provider, unobservable, edge } = restCache;
  const { metrics } = observability;
  const { length } = (await reportWarnings(restCache)).filter(({ acknowledged }) => acknowledged === null);
  const registry = await prometheusRegistry(metrics, provider, unobservable === undefined, edge?.targets, length);
  ctx.set('Content-Type', registry.contentType);
  return registry.metrics();
};

const SCRAPER = 'rest-cache-scraper';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * An authentication strategy for the Prometheus route alone: authenticates a request whose bearer token is
 * `metrics.prometheusSecret`. All other requests go on to Strapi's own strategy for admins.
 */
export const scraperStrategy = (strapi: Core.Strapi) => ({
  name: SCRAPER,
  authenticate({ request }: Context): { authenticated: boolean } {
    const secret = getRunning(strapi).config.metrics.prometheusSecret;
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined || presented === undefined) return { authenticated: false };
    // Digests have the same length, so the time of the comparison reveals nothing of the secret, not even its length.
    return { authenticated: timingSafeEqual(digest(presented), digest(secret)) };
  },
});

export const isScraper = (auth: { readonly strategy?: { readonly name?: string } } | undefined): boolean =>
  auth?.strategy?.name === SCRAPER;
