import { Box, Flex } from '@strapi/design-system';
import type { ReportedRoute, RouteCounts } from '../api/responses';
import { Facts, type Fact } from '../components/facts';
import { lookedAtWords } from '../components/identity-words';
import { LaneAdvice, RouteLane } from '../components/route-lane';
import { SharingBadge } from '../components/sharing-badge';
import { TextLink } from '../components/text-link';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { entriesLink } from './links';
import { ReasonTree } from './reason-tree';
import { requestsOf, type Size } from './route-numbers';

interface RouteDetailProps {
  readonly route: ReportedRoute;
  readonly counts: RouteCounts;
  readonly size: Size | undefined;
}

/** What an opened row shows: the requests with their reasons, and what holds for the route's responses. */
export const RouteDetail = ({ route, counts, size }: RouteDetailProps) => {
  const { words } = useWords();
  const { duration } = useFormats();
  const { path, contentType, sharing, lookedAt, lane, maxAge, readsElsewhere } = route;
  const { miss, missTime } = counts;
  const facts: Fact[] = [
    {
      name: words('routes.held'),
      value:
        size === undefined ? (
          words('routes.unknown')
        ) : (
          <TextLink to={entriesLink(path)}>{words('routes.entries', { count: size.entries })}</TextLink>
        ),
    },
    ...(miss === 0 ? [] : [{ name: words('routes.per-miss'), value: duration(missTime / miss) }]),
    { name: words('routes.max-age'), value: duration(maxAge) },
    { name: words('routes.sharing'), value: <SharingBadge sharing={sharing} contentType={contentType.uid} /> },
    ...(lookedAt === null ? [] : [{ name: words('caller.shared-by'), value: lookedAtWords(lookedAt, words) }]),
    {
      name: words('explain.lane'),
      value:
        lane === null ? (
          words('lane.none')
        ) : (
          <>
            <RouteLane lane={lane} />
            <LaneAdvice lane={lane} />
          </>
        ),
    },
    ...(readsElsewhere ? [{ name: words('entry.sharedWork'), value: words('entry.readElsewhere') }] : []),
  ];
  return (
    <Flex gap={6} alignItems="flex-start" wrap="wrap">
      {requestsOf(counts) === 0 ? null : (
        <Box flex="1" minWidth="min(32rem, 100%)">
          <ReasonTree path={path} counts={counts} />
        </Box>
      )}
      <Box flex="1" minWidth="min(32rem, 100%)">
        <Facts facts={facts} />
      </Box>
    </Flex>
  );
};
