import { Widget } from '@strapi/strapi/admin';
import { Box, Flex, Typography } from '@strapi/design-system';
import { useMetricsQuery } from '../api/cache-api';
import { RequestChart } from '../components/request-chart';
import { Tabular } from '../components/tabular';
import { hitRatio } from '../format/hit-ratio';
import { useFormats } from '../format/use-formats';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';

/** The home page widget: hit ratio, number of entries, and recent requests. */
export const CacheWidget = () => {
  const { words } = useWords();
  const { count, ratio, ago } = useFormats();
  const { data, error, refetch } = useMetricsQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  if (data === undefined) return error === undefined ? <Widget.Loading /> : <Widget.Error />;
  const { usage, provider, now } = data;
  const period = data.periods.hour;
  return (
    <Flex direction="column" alignItems="stretch" justifyContent="space-between" height="100%" gap={4}>
      {provider.state === 'down' ? (
        <Typography textColor="danger600" fontWeight="bold">
          {words('provider.down', { since: ago(provider.since, now) })}
        </Typography>
      ) : null}
      <Flex gap={8}>
        <Figure name={words('stat.ratio')} value={ratio(hitRatio(period.totals))} />
        <Figure name={words('stat.entries')} value={usage === null ? '–' : count(usage.entries)} />
      </Flex>
      <Box>
        <Typography variant="pi" textColor="neutral600">
          {words('chart.title.hour')}
        </Typography>
        <RequestChart period={period} compact />
      </Box>
    </Flex>
  );
};

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <Flex direction="column" alignItems="flex-start">
    <Typography variant="alpha" tag="span">
      <Tabular>{value}</Tabular>
    </Typography>
    <Typography variant="pi" textColor="neutral600">
      {name}
    </Typography>
  </Flex>
);
