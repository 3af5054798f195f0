import { Box, Flex, Typography } from '@strapi/design-system';
import { useState } from 'react';
import { useMetricsQuery } from '../api/cache-api';
import type { PeriodName } from '../api/responses';
import { FirstConfiguration } from '../components/first-configuration';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { Meter } from '../components/meter';
import { Notice } from '../components/notice';
import { PeriodChoice } from '../components/period-choice';
import { ProviderStatus, StoreAway } from '../components/provider-status';
import { RequestChart } from '../components/request-chart';
import { Section } from '../components/section';
import { StatGrid, StatTile } from '../components/stat-tile';
import { TextLink } from '../components/text-link';
import { hitRatio } from '../format/hit-ratio';
import { useFormats } from '../format/use-formats';
import { usePolling } from '../hooks/use-polling';
import { SETTINGS_PATH } from '../plugin-id';
import { useWords } from '../hooks/use-words';

/** What the cache does, live. It reads counters only and does not enumerate the store. */
export const OverviewView = () => {
  const { words } = useWords();
  const { count, ratio, bytes, duration } = useFormats();
  const [periodName, setPeriodName] = useState<PeriodName>('hour');
  const { data, error, refetch } = useMetricsQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;

  const { now, usage, provider, periods, contentTypes, warnings } = data;
  const period = periods[periodName];
  const { totals } = period;
  const unacknowledged = warnings.filter(({ acknowledged }) => acknowledged === null).length;
  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      <StoreAway provider={provider} now={now} />
      {unacknowledged === 0 ? null : (
        <Notice variant="warning" title={words('warnings.title', { count: unacknowledged })}>
          <TextLink to={`${SETTINGS_PATH}/configuration`}>{words('warnings.link')}</TextLink>
        </Notice>
      )}
      {contentTypes.length === 0 ? <FirstConfiguration /> : null}
      <Flex justifyContent="space-between" gap={4} wrap="wrap">
        <ProviderStatus provider={provider} now={now} />
        <PeriodChoice value={periodName} onChange={setPeriodName} />
      </Flex>
      <StatGrid>
        <StatTile label={words('stat.ratio')} value={ratio(hitRatio(totals))} hint={words('stat.ratio.hint')} />
        <StatTile label={words('stat.hits')} value={count(totals.hit)} hint={words('stat.hits.hint')} />
        <StatTile label={words('stat.misses')} value={count(totals.miss)} hint={words('stat.misses.hint')} />
        <StatTile label={words('stat.hitpasses')} value={count(totals.hitpass)} hint={words('stat.hitpasses.hint')} />
        <StatTile label={words('stat.saved')} value={duration(totals.saved)} hint={words('stat.saved.hint')} />
        <StatTile
          label={words('stat.entries')}
          value={usage === null ? '–' : count(usage.entries)}
          hint={words('stat.entries.hint')}
        />
        <StatTile
          label={words('stat.bytes')}
          value={usage === null ? '–' : bytes(usage.bytes)}
          hint={
            usage === null || usage.maxBytes === null ? (
              words('stat.bytes.unbounded')
            ) : (
              <Flex tag="span" direction="column" alignItems="flex-start" gap={2}>
                {words('stat.bytes.hint', { budget: bytes(usage.maxBytes) })}
                <Meter label={words('stat.bytes')} value={usage.bytes / usage.maxBytes} />
              </Flex>
            )
          }
        />
        <StatTile label={words('stat.evictions')} value={count(totals.evict)} hint={words('stat.evictions.hint')} />
      </StatGrid>
      <Section title={words(`chart.title.${periodName}`)}>
        {totals.hit + totals.miss + totals.hitpass === 0 ? (
          <Box paddingTop={8} paddingBottom={8}>
            <Typography tag="p" textAlign="center" textColor="neutral600">
              {words('chart.empty')}
            </Typography>
          </Box>
        ) : (
          <RequestChart period={period} />
        )}
        <Box paddingTop={4}>
          <Typography tag="p" variant="pi" textColor="neutral600">
            {words(`scope.${period.scope}`)}
          </Typography>
        </Box>
      </Section>
    </Flex>
  );
};
