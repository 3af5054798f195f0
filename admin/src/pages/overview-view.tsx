import { Box, Flex, Typography } from '@strapi/design-system';
import { styled } from 'styled-components';
import { useMetricsQuery } from '../api/cache-api';
import type { Metrics, Period } from '../api/responses';
import { FactTiles } from '../components/facts';
import { FirstConfiguration } from '../components/first-configuration';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { Meter } from '../components/meter';
import { Notice } from '../components/notice';
import { PeriodChoice } from '../components/period-choice';
import { ProviderStatus, StoreAway } from '../components/provider-status';
import { RequestChart } from '../components/request-chart';
import { Section } from '../components/section';
import { Tabular } from '../components/tabular';
import { TextLink } from '../components/text-link';
import { hitRatio } from '../format/hit-ratio';
import { useFormats } from '../format/use-formats';
import { usePeriod } from '../hooks/use-period';
import { SETTINGS_PATH } from '../plugin-id';
import { useWords } from '../hooks/use-words';
import { BackgroundCard } from './background-card';
import { CostlyRoutes } from './costly-routes';

/** What the cache does, live. It reads counters only and does not enumerate the store. */
export const OverviewView = () => {
  const { words } = useWords();
  const [periodName] = usePeriod();
  const { data, error, refetch } = useMetricsQuery();
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;

  const { now, provider, periods, contentTypes, warnings } = data;
  const period = periods[periodName];
  const unacknowledged = warnings.filter(({ acknowledged }) => acknowledged === null).length;
  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      <StoreAway />
      {unacknowledged === 0 ? null : (
        <Notice variant="warning" title={words('warnings.title', { count: unacknowledged })}>
          <TextLink to={`${SETTINGS_PATH}/configuration`}>{words('warnings.link')}</TextLink>
        </Notice>
      )}
      {contentTypes.length === 0 ? <FirstConfiguration /> : null}
      <Section title={words(`chart.title.${periodName}`)} action={<PeriodChoice />}>
        <Flex gap={8} alignItems="flex-start" wrap="wrap">
          <Gain period={period} />
          <Box flex="1" minWidth="min(36rem, 100%)">
            <Requests period={period} />
          </Box>
        </Flex>
      </Section>
      <CostlyRoutes />
      <BackgroundCard background={data.background} />
      <Section title={words('overview.numbers')} action={<ProviderStatus provider={provider} now={now} />}>
        <Numbers metrics={data} period={period} />
        <Box paddingTop={4}>
          <Typography tag="p" variant="pi" textColor="neutral600">
            {words(`scope.${period.scope}`)}
          </Typography>
        </Box>
      </Section>
    </Flex>
  );
};

const Large = styled(Tabular)`
  display: block;
  font-size: 5.6rem;
  font-weight: 600;
  line-height: 1.1;
`;

/** What one gains: the hit ratio, and the time saved. */
const Gain = ({ period: { totals } }: { readonly period: Period }) => {
  const { words } = useWords();
  const { ratio, duration } = useFormats();
  return (
    <Flex tag="dl" direction="column" alignItems="flex-start" gap={5} minWidth="16rem">
      {[
        { name: words('stat.ratio'), value: ratio(hitRatio(totals)), hint: words('stat.ratio.hint'), isLarge: true },
        { name: words('stat.saved'), value: duration(totals.saved), hint: words('stat.saved.hint'), isLarge: false },
      ].map(({ name, value, hint, isLarge }) => (
        <div key={name}>
          <Typography tag="dt" textColor="neutral600">
            {name}
          </Typography>
          <Typography tag="dd" variant="alpha" textColor="neutral800">
            {isLarge ? <Large>{value}</Large> : <Tabular>{value}</Tabular>}
          </Typography>
          <Typography tag="dd" variant="pi" textColor="neutral600">
            {hint}
          </Typography>
        </div>
      ))}
    </Flex>
  );
};

const Requests = ({ period }: { readonly period: Period }) => {
  const { words } = useWords();
  const { hit, miss, hitpass } = period.totals;
  if (hit + miss + hitpass > 0) return <RequestChart period={period} />;
  return (
    <Box paddingTop={8} paddingBottom={8}>
      <Typography tag="p" textAlign="center" textColor="neutral600">
        {words('chart.empty')}
      </Typography>
    </Box>
  );
};

interface NumbersProps {
  readonly metrics: Metrics;
  readonly period: Period;
}

const Numbers = ({ metrics: { usage }, period: { totals } }: NumbersProps) => {
  const { words } = useWords();
  const { count, bytes } = useFormats();
  const budget = usage?.maxBytes ?? null;
  return (
    <FactTiles
      facts={[
        { name: words('stat.hits'), value: count(totals.hit), hint: words('stat.hits.hint') },
        {
          name: words('stat.misses'),
          value: count(totals.miss),
          hint: words('stat.misses.hint', { count: totals.miss - totals.store }),
        },
        { name: words('stat.hitpasses'), value: count(totals.hitpass), hint: words('stat.hitpasses.hint') },
        {
          name: words('stat.entries'),
          value: usage === null ? '–' : count(usage.entries),
          hint: words('stat.entries.hint'),
        },
        {
          name: words('stat.bytes'),
          value: usage === null ? '–' : bytes(usage.bytes),
          hint:
            usage === null || budget === null ? (
              words('stat.bytes.unbounded')
            ) : (
              <>
                {words('stat.bytes.hint', { budget: bytes(budget) })}
                <Meter label={words('stat.bytes')} value={usage.bytes / budget} />
              </>
            ),
        },
        { name: words('stat.evictions'), value: count(totals.evict), hint: words('stat.evictions.hint') },
      ]}
    />
  );
};
