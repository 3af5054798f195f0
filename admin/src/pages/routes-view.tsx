import { Box, Flex, Typography } from '@strapi/design-system';
import { useState } from 'react';
import { useMetricsQuery, useRoutesHeldQuery, useRoutesQuery } from '../api/cache-api';
import type { HeldByRoute, PeriodName, ReportedRoute, RouteCounts, RouteReason } from '../api/responses';
import { Code } from '../components/code';
import { FactTiles } from '../components/facts';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { Meter } from '../components/meter';
import { FirstConfiguration } from '../components/first-configuration';
import { PeriodChoice } from '../components/period-choice';
import { StoreAway } from '../components/provider-status';
import { LaneAdvice, RouteLane } from '../components/route-lane';
import { SharingBadge } from '../components/sharing-badge';
import { TextLink } from '../components/text-link';
import { useFormats } from '../format/use-formats';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';
import { entriesLink, explainReasonLink } from './links';
import { routeReasonWords } from './route-reason-words';

/** The time that Strapi spent on a route's misses and bypasses, in milliseconds. */
const costOf = ({ missTime, hitpassTime }: RouteCounts): number => missTime + hitpassTime;

const requestsOf = ({ hit, miss, hitpass }: RouteCounts): number => hit + miss + hitpass;

/** Why requests of each cached route were not answered from the cache. The most expensive route comes first. */
export const RoutesView = () => {
  const { words } = useWords();
  const [period, setPeriod] = useState<PeriodName>('day');
  const { data, error, refetch } = useRoutesQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const { data: metrics } = useMetricsQuery();
  const held = useRoutesHeldQuery(undefined, { refetchOnMountOrArgChange: true });
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  if (data.routes.length === 0) return <FirstConfiguration />;

  const total = data.routes.reduce((sum, { counts }) => sum + costOf(counts[period]), 0);
  const sorted = [...data.routes].sort(
    ({ counts: one }, { counts: other }) =>
      costOf(other[period]) - costOf(one[period]) || requestsOf(other[period]) - requestsOf(one[period]),
  );
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      {metrics === undefined ? null : <StoreAway provider={metrics.provider} now={metrics.now} />}
      <Flex justifyContent="space-between" gap={4} wrap="wrap">
        <Box maxWidth="60rem">
          <Typography textColor="neutral600">
            {words('routes.hint')} {words(`scope.${data.scopes[period]}`)}
          </Typography>
        </Box>
        <PeriodChoice value={period} onChange={setPeriod} />
      </Flex>
      {sorted.map((route) => (
        <RouteCard
          key={route.path}
          route={route}
          counts={route.counts[period]}
          share={total === 0 ? 0 : costOf(route.counts[period]) / total}
          held={held.data === undefined ? undefined : heldOf(held.data, route.path)}
        />
      ))}
    </Flex>
  );
};

type Held = Omit<HeldByRoute['routes'][number], 'path'>;

const heldOf = ({ routes }: HeldByRoute, path: string): Held =>
  routes.find((route) => route.path === path) ?? { entries: 0, bytes: 0 };

interface RouteCardProps {
  readonly route: ReportedRoute;
  readonly counts: RouteCounts;
  /** The route's share of the time that Strapi spent on all cached routes, from 0 to 1. */
  readonly share: number;
  /** `undefined` until it is known. */
  readonly held: Held | undefined;
}

const RouteCard = ({ route, counts, share, held }: RouteCardProps) => {
  const { words } = useWords();
  const { count, bytes, duration, ratio } = useFormats();
  const { path, contentType, sharing, lane, readsElsewhere } = route;
  const { hit, miss, hitpass, store, missTime } = counts;
  const requests = requestsOf(counts);
  const part = (value: number): string => (requests === 0 ? '' : ratio(value / requests));
  return (
    <Box tag="section" aria-label={path} background="neutral0" hasRadius shadow="tableShadow" padding={5}>
      <Flex gap={3} wrap="wrap">
        <Typography tag="h2">
          <Code>GET {path}</Code>
        </Typography>
        <Typography textColor="neutral600">{contentType.displayName}</Typography>
        <SharingBadge sharing={sharing} contentType={contentType.uid} />
      </Flex>
      <Typography tag="p" variant="pi" textColor="neutral600">
        <RouteLane lane={lane} />
      </Typography>
      <LaneAdvice lane={lane} />
      {readsElsewhere && (
        <Typography tag="p" variant="pi" textColor="neutral600">
          {words('entry.readElsewhere')}
        </Typography>
      )}
      {requests === 0 ? (
        <Box paddingTop={3}>
          <Typography textColor="neutral600">{words('routes.none')}</Typography>
        </Box>
      ) : (
        <Box paddingTop={4}>
          <FactTiles
            facts={[
              { name: words('outcome.hit'), value: count(hit), hint: part(hit) },
              { name: words('outcome.miss'), value: count(miss), hint: part(miss) },
              { name: words('routes.not-kept'), value: count(miss - store), hint: part(miss - store) },
              { name: words('outcome.hitpass'), value: count(hitpass), hint: part(hitpass) },
              { name: words('routes.per-miss'), value: miss === 0 ? '–' : duration(missTime / miss) },
              {
                name: words('routes.spent'),
                value: duration(costOf(counts)),
                hint: <Meter label={words('routes.share', { path })} value={share} />,
              },
              {
                name: words('routes.held'),
                value: held === undefined ? '–' : bytes(held.bytes),
                hint:
                  held === undefined ? (
                    words('routes.held.unknown')
                  ) : (
                    <TextLink to={entriesLink(path)}>{words('routes.entries', { count: held.entries })}</TextLink>
                  ),
              },
            ]}
          />
          <Reasons path={path} reasons={counts.reasons} counts={counts} />
        </Box>
      )}
    </Box>
  );
};

interface ReasonsProps {
  readonly path: string;
  readonly reasons: readonly RouteReason[];
  readonly counts: RouteCounts;
}

const Reasons = ({ path, reasons, counts }: ReasonsProps) => {
  const { words, rich } = useWords();
  const { count, ratio } = useFormats();
  if (reasons.length === 0) return null;
  return (
    <Box tag="ul" paddingTop={4} aria-label={words('routes.reasons', { path })}>
      {reasons.map((reason) => {
        const { kind, code, detail, latest } = reason;
        const all = kind === 'miss' ? counts.miss : counts.hitpass;
        return (
          <Box tag="li" key={`${kind} ${code} ${detail}`} paddingTop={1} paddingBottom={1}>
            <Typography textColor="neutral800">
              {rich(kind === 'miss' ? 'routes.reason.miss' : 'routes.reason.hitpass', {
                count: count(reason.count),
                share: ratio(all === 0 ? null : reason.count / all),
                reason: routeReasonWords(reason, rich),
              })}{' '}
              {latest === null ? null : (
                <TextLink to={explainReasonLink(latest, code)}>{words('entry.explain')}</TextLink>
              )}
            </Typography>
          </Box>
        );
      })}
    </Box>
  );
};
