import { Box, Flex, Typography } from '@strapi/design-system';
import { useRoutesQuery } from '../api/cache-api';
import type { ReportedRoute, RouteCounts } from '../api/responses';
import { Code } from '../components/code';
import { Meter } from '../components/meter';
import { Section } from '../components/section';
import { TextLink } from '../components/text-link';
import { useFormats } from '../format/use-formats';
import { usePeriod } from '../hooks/use-period';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';
import { routeLink } from './links';
import { routeReasonWords } from './route-reason-words';
import { costOf } from './route-numbers';

const SHOWN = 3;

/** The routes on which Strapi spent most time, each with its most frequent reason and a link to all of them. */
export const CostlyRoutes = () => {
  const { words } = useWords();
  const [period] = usePeriod();
  const { data, refetch } = useRoutesQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const routes = (data?.routes ?? [])
    .map((route) => ({ route, counts: route.counts[period] }))
    .filter(({ counts }) => costOf(counts) > 0)
    .sort((one, other) => costOf(other.counts) - costOf(one.counts));
  const total = routes.reduce((sum, { counts }) => sum + costOf(counts), 0);
  if (routes.length === 0) return null;
  return (
    <Section title={words('overview.costly')}>
      <Flex tag="ol" direction="column" alignItems="stretch" gap={4}>
        {routes.slice(0, SHOWN).map(({ route, counts }) => (
          <CostlyRoute key={route.path} route={route} counts={counts} share={costOf(counts) / total} />
        ))}
      </Flex>
    </Section>
  );
};

interface CostlyRouteProps {
  readonly route: ReportedRoute;
  readonly counts: RouteCounts;
  /** From 0 to 1. */
  readonly share: number;
}

const CostlyRoute = ({ route: { path }, counts, share }: CostlyRouteProps) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  const { duration, ratio } = useFormats();
  const main = counts.reasons.find(({ code }) => code !== 'alone');
  return (
    <Box tag="li">
      <Flex justifyContent="space-between" gap={4} wrap="wrap">
        <TextLink to={routeLink(path)}>
          <Code>{path}</Code>
        </TextLink>
        <Typography textColor="neutral800">
          {words('overview.share', { time: duration(costOf(counts)), share: ratio(share) })}
        </Typography>
      </Flex>
      <Box paddingTop={1} paddingBottom={1}>
        <Meter label={words('routes.share', { path })} value={share} />
      </Box>
      {main === undefined ? null : (
        <Typography variant="pi" textColor="neutral600">
          {vocabulary.rich('overview.reason', { count: main.count, reason: routeReasonWords(main, vocabulary) })}
        </Typography>
      )}
    </Box>
  );
};
